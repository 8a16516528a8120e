"""Where edits of several lines and at several places may be felt: as :mod:`.lines`, in texts of the records, too.

A statement is typed key by key, lines are pasted and cut, and a second place is edited while the first is incomplete.
After each edit, what is wrong must be in what was edited, or follow from it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from benchmarks import inputs
from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.conformance import records
from tests.ir.semantic.editing.comparison import difference
from tests.ir.semantic.editing.lines import MARKS, NESTED, random_edit_of
from tests.ir.semantic.editing.parts import Part, bound_in, felt_parts, names_in, parts_of

__all__ = ["run_several"]

_SIZE: Final = 20
_LINES: Final = range(6, 90)
_LONGEST: Final = 12_000
_METADATA: Final = "#[metadata]"
_FOLLOWS: Final = frozenset(
    {
        "branches-of-different-rank",
        "cannot-infer-type",
        "condition-not-boolean",
        "graph-variable-rebound",
        "infinite-type",
        "invalid-attribute-value",
        "kind-mismatch",
        "match-not-exhaustive",
        "not-a-reference",
        "not-a-tuple",
        "not-callable",
        "relation-failed",
        "tuple-index-out-of-range",
        "type-mismatch",
        "variable-bound-twice",
        "wrong-argument-count",
        "wrong-pattern",
        "wrong-type-arguments",
        "duplicate-definition",
        "duplicate-constructor",
        "constructor-before-type",
        "extern-constructors",
        "variable-out-of-scope",
    }
)
"""What may be wrong with a statement that uses another one."""
_UNTYPED: Final = re.compile(r"[(,]\s*(%\w+)(?=\s*[,)])")
_BRACE: Final = re.compile("[{}]")
_LINE_COMMENT: Final = re.compile("//.*")
_WORD: Final = re.compile(r"@?\w+")
_UNDEFINED: Final = re.compile(r"undefined|variable-out-of-scope")


class _Text(NamedTuple):
    """A text without errors, its lines and the part that each belongs to."""

    snapshot: Snapshot
    lines: Sequence[str]
    parts: Sequence[Part]
    untyped: frozenset[str]
    """The parameters without types: what is done with them tells these."""


@lru_cache(maxsize=1)
def _sources() -> Sequence[str]:
    shapes = (inputs.chain, inputs.lets, inputs.generic, inputs.fused, inputs.nested, inputs.data_types, inputs.calling)
    own = [NESTED, *(shape(_SIZE) for shape in shapes)]
    collected: dict[str, None] = {}
    for path in sorted(records.SAMPLE.rglob(f"*{records.SUFFIX}")):
        name = str(path.relative_to(records.SAMPLE)).removesuffix(records.SUFFIX)
        for record in records.load(name):
            texts = [text for _, text in records.texts(record)]
            collected.update((text, None) for text in texts if text.count("\n") in _LINES and len(text) <= _LONGEST)
    return [*own * 20, *collected]


@lru_cache(maxsize=256)
def _opened(source: str) -> _Text | None:
    snapshot = Snapshot.open(source, "any.relay")
    if _errors(snapshot):
        return None
    lines = source.split("\n")
    heads = [line for line in lines if "fn (" in line or line.startswith("def ")]
    untyped = frozenset(_UNTYPED.findall("\n".join(heads)))
    return _Text(snapshot, lines, parts_of(source.partition(_METADATA)[0]), untyped)


def _errors(snapshot: Snapshot) -> list[Diagnostic]:
    return [each for each in snapshot.diagnostics if each.severity is Severity.ERROR]


def _any_text(chance: random.Random) -> _Text:
    while (text := _opened(chance.choice(_sources()))) is None:
        pass
    return text


class _Edited:
    """A text that is edited: which of its lines are still those that they were."""

    def __init__(self, text: _Text) -> None:
        self.text: Final = text
        self.snapshot = text.snapshot
        self.origins: list[int | None] = list(range(len(text.lines)))
        """Which line of the text without errors each one is."""
        self.last = ""
        self.has_lines = False
        """Whether whole lines were pasted or cut."""

    @property
    def lines(self) -> list[str]:
        return self.snapshot.text.split("\n")

    def edit(self, first: int, column: int, end: int, end_column: int, new: str) -> None:
        """Replace what is between two places."""
        lines = self.lines
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        self.last = f"{first}:{column} to {end}:{end_column} became {new!r}"
        self.snapshot = self.snapshot.edit(TextSpan(starts[first] + column, starts[end] + end_column), new)
        after = self.lines
        count = end - first + 1 + len(after) - len(lines)
        made: list[int | None] = [None] * count
        is_above = not column and first == end and new.endswith("\n")
        if count and not is_above and after[first] == lines[first]:
            made[0] = self.origins[first]
        if count > 1 and after[first + count - 1] == lines[end] and (end > first or made[0] is None):
            made[-1] = self.origins[end]
        self.origins[first : end + 1] = made

    def wrong(self) -> list[str]:
        """The errors that neither are where the text was edited nor follow from it."""
        old, parts = self.text.lines, self.text.parts
        lines, origins = self.lines, self.origins
        kept = {origin for origin in origins if origin is not None}
        lost = [number for number in range(len(parts)) if number not in kept]
        new = [number for number, origin in enumerate(origins) if origin is None]
        edited = {parts[number] for number in lost}
        for (
            number
        ) in new:  # what is typed between the lines of a part belongs to it, and what is typed in braces to both
            around = [self._part_near(number, step) for step in (-1, 1)]
            if around[0] is not None and (around[0] is around[1] or around[1] is None):
                edited.add(around[0])
            elif around[1] is not None:
                edited.add(around[1].around or around[1])
        unbalanced = {part.definition for part in edited} if self._has_other_braces(lost, new) else set[Part]()
        gone = bound_in((old[number] for number in lost), inside=True)
        heads = [old[number] for number in lost if "fn (" in old[number] or old[number].startswith("def ")]
        gone |= {name for head in heads for name in _UNTYPED.findall(head)}
        typed = [lines[number] for number in new]
        bound = gone | bound_in(typed, inside=True)
        names = bound | {name for name in names_in(typed) if name[0] not in "%@" or name in self.text.untyped}
        felt = felt_parts(parts, edited, names)
        words = [*(old[number] for number in lost), *typed]
        words += [line for part in parts if part.definition in edited and part.is_of_type for line in part.lines]
        mentioned = set(_WORD.findall("\n".join(words)))
        wrong: list[str] = []
        for error in _errors(self.snapshot):
            if error.span is None:
                wrong.append(f"{error.code}: {error.message}")
                continue
            at = self.snapshot.text.count("\n", 0, error.span.start)
            origin = origins[at]
            if origin is None:
                continue
            part = parts[origin] if origin < len(parts) else None
            if part in edited or (part is not None and part.definition in unbalanced):
                continue
            # What the line before lacks, since another thing follows it now, is said there.
            near = at + 1 < len(origins) and origins[at + 1] is None and error.span.end >= self._line_end(at)
            after = at + 1 < len(origins) and origins[at + 1] != origin + 1
            if near or (after and error.span.end >= self._line_end(at)):
                continue
            has_type = any(other.is_of_type for other in edited)
            follows = error.code in _FOLLOWS and (part in felt or has_type)
            if error.code == "wrong-pattern" and part is not None:  # it follows from what is matched
                follows |= part.around in felt
            if error.code == "cannot-infer-type" and part is not None:
                uses = names_in([*(old[at] for at in lost), *typed]).union(*[other.names for other in felt])
                follows |= not part.bound(inside=False).isdisjoint(uses)
            if error.code == "missing-value" and lines[at].lstrip().startswith("}"):
                follows = any(other.around is part for other in edited)
            if _UNDEFINED.match(error.code):
                word = self.snapshot.text[error.span.start : error.span.end]
                follows = word in (bound if word.startswith("%") else mentioned)
            if not follows:
                wrong.append(f"{error.code}: {error.message} at line {at} {lines[at]!r}")
        return wrong

    def _has_other_braces(self, lost: Sequence[int], new: Sequence[int]) -> bool:
        """Whether braces were lost, or pasted with whole lines, that do not match: nothing tells what they were of."""
        before = _BRACE.findall(_LINE_COMMENT.sub("", "\n".join(self.text.lines[number] for number in lost)))
        after = _BRACE.findall(_LINE_COMMENT.sub("", "\n".join(self.lines[number] for number in new)))
        return before != after and not (_do_match(before) and (_do_match(after) or not self.has_lines))

    def _line_end(self, number: int) -> int:
        lines = self.lines
        return sum(len(line) + 1 for line in lines[:number]) + len(lines[number].rstrip())

    def _part_near(self, number: int, step: int) -> Part | None:
        while 0 <= number < len(self.origins):
            origin = self.origins[number]
            if origin is not None:
                return self.text.parts[origin] if origin < len(self.text.parts) else None
            number += step
        return None


def _do_match(braces: Iterable[str]) -> bool:
    """Whether all of some braces match."""
    depths = list(accumulate([1 if brace == "{" else -1 for brace in braces], initial=0))
    return min(depths) == 0 == depths[-1]


def run_several(seed: int, kinds: Sequence[str] = ()) -> str | None:
    """Edit a text without errors in several steps; what is wrong elsewhere after one of them."""
    chance = random.Random(seed)
    text = _any_text(chance)
    edited = _Edited(text)
    kind = chance.choice(kinds or tuple(_KINDS))
    done: list[str] = []
    for _ in _KINDS[kind](chance, edited):
        done.append(edited.last)
        wrong = edited.wrong()
        if wrong:
            steps = "\n".join(done[-3:])
            return f"{seed} ({kind}): {steps}\nin\n{edited.snapshot.text}\n" + "\n".join(wrong)
    if chance.random() < 0.1:
        offset = chance.randint(0, len(edited.snapshot.text))
        problem = difference(edited.snapshot, Snapshot.open(edited.snapshot.text, "any.relay"), offset, whole=True)
        if problem is not None:
            return f"{seed} ({kind}): {problem}"
    return None


_TYPED: Final = (
    "%98765 = nn.relu(%x);",
    "let %typed = nn.relu(%x);",
    "let %typed: Tensor[(1, 8), float32] = add(%x, 1f) /* ty=Tensor[(1, 8), float32] */;",
    "%98765 = (%x, %y).0;",
    '%98765 = cast(%x, dtype="int8") /* ty=int8 */;',
    "%98765 = meta[relay.Constant][0];",
    "let %typed = if (%c) { %x } else { nn.relu(%x) };",
    "%98765 = fn (%q: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] { nn.relu(%q) };",
    "let %typed = match (%x) { Some(%w) => %w, None => %x };",
    "let %typed = let %inner = exp(%x); %inner;",
    "%98765 = @main(%x);",
    "let %typed = ref(%x);",
    "%98765 = add(\n  %x,\n  %y\n);",
    "let %typed = fn (%q) {\n  let %w = nn.relu(%q);\n  %w\n};",
    "// a note",
    "/* a note */",
)


_TYPED_ARMS: Final = ("Some(%w) => nn.relu(%w),", "Pair(%v, Nil) => {\n  let %w = nn.relu(%v);\n  %w\n},", "_ => %x,")
_TYPED_CONSTRUCTORS: Final = ("Other(A, Maybe[A]),", "Single,", "Many(Tensor[(1, 8), float32], (int32, fn (A) -> A)),")
_TYPED_DEFINITIONS: Final = (
    "def @typed(%x: Tensor[(1, 8), float32], %y) -> Tensor[(1, 8), float32] {\n  %0 = nn.relu(%x);\n  add(%0, %y)\n}",
    'def @typed[A](%x: A, Primitive=1, Compiler="ccompiler") -> A { %x }',
    "type Typed[A] {\n  First(A),\n  Second,\n}",
    "type Typed { First(int32), Second }",
    "extern type Typed",
    "/* a note\n   on two lines */",
    "// a note",
)
_TYPED_INSIDE: Final = (
    "%new: Tensor[(1, 8), float32], ",
    "%new, ",
    'name="a", ',
    "(%x, 1f).0, ",
    "@main(%x), ",
    "meta[relay.Constant][0], ",
    "if (%c) { %x } else { %x }, ",
    "fn (%x: int32) { %x }, ",
    "/* a note */ ",
)


def _statement_lines(edited: _Edited) -> list[int]:
    """The lines inside of functions that are no closing brace."""
    lines, parts = edited.text.lines, edited.text.parts
    return [
        number
        for number in range(1, len(parts))
        if parts[number].around is not None
        and lines[number].strip()
        and lines[number].lstrip()[0] != "}"
        and not parts[number].is_of_type
    ]


def _typed(chance: random.Random, edited: _Edited) -> Iterator[None]:
    """A statement is typed above another, key by key; or an arm, a constructor or a definition above one of these."""
    places = [number for number in range(1, len(edited.text.parts)) if _can_type_above(edited.text, number)]
    if not places:
        return
    number = chance.choice(places)
    part, line = edited.text.parts[number], edited.text.lines[number]
    typed = _TYPED
    if part.around is None:
        typed = _TYPED_DEFINITIONS
    elif part.is_of_type:
        typed = _TYPED_CONSTRUCTORS
    elif "=>" in line and "match" not in line:
        typed = _TYPED_ARMS
    indent = line[: len(line) - len(line.lstrip())]
    edited.edit(number, 0, number, 0, f"{indent}\n")
    yield
    column = len(indent)
    for key in chance.choice(typed).replace("\n", f"\n{indent}"):
        edited.edit(number, column, number, column, key)
        number, column = (number + 1, 0) if key == "\n" else (number, column + 1)
        yield


def _can_type_above(text: _Text, number: int) -> bool:
    line = text.lines[number]
    return line.strip() not in ("", "}") and line.lstrip()[0] not in "}#"


def _parameter(chance: random.Random, edited: _Edited) -> Iterator[None]:
    """A parameter or an attribute is typed in a head, or an argument in a call, key by key."""
    lines = edited.text.lines
    places = [
        (number, match.end())
        for number, line in enumerate(lines[: len(edited.text.parts)])
        for match in re.finditer(r"\(|, ", line)
    ]
    if not places:
        return
    number, column = chance.choice(places)
    for key in chance.choice(_TYPED_INSIDE):
        edited.edit(number, column, number, column, key)
        column += 1
        yield


def _typed_in_place(chance: random.Random, edited: _Edited) -> Iterator[None]:
    """The value of a statement is deleted from its end, and typed anew, key by key."""
    lines = edited.text.lines
    places = [number for number in _statement_lines(edited) if len(lines[number].strip()) > 3]
    if not places:
        return
    number = chance.choice(places)
    line = lines[number]
    indent = len(line) - len(line.lstrip())
    equals = line.find("=", indent)
    start = equals + 1 if equals >= 0 and chance.random() < 0.6 else indent
    edited.edit(number, start, number, len(line), "")
    yield
    for column in range(start, len(line)):
        edited.edit(number, column, number, column, line[column])
        yield


def _two(chance: random.Random, edited: _Edited) -> Iterator[None]:
    """Two places are incomplete at once."""
    for _ in range(2):
        places = [
            number
            for number, origin in enumerate(edited.origins)
            if origin in _statement_lines(edited) and len(edited.lines[number].strip()) > 1
        ]
        if not places:
            return
        number = chance.choice(places)
        line = edited.lines[number]
        indent = len(line) - len(line.lstrip())
        if chance.random() < 0.5:
            typed = chance.choice(_TYPED).replace("\n", "\n" + " " * indent)
            typed = typed[: chance.randint(1, len(typed))]
            edited.edit(number, indent, number, indent, f"{typed}\n{' ' * indent}")
        elif chance.random() < 0.5:
            at = chance.randrange(indent, len(line))
            edited.edit(number, at, number, at, chance.choice(MARKS))
        else:
            at = chance.randrange(indent, len(line))
            if set(line[at:]) & set("{}"):
                continue
            edited.edit(number, at, number, len(line), "")
        yield


def _line(chance: random.Random, edited: _Edited) -> Iterator[None]:
    """One line is edited, of a head or a data type, too."""
    lines = edited.text.lines
    places = [number for number in range(1, len(edited.text.parts)) if lines[number].strip() not in ("", "}")]
    number = chance.choice([number for number in places if lines[number].lstrip()[0] not in "}#"])
    first, end, new = random_edit_of(chance, lines[number])
    edited.has_lines = True
    edited.edit(number, first, number, end, new)
    yield


def _block(chance: random.Random, edited: _Edited, *, whole: bool) -> tuple[int, int] | None:
    """Some lines of a function: whole statements, or any but its head and its last brace."""
    lines, parts = edited.text.lines, edited.text.parts
    places = [number for number, part in enumerate(parts) if part.around is not None and lines[number].strip()]
    if not places:
        return None
    first = chance.choice(places)
    count = chance.choice((1, 1, 2, 3, 5, 9))
    if not whole:
        end = first + 1
        while end < first + count and parts[end].around is not None:
            end += 1
        return first, end
    statement, around = parts[first], parts[first].around
    assert around is not None
    first = parts.index(statement)
    end = first + 1
    while _within(parts[end], around) and (count > 1 or parts[end] is statement or _within(parts[end], statement)):
        count -= parts[end] is not statement and not _within(parts[end], statement)
        statement = statement if parts[end] is statement or _within(parts[end], statement) else parts[end]
        end += 1
    return first, end


def _within(part: Part | None, around: Part) -> bool:
    """Whether a part stands in the braces of another."""
    while part is not None and part is not around:
        part = part.around
        if part is around:
            return True
    return False


def _pasted(chance: random.Random, edited: _Edited) -> Iterator[None]:
    """Lines are pasted above another one."""
    lines = edited.text.lines
    block = _block(chance, edited, whole=chance.random() < 0.6)
    places = _statement_lines(edited)
    if not places or block is None:
        return
    first, end = block
    at = chance.choice(places)
    edited.has_lines = True
    edited.edit(at, 0, at, 0, "".join(f"{line}\n" for line in lines[first:end]))
    yield


def _cut(chance: random.Random, edited: _Edited) -> Iterator[None]:
    """Lines are cut."""
    block = _block(chance, edited, whole=chance.random() < 0.6)
    if block is not None:
        first, end = block
        edited.has_lines = True
        edited.edit(first, 0, end, 0, "")
        yield


_KINDS: Final = {
    "typed": _typed,
    "typed inside": _parameter,
    "typed in place": _typed_in_place,
    "two": _two,
    "pasted": _pasted,
    "cut": _cut,
    "line": _line,
}
