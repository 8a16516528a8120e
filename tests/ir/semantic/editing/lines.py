"""Where an edit of a line may be felt: on that line, on those that use what it binds, and at the braces around it.

As :mod:`.reach`, but line by line: inside of nested functions, branches and arms, in heads and data types.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from benchmarks import inputs
from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["run_lines"]

_TYPE: Final = "Tensor[(1, 8), float32]"
_NESTED: Final = f"""#[version = "0.0.5"]
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
_MARKS: Final = [*'()[],=;:"$#', "/*", "*/", "//", "%", "let ", "-> ", "nn.", "0.5", "fn", "@", ".0"]
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
_NAME: Final = re.compile(r"[%@]\w+|\b[A-Z]\w*")
_BINDS: Final = re.compile(r"(%\w+)\s*(?:/\*.*?\*/\s*)?(?::[^=]*)?=(?![=>])|let\s+(%\w+)")
_DECLARED: Final = re.compile(r"def\s+(@\w+)|type\s+(\w+)|^\s*([A-Z]\w*)\s*[(,]|(%\w+)\s*:")
_WITHOUT_BRACKETS: Final = re.compile(r'/\*.*?\*/|"[^"]*"|//.*')


class _Part:
    """The lines of a statement, an arm or a head that are in no braces in it, and those of its closing braces."""

    def __init__(self, around: _Part | None) -> None:
        self.around: Final = around
        self.lines: Final[list[str]] = []

    @property
    def definition(self) -> _Part:
        return self if self.around is None else self.around.definition

    @property
    def names(self) -> set[str]:
        """What it mentions."""
        return {name for line in self.lines for name in _NAME.findall(line)}

    def bound(self, *, inside: bool) -> set[str]:
        """What it binds; ``inside``: also what it binds for what is in its braces, or stands behind its arrow."""
        return _bound(self.lines, inside=inside)


def _bound(lines: Iterable[str], *, inside: bool) -> set[str]:
    names: set[str] = set()
    for line in lines:
        names.update(one or other for one, other in _BINDS.findall(line))
        if inside:
            names.update(name for found in _DECLARED.findall(line) for name in found if name)
            names.update(_NAME.findall(line.partition("=>")[0]) if "=>" in line else ())
    return names


class _Text(NamedTuple):
    """A module without errors, and the part that each of its lines belongs to."""

    snapshot: Snapshot
    parts: Sequence[_Part]


@lru_cache(maxsize=1)
def _texts() -> Sequence[_Text]:
    shapes = (inputs.chain, inputs.lets, inputs.generic, inputs.fused, inputs.nested, inputs.data_types, inputs.calling)
    texts = [_NESTED, _NESTED, _NESTED, *(shape(_SIZE) for shape in shapes)]
    return [_Text(Snapshot.open(text, "any.relay"), _parts(text)) for text in texts]


def _parts(text: str) -> list[_Part]:
    parts: list[_Part] = []
    around: list[_Part] = []
    current: _Part | None = None
    depth = 0
    for line in text.split("\n"):
        bare = _WITHOUT_BRACKETS.sub("", line)
        if current is None and bare.lstrip().startswith("}"):
            part = around.pop()
        else:
            part = current = current or _Part(around[-1] if around else None)
            depth += sum(map(bare.count, "([")) - sum(map(bare.count, ")]"))
        if bare.count("{") > bare.count("}") or (current is None and bare.rstrip().endswith("{")):
            around.append(part)
            current = None
        elif depth <= 0:
            current = None
        depth = depth if current is not None else 0
        part.lines.append(line)
        parts.append(part)
    return parts


def run_lines(seed: int) -> str | None:
    """Edit a line of a module without errors at random; the errors that are neither on it nor follow from it."""
    chance = random.Random(seed)
    text = chance.choice(_texts())
    lines = text.snapshot.text.split("\n")
    number = chance.choice([at for at, line in enumerate(lines) if at and line.strip() and line.strip()[0] != "}"])
    first, end, new = _edit(chance, lines[number])
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
    felt = _felt(parts, parts[number], _bound([lines[number], *touched], inside=True))
    has_brace = new != "}" and _braces(lines[number]) != "".join(map(_braces, touched))
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


def _braces(line: str) -> str:
    """The braces of a line, but for those in what an edit may have made a string or a comment."""
    return re.sub('[^{}]|["/].*', "", line)


def _felt(parts: Sequence[_Part], edited: _Part, names: set[str]) -> set[_Part]:
    """The parts in which an edit of one may be felt, where ``names`` mean something else."""
    felt: set[_Part] = set()
    names = names | edited.bound(inside=True)
    if edited.lines[0].startswith("type "):
        names |= {name for part in parts if part.around is edited for name in part.names}
    waiting = [edited]
    while waiting:
        for part in waiting:
            around: _Part | None = part
            while around is not None:
                felt.add(around)
                # What a function has in it tells nothing of it that its head does not, and a type all of it.
                names |= around.bound(inside=False) if around.around is not None else set[str]()
                if around.around is None and (around is part or "->" not in around.lines[0]):
                    names |= around.bound(inside=True)
                around = around.around
            if part.around is not None and not part.bound(inside=False):  # a value: other branches give the same type
                felt.update(each for each in parts if each.around is part.around and not each.bound(inside=False))
            if any("match" in line or "=>" in line for line in part.lines):
                names |= part.bound(inside=True).union(*(arm.bound(inside=True) for arm in parts if arm.around is part))
        waiting = [part for part in parts if part not in felt and not names.isdisjoint(part.names)]
    return felt


def _edit(chance: random.Random, line: str) -> tuple[int, int, str]:
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
        return at, at, chance.choice(_MARKS)
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
