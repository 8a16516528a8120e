"""Where an edit of one statement may be felt: in that statement, and in those that use what it bound."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from benchmarks import inputs
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["run_reach"]

_SIZE: Final = 30
_BINDS: Final = re.compile(r"(?:let\s+)?([%@][\w.]+)\s*(?:/\*.*?\*/\s*)?(?::[^=]*)?=(?![=>])|let\s+(%\w+)")
_INSIDE: Final = re.compile(r"[(,]\s*(%\w+)\s*:")
"""A parameter of a function in the statement: what is in that function is left without it where its brace is lost."""
_NAME: Final = re.compile(r"[%@]\w+")
_MARKS: Final = [*'()[],=;:"$#', "/*", "*/", "//", "\n", "%", "let ", "-> ", "nn.", "0.5"]
_STATEMENTS: Final = ("%98765 = nn.relu(%x);", "let %typed = nn.relu(%x);", "%98765 = add(%x,\n    %x\n  );")


@lru_cache(maxsize=1)
def _texts() -> Sequence[Snapshot]:
    """Modules without errors, of every shape."""
    shapes = (
        inputs.chain,
        inputs.lets,
        inputs.plain,
        inputs.generic,
        inputs.untyped_parameters,
        inputs.fused,
        inputs.nested,
        inputs.data_types,
        inputs.calling,
    )
    return [Snapshot.open(shape(_SIZE), "any.relay") for shape in shapes]


def run_reach(seed: int) -> str | None:
    """Edit a statement of a module without errors at random; the errors that are neither in it nor follow from it."""
    chance = random.Random(seed)
    before = chance.choice(_texts())
    starts = [match.start() for match in re.finditer(r"^  (?:let )?%\w+.*=", before.text, re.MULTILINE)]
    statement = before.statement_span(chance.choice(starts) + 2)
    statement = TextSpan(statement.end - len(before.text[statement.start : statement.end].lstrip()), statement.end)
    span, new_text = _edit(chance, before.text, statement)
    edited = before.edit(span, new_text)
    touched = TextSpan(max(statement.start - 1, 0), max(statement.end + len(new_text) - span.end + span.start, 0))
    affected = set(_bound(before.text[statement.start : statement.end]))
    affected |= set(_bound(edited.text[touched.start : touched.end]))
    wrong: list[str] = []
    faults = {each.span.start for each in edited.diagnostics if each.severity is Severity.ERROR and each.span}
    heads: list[str] = []
    at, follows = 0, False
    while at < len(edited.text):
        segment = edited.statement_span(at)
        text = edited.text[segment.start : segment.end]
        is_touched = segment.start <= touched.end and segment.end >= touched.start
        is_faulty = any(segment.start <= fault < segment.end for fault in faults)
        if text.startswith("}"):  # the declared result is at fault where the value before the brace has another type
            wrong += [] if follows else heads
            heads = []
        elif is_touched or not affected.isdisjoint(_NAME.findall(text)):
            affected |= set(_bound(text))
            follows = True
        else:
            follows = False
            if is_faulty:
                (heads if text.startswith("def ") else wrong).append(text)
        at = max(segment.end, at + 1)
    wrong += heads
    if not wrong:
        return None
    errors = "\n".join(
        f"{each.message} at {each.span}" for each in edited.diagnostics if each.severity is Severity.ERROR
    )
    return f"{seed}: {span} became {new_text!r} in\n{before.text}\nerrors in {wrong}:\n{errors}"


def _edit(chance: random.Random, text: str, statement: TextSpan) -> tuple[TextSpan, str]:
    """Something that is typed or deleted in a statement, or a statement typed on its line up to some key."""
    kind = chance.randrange(3)
    at = chance.randrange(statement.start, statement.end)
    if kind == 0:
        end = min(at + chance.choice((1, 1, 2, 5)), statement.end)
        while end > at and set(text[at:end]) & set("{}"):
            end -= 1
        return TextSpan(at, end), ""
    if kind == 1:
        return TextSpan(at, at), chance.choice(_MARKS)
    typed = chance.choice(_STATEMENTS)
    typed = typed[: chance.randint(1, len(typed))]
    return TextSpan(statement.start, statement.start), typed + chance.choice(("\n  ", " "))


def _bound(text: str) -> Iterator[str]:
    for match in _BINDS.finditer(text):
        yield match[1] or match[2]
    for match in _INSIDE.finditer(text):
        yield match[1]
