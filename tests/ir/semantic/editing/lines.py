"""Where an edit of a line may be felt: on that line, on those that use what it binds, and at the braces around it.

As :mod:`.reach`, but line by line: inside of nested functions, branches and arms, in heads and data types.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from benchmarks import inputs
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.parts import Part, bound_in, braces_of, felt_parts, parts_of

__all__ = ["MARKS", "NESTED", "random_edit_of", "run_lines"]

_TYPE: Final = "Tensor[(1, 8), float32]"
NESTED: Final = f"""#[version = "0.0.5"]
type Maybe[A] {{
  Some(A),
  None,
}}
type Two {{
  Pair(int32, int32),
}}
def @inner(%x: {_TYPE}, %c: bool) -> {_TYPE} {{
  let %f = fn (%p: {_TYPE}) -> {_TYPE} {{
    let %a = nn.relu(%p);
    let %b = exp(%a);
    %70 = add(%b, %a);
    let %d = if (%c) {{
      let %e = tanh(%b);
      let %g = add(%e, %a);
      add(%g, %70)
    }} else {{
      nn.relu(%a)
    }};
    tanh(%d)
  }};
  %71 = %f(%x);
  %72 = fn (%q: {_TYPE}) -> {_TYPE} {{
    %73 = nn.relu(%q);
    %74 = add(
      %73,
      %q
    );
    tanh(%74)
  }};
  %75 = %72(%71);
  %76 = (%75, %71);
  %77 = %76.0;
  add(%77, %x)
}}
def @matched(%m: Maybe[{_TYPE}], %t: Two, %y: {_TYPE}) -> {_TYPE} {{
  let %z = match (%m) {{
    Some(%v) => nn.relu(%v),
    None => {{
      let %h = exp(%y);
      %h
    }},
  }};
  let %n = match (%t) {{
    Pair(%i, %j) => add(%i, %j),
  }};
  %80 = @inner(%z, True);
  nn.relu(%80)
}}
def @main(%k: {_TYPE}) -> {_TYPE} {{
  let %o = Some(%k);
  let %r = Pair(1, 2);
  @matched(%o, %r, %k)
}}
"""

_SIZE: Final = 30
MARKS: Final = [*'()[],=;:"$#', "/*", "*/", "//", "%", "let ", "-> ", "nn.", "0.5", "fn", "@", ".0"]
_LOST: Final = '()[]{}",;:='
_STATEMENTS: Final = (
    "%98765 = nn.relu(%x);",
    "let %typed = nn.relu(%x);",
    "%98765 = add(%x,\n    %x\n  );",
    "let %typed = (%x, 1.0f);",
    "let %typed = if (True) {",
    "let %typed = fn (%w: int32) {",
)
_BEFORE_DEFINITIONS: Final = ('"', '"abc', "intx", "/* ", "(", "{", "let ", "%0 = ", "def @typed(%x: int32) -> int32 {")


class _Text(NamedTuple):
    """A module without errors, and the part that each of its lines belongs to."""

    snapshot: Snapshot
    parts: Sequence[Part]


@lru_cache(maxsize=1)
def _texts() -> Sequence[_Text]:
    shapes = (inputs.chain, inputs.lets, inputs.generic, inputs.fused, inputs.nested, inputs.data_types, inputs.calling)
    texts = [NESTED, NESTED, NESTED, *(shape(_SIZE) for shape in shapes)]
    return [_Text(Snapshot.open(text, "any.relay"), parts_of(text)) for text in texts]


def run_lines(seed: int) -> str | None:
    """Edit a line of a module without errors at random; the errors that are neither on it nor follow from it."""
    chance = random.Random(seed)
    text = chance.choice(_texts())
    lines = text.snapshot.text.split("\n")
    number = chance.choice([at for at, line in enumerate(lines) if at and line.strip() and line.strip()[0] != "}"])
    first, end, new = random_edit_of(chance, lines[number])
    wrong = _felt_elsewhere(text, number, TextSpan(first, end), new)
    if not wrong:
        return None
    return f"{seed}: {first} to {end} of line {number} became {new!r} in\n{text.snapshot.text}\n{wrong}"


def _felt_elsewhere(text: _Text, number: int, columns: TextSpan, new: str) -> list[str]:
    """The errors that an edit of a line makes, but for those that are on it or follow from it."""
    snapshot, parts = text
    lines = snapshot.text.split("\n")
    start = sum(len(line) + 1 for line in lines[:number])
    edited = snapshot.edit(columns.shifted(start), new)
    after = edited.text.split("\n")
    added = len(after) - len(lines)
    touched = after[number : number + added + 1]
    felt = felt_parts(parts, {parts[number]}, bound_in([lines[number], *touched], inside=True))
    has_brace = new != "}" and braces_of(lines[number]) != "".join(map(braces_of, touched))
    wrong: list[str] = []
    for found in edited.diagnostics:
        if found.severity is not Severity.ERROR or found.span is None or found.code == "unclosed-brace":
            continue
        at = edited.text.count("\n", 0, found.span.start)
        # What the line before lacks, since another thing follows it now, is said there.
        if number - 1 <= at <= number + added:
            continue
        part = parts[at if at < number else at - added]
        if part not in felt and not (has_brace and part.definition is parts[number].definition):
            wrong.append(f"{found.message} at {after[at]!r}")
    return wrong


def random_edit_of(chance: random.Random, line: str) -> tuple[int, int, str]:
    """Something that is typed or deleted on a line, or what is typed above it or in front of it, up to some key."""
    indent = len(line) - len(line.lstrip())
    at = chance.randrange(indent, len(line))
    kind = chance.randrange(9)
    if kind == 8 and indent > 2:  # in braces that are not the function's own
        return at, at, "}"
    if kind < 2:
        end = min(at + chance.choice((1, 1, 2, 5)), len(line))
        return (at, at, "") if set(line[at:end]) & set("{}") else (at, end, "")
    if kind < 4:
        return at, at, chance.choice(MARKS)
    if kind == 4:
        marks = [place for place, letter in enumerate(line) if letter in _LOST]
        at = chance.choice(marks) if marks else at
        return at, at + bool(marks), ""
    if not indent:
        typed = chance.choice(_BEFORE_DEFINITIONS)
        return 0, 0, typed + chance.choice(("", " ", "\n"))
    if re.match(r"\s*[A-Z]\w*[(,]", line):  # a constructor: what is typed in a data type may be another
        return indent, indent, chance.choice(("let ", "%9 = ", "(", '"'))
    typed = chance.choice(_STATEMENTS)
    return indent, indent, typed[: chance.randint(1, len(typed))] + "\n" + " " * indent
