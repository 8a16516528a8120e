"""Random edit scripts: after each edit the state must be as if the text had just been opened."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from unittest import mock

from relay_lsp.ir.collections import block_list, layered_map
from relay_lsp.ir.semantic import incremental, statement_typer, unknown_names
from relay_lsp.ir.semantic import module_analyzer as analyzer
from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.syntax import forms, segment_cutter
from relay_lsp.ir.text import line_index as source
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import Inequality, difference, early_difference
from tests.ir.semantic.editing.modules import texts

__all__ = ["blocks_of", "edited", "random_edit", "run_script", "small_blocks"]

_PARTS: Sequence[str] = [
    *'%x;{}()[]\n"=,.$01/*',
    "/*",
    "*/",
    " ",
    "//",
    "nn.relu(%x)",
    "%99 = nn.relu(%x);\n",
    "%0 = nn.relu(%x);\n",
    "%99 (%0);\n",
    "%1 (%x, %0);\n",
    "let %z = %x;\n",
    "let %y = %0;\n",
    "free_var %y: Tensor[(1, 8), float32];\n",
    "free_var %x: int32;\n",
    "free_var %v;\n",
    "def @f() { 1 }\n",
    "def @h(%x: int32) -> int32 { %x }\n",
    "@f(%0)",
    "type A { B }\n",
    "axis=1",
    "\r\n",
    "fn (%q: int32) { %q }",
    "if (%c) { %0 } else {",
    "if (True) { %0 } else { %0 }",
    "_ => %0, ",
    "Tensor[(1, 9), float32]",
    '#[version = "0.0.5"]\n',
    "(let %x = 1; %x)",
    "-> int32",
    '"',
    "#",
    "meta[relay.Constant][0]",
    '%7 = cast(%x, dtype="%0;") /* ";%1" */;\n',
    "/* %0; ty=int32 */",
]

_TYPED = [
    "%new = nn.relu(%0);",
    "%1000 = nn.relu(%x); ",
    "let %new = nn.relu(%x_1);",
    "let %new: Tensor[(1, 8), float32] = add(%x, %x_0);",
    "%1001 = (%0,\n    %1);",
    "free_var %x_0: Tensor[(1, 8), float32];",
    "%1002 = if (%c) { %0 } else { %1 };",
    "%1003 = add(\n    %0,\n    %1\n  );",
    "new = concatenate([%0, %1], axis: 1);",
    "let new: Tensor[1, 8, float32] := %x;",
    "%1004 := if %c { %0 } else { %1 };",
    "return %0[1]; # %1",
    'let %new: Tensor[(1, 8, "float32")] = nn.relu %x;',
]
"""Statements that the user is typing, up to some key: Relay's, and as other languages would write them."""

_SMALL = [
    (source, "_BLOCK", 60),
    (block_list, "_BLOCK", 3),
    (block_list, "_FEWEST", 2),
    (layered_map, "_FEWEST_RECENT", 2),
    (forms, "_LONGEST", 150),
    (segment_cutter, "_LOOK_AHEAD", 1),
    (segment_cutter, "_WINDOW", 20),
    (segment_cutter, "_MANY_PIECES", 1),
    (analyzer, "_AT_ONCE", 5),
    (analyzer, "STEP", 2),
    (statement_typer, "STEP", 2),
    (incremental, "_RENUMBERED", 2),
    (incremental, "NEARBY", 3),
    (statement_typer, "NEARBY", 3),
    (unknown_names, "NEARBY", 3),
]

_HEAD = re.compile(r"^(?P<begin>def @?\w*)[^\n]*\{[ \n]*", re.MULTILINE)

_PIECE = re.compile(r"/\*[^*]*\*/|[%@]?\w[\w.]*|\s+|.", re.DOTALL)


@contextmanager
def small_blocks() -> Iterator[None]:
    """Keep texts in blocks of a few lines and statements, so that a short text has many."""
    with ExitStack() as stack:
        for module, name, value in _SMALL:
            stack.enter_context(mock.patch.object(module, name, value))
        yield


def blocks_of(seed: int) -> AbstractContextManager[None]:
    """Small blocks for every other script, those of whole texts for the rest."""
    return nullcontext() if seed % 2 else small_blocks()


def random_edit(chance: random.Random, text: str, history: Sequence[str]) -> tuple[TextSpan, str]:
    """A random edit: of the kinds that people make, and of those that no person does."""
    kind = chance.randrange(11)
    length = len(text)
    if kind == 0 and len(history) > 1:  # undo
        older = chance.choice(history)
        start = 0
        while start < min(length, len(older)) and text[start] == older[start]:
            start += 1
        end = 0
        while end < min(length, len(older)) - start and text[length - 1 - end] == older[len(older) - 1 - end]:
            end += 1
        return TextSpan(start, length - end), older[start : len(older) - end]
    if kind <= 4:  # a token: deleted, replaced, doubled, or something before it
        pieces = list(_PIECE.finditer(text)) or [re.match("", text)]
        piece = chance.choice(pieces)
        assert piece is not None
        other = chance.choice(pieces)
        assert other is not None
        new = chance.choice(["", other[0], chance.choice(_PARTS), piece[0][:-1], piece[0] + "x"])
        return TextSpan(piece.start(), chance.choice([piece.start(), piece.end()])), new
    if kind <= 6:  # lines: deleted, doubled, moved
        lines = text.splitlines(keepends=True) or [""]
        first = chance.randrange(len(lines))
        last = min(len(lines), first + chance.choice([1, 1, 2, 5]))
        start, end = len("".join(lines[:first])), len("".join(lines[:last]))
        other = chance.randrange(len(lines))
        block = "".join(lines[other : other + chance.choice([1, 1, 2, 5])])
        span = TextSpan(start, chance.choice([start, end]))
        return span, "" if span.end > start and chance.random() < 0.5 else block
    heads = list(_HEAD.finditer(text)) if kind == 10 else []
    if heads:  # the head of a function: its line, its `def` and name or a part of these deleted, or its end
        head = chance.choice(heads)
        start, end = sorted((chance.randrange(*head.span("begin")), chance.choice((*head.span("begin"), head.end()))))
        return TextSpan(start, end) if chance.random() < 0.5 else TextSpan(*head.span()), chance.choice(("", "", "d"))
    if kind == 9:  # a statement, up to one of its keys: on a line of its own, or in front of another
        starts = [match.end() for match in re.finditer(r"^ *", text, re.MULTILINE)]
        start = chance.choice(starts)
        statement = chance.choice(_TYPED)
        typed = statement[: chance.randint(1, len(statement))]
        return TextSpan(start, start), typed + chance.choice(["", "\n", "\n  "])
    start = chance.randint(0, length)
    end = min(length, start + chance.choice([0, chance.randint(1, 3), chance.randint(0, 120)]))
    return TextSpan(start, end), chance.choice([chance.choice(_PARTS), "", text[end : end + chance.randint(0, 120)]])


def edited(chance: random.Random, text: str, edits: int) -> Iterator[Snapshot]:
    """The snapshot of a text, and those after each of some random edits, each of the one before."""
    snapshot = Snapshot.open(text, "example.relay")
    history = [text]
    yield snapshot
    for _ in range(edits):
        snapshot = snapshot.edit(*random_edit(chance, snapshot.text, history))
        history.append(snapshot.text)
        yield snapshot


def run_script(seed: int, edits: int = 4) -> None:
    """Edit a text at random, and compare after each edit.

    Raises:
        Inequality: what an edit gave is not what opening the text gives; it has the texts before and after.
    """
    chance = random.Random(seed)
    snapshot = Snapshot.open(chance.choice(texts()), "example.relay")
    if chance.random() < 0.9:
        _ = snapshot.diagnostics
    history = [snapshot.text]
    for number in range(edits):
        span, new_text = random_edit(chance, snapshot.text, history)
        edited = snapshot.edit(span, new_text)
        parts: list[PartialSnapshot] = []
        if snapshot.is_followed and chance.random() < 0.5:
            edited.analyse(partial(_keep, parts))
        if chance.random() < 0.25:  # a burst, or places far from each other: nothing asks about the text in between
            snapshot = edited
            continue
        afresh = Snapshot.open(edited.text, "example.relay")
        offset = chance.randint(0, len(edited.text))
        problem = difference(edited, afresh, offset, whole=number == edits - 1 or chance.random() < 0.3)
        for part in parts:
            problem = problem or early_difference(part, edited)
        if problem is not None:
            what = f"script {seed}, edit {number}: {span} became {new_text!r}\n{problem}"
            raise Inequality(f"{what}\n--- before\n{snapshot.text}\n--- after\n{edited.text}")
        snapshot = edited
        history.append(snapshot.text)


def _keep(parts: list[PartialSnapshot], part: Callable[[], PartialSnapshot | None]) -> None:
    made = part()
    if made is not None:
        _ = made.snapshot.diagnostics  # what is worked out for a part must not be taken for that of the whole
        parts.append(made)
