"""Texts of every shape that Relay has, and what is typed in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .. import inputs

__all__ = ["SHAPES", "Key", "Script", "Shape", "scripts_of"]


@dataclass(frozen=True)
class Shape:
    """Texts of so many statements, and a statement that is typed in them."""

    name: str
    text: Callable[[int], str]
    statement: str = "%99999999 = nn.relu(%x);"


SHAPES: Final = (
    Shape("graph form", inputs.chain),
    Shape("let form", inputs.lets, "let %new = nn.relu(%x);"),
    Shape("without type comments", inputs.plain),
    Shape("fused", inputs.fused),
    Shape("type parameters", inputs.generic),
    Shape("untyped parameters", inputs.untyped_parameters),
    Shape("data types", inputs.data_types),
    Shape("many functions", inputs.calling),
    Shape("ResNet-18, many times", inputs.dump, "%99999999 = nn.relu(%data);"),
)


@dataclass(frozen=True)
class Key:
    """One edit: what takes the place of the characters from ``start`` to ``end``, and by which name it is reported."""

    start: int
    end: int
    text: str
    label: str


@dataclass(frozen=True)
class Script:
    """Keys after which the text is what it was. ``before`` and ``after`` make and take away the place for them."""

    what: str
    keys: Sequence[Key]
    before: Key | None = None
    after: Key | None = None


_BINDING: Final = re.compile(r"^  (?:%\w+|let %\w+)[^\n]*=[^\n]*;$", re.MULTILINE)
_MARKS: Final = '(){}[];=,"'


def scripts_of(shape: Shape, text: str) -> Iterator[Script]:
    """Everything that is typed in a text of a shape."""
    head = text.rindex("\ndef @") + 1
    bindings = [match.span() for match in _BINDING.finditer(text, head)]
    places = {"beginning": bindings[0], "middle": bindings[len(bindings) // 2], "end": bindings[-1]}
    for place, (start, _) in places.items():
        line = Key(start, start, "  \n", "")
        keys = _typed(start + 2, shape.statement, place)
        yield Script("a statement typed and deleted", keys, line, Key(start, start + 3, "", ""))
    start = places["middle"][0] + 2
    yield Script("a statement typed in front of another", _typed(start, shape.statement, "in front"))
    for place, (start, end) in places.items():
        yield Script("brackets, quotes, comment marks lost and put back", [*_lost_marks(text, start, end, place)])
    opened, closed = text.index("{\n", head), text.rindex("\n}") + 1
    braces = [*_lost(opened, "{", "the opening brace"), *_lost(closed, "}", "the closing brace")]
    yield Script("braces of the function lost and put back", braces)
    yield Script("the head, letter by letter", [*_head(text, head, opened)])
    dtype = text.find("float32", head, opened)
    if dtype >= 0:
        retyped = [Key(dtype + 5, dtype + 7, "16", "float16"), Key(dtype + 5, dtype + 7, "32", "float32")]
        yield Script("the dtype of a parameter", retyped)


def _typed(start: int, statement: str, place: str) -> list[Key]:
    """Each key that types a statement, and each that deletes it again."""
    typed = range(1, len(statement) + 1)
    keys = [Key(start + n - 1, start + n - 1, statement[n - 1], f"{place}: {statement[:n]}") for n in typed]
    deleted = reversed(range(len(statement)))
    return keys + [Key(start + n, start + n + 1, "", f"{place}, deleted: {statement[:n]}") for n in deleted]


def _lost(at: int, mark: str, label: str) -> Iterator[Key]:
    yield Key(at, at + len(mark), "", f"{label} lost")
    yield Key(at, at, mark, f"{label} put back")


def _lost_marks(text: str, start: int, end: int, place: str) -> Iterator[Key]:
    """Each mark of a statement that is lost and put back, the first of its kind; and marks that open something."""
    for mark in _MARKS:
        at = text.find(mark, start, end)
        if at >= 0:
            yield from _lost(at, mark, f"{place}: {mark}")
    comment = text.find("*/", start, end)
    if comment >= 0:
        yield from _lost(comment, "*/", f"{place}: */")
    for mark in ('"', "/*", "(", "{"):
        at = start + 2 if mark in "/*{" else text.index("=", start, end) + 2
        yield Key(at, at, mark, f"{place}: {mark} opened")
        yield Key(at, at + len(mark), "", f"{place}: {mark} taken away")


def _head(text: str, head: int, opened: int) -> Iterator[Key]:
    """A parameter, an attribute and the name of a function typed and deleted, its result deleted and typed."""
    arrow = text.find("->", head, opened)
    end = text.rindex(")", head, opened if arrow < 0 else arrow)
    yield from _typed(end, ", %new: Tensor[(8, 8), float32]", "head")
    yield from _typed(end, ", Inline=1", "head")
    name = text.index("(", head) if text.find("[", head, text.index("(", head)) < 0 else text.index("[", head)
    yield from _typed(name, "_new", "head")
    if arrow >= 0:
        result = text[arrow:opened].rstrip()
        reverse = range(len(result) - 1, -1, -1)
        yield from (Key(arrow + n, arrow + n + 1, "", f"head: {result[:n]}") for n in reverse)
        yield from (Key(arrow + n, arrow + n, result[n], f"head: {result[: n + 1]}") for n in range(len(result)))
