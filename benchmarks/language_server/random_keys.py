"""Keys at random places of texts of every shape: what no list of edits has thought of."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

from .figures import Figure
from .shapes import SHAPES, Key, Script
from .targets import Target
from .typed_keys import measure_scripts

__all__ = ["measure_random_keys"]

_TYPED: Final = (
    "%99999999 = nn.relu(%x);\n",
    "let %typed = (%x, 1.0f);\n",
    "let %typed = if (True) {\n",
    "let %typed = fn (%w: int32) {\n",
    "let %typed = match (%x) {\n",
    "free_var %v: int32;\n",
    "@typed(%x);\n",
    'def @typed(%x: int32) {\n  print("a")\n}\n',
    "type Typed[A] {\n  Typed(A),\n}\n",
    '#[version = "0.0.5"]\n',
    "extern type Typed\n",
    "meta[relay.Constant][0]",
    "/* typed */",
    "// typed\n",
    '"typed"',
    "->",
    "=>",
    "(){}[]",
    "}\n",
    "%",
    "@",
    ": ",
    ", ",
    ".0",
    "\n",
)
"""What is typed, each a key after the other."""

_MARKS: Final = "(){}[];:=,\"'<>#@%/*.-"
_LONGEST: Final = 400
"""The most characters that one edit takes away or pastes."""


def measure_random_keys(sizes: Sequence[int], target: Target, seed: int, scripts: int, shapes: str) -> Iterator[Figure]:
    """A row for each shape: so many scripts of keys, each of which is taken back; ``seed`` tells which ones."""
    for size in sizes:
        for shape in SHAPES:
            if shapes in shape.name:
                text = shape.text(size)
                chance = random.Random(f"{seed} {shape.name} {size}")
                keys = [Script("keys at random places", _keys(chance, text)) for _ in range(scripts)]
                yield from measure_scripts(shape.name, size, text, keys, target)


def _keys(chance: random.Random, text: str) -> list[Key]:
    """Something that is typed, deleted or pasted, key by key, and then taken back the same way."""
    at = _place(chance, text)
    kind = chance.randrange(6)
    if kind < 2:
        return _there_and_back(at, "", chance.choice(_TYPED), at_once=False)
    if kind == 2:
        return _there_and_back(at, text[at : at + chance.randint(1, 12)], "", at_once=False)
    if kind == 3:  # a mark near the place
        at = next((place for place in range(at, min(at + _LONGEST, len(text))) if text[place] in _MARKS), at)
        return _there_and_back(at, text[at : at + 1], chance.choice(("", *_MARKS)), at_once=True)
    start, end = text.rfind("\n", 0, at) + 1, at
    for _ in range(chance.randint(1, 4)):
        end = text.find("\n", end) + 1 or len(text)
    lines = text[start : min(end, start + _LONGEST)]
    if kind == 4:  # lines cut, or part of them
        return _there_and_back(start, lines, "", at_once=True)
    return _there_and_back(_place(chance, text), "", lines, at_once=True)


def _place(chance: random.Random, text: str) -> int:
    """A place in a text; often the beginning of a line or a definition, which are where people type."""
    at = chance.randrange(len(text))
    if chance.random() < 0.2:
        at = text.rfind("\ndef ", 0, at) + 1 + chance.randrange(5)
    elif chance.random() < 0.3:
        at = text.rfind("\n", 0, at) + 1
        at += chance.choice((0, len(text[at : at + 8]) - len(text[at : at + 8].lstrip(" "))))
    return min(at, len(text) - 1)


def _there_and_back(at: int, old: str, new: str, *, at_once: bool) -> list[Key]:
    label = f"{at}: {old!r:.40} to {new!r:.40}"
    if at_once:
        return [Key(at, at + len(old), new, label), Key(at, at + len(new), old, f"{label}, undone")]
    return [
        *(Key(at + n, at + n + 1, "", f"{label}: {old[:n]!r}") for n in reversed(range(len(old)))),
        *(Key(at + n, at + n, letter, f"{label}: {new[: n + 1]!r}") for n, letter in enumerate(new)),
        *(Key(at + n, at + n + 1, "", f"{label}, undone: {new[:n]!r}") for n in reversed(range(len(new)))),
        *(Key(at + n, at + n, letter, f"{label}, undone: {old[: n + 1]!r}") for n, letter in enumerate(old)),
    ]
