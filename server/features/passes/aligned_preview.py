"""Two texts of a preview, laid out so that what passes made stands beside what they made it of.

An editor compares texts by their lines, and puts a statement that a pass took into a function far from that function.
Here both texts become a sequence of blocks, each below a comment that is the same on both sides and in no other block:
an editor that compares them lays the blocks side by side. Between the blocks stand the statements that stay; of many of
them, only the first and the last. Definitions of types that stay, of which importers write dozens, are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby

from relay_lsp.ir.syntax.cuts import Role
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["AlignedTexts", "Correspondence", "aligned_texts", "correspondences"]

Origins = Sequence[tuple[int, int, Sequence[tuple[int, int]]]]
"""For ranges of the text after a step (start, end), the ranges of the text before it that they came from."""

_STAYING_SHOWN = 2
"""How many of the statements that stay are shown before and after a block."""

_LONG_HEAD = 400
"""How many characters the head of a function may have that is shown though it stays."""

_MOST_NAMES = 6
"""How many names the comment above a block gives for each side."""

_HEAD = re.compile(r"\bdef\s+(@[\w.]+)")
_BINDER = re.compile(r"\s*(?:let\s+)?(%[\w.]+)\s*(?::[^=]*)?=")
_GRAPH_NAME = re.compile(r"%\d+")
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Correspondence:
    """A value of the text after, where in the text before its sources stand, and the passes that made it: none where
    it stays as it was."""

    span: TextSpan
    sources: Sequence[TextSpan]
    passes: Sequence[str]


def correspondences(
    steps: Sequence[Origins], made: Mapping[tuple[int, int], Sequence[str]]
) -> Iterator[Correspondence]:
    """What the values of the last text came from in the first; ``made`` has the passes that made some of them."""
    known: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for number, origins in enumerate(steps):
        sources: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for start, end, places in origins:
            firsts = [places] if number == 0 else [known.get(place, ()) for place in places]
            sources[start, end] = {place for each in firsts for place in each}
        known = sources
    for (start, end), places in known.items():
        spans = [TextSpan(*place) for place in sorted(places)]
        yield Correspondence(TextSpan(start, end), spans, made.get((start, end), ()))


@dataclass(frozen=True)
class AlignedTexts:
    """What an editor shows side by side, and where the lines of the texts stand in it."""

    before: str
    after: str
    before_lines: Sequence[int]
    """For each line of the text before its line in the aligned one, counted from 0; -1 where it is left out."""
    after_lines: Sequence[int]
    """The same for the text after."""
    functions: Sequence[str]
    """The functions in which something changes, such as ``@main``, in order."""


@dataclass(slots=True)
class _Unit:
    """Whole lines with a statement, a head, or a brace; the lines from ``first`` to before ``end``."""

    first: int
    end: int
    role: Role
    text: str
    function: str

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for statements that differ in numbers of graph variables and comments alone, and for heads."""
        if self.role is not Role.STATEMENT:
            return self.role.value, self.function, ""
        words = _GRAPH_NAME.sub("%", _COMMENT.sub("", self.text))
        return self.role.value, self.function, " ".join(words.split())

    @property
    def name(self) -> str:
        """What it binds, or what it is the value of."""
        binder = self._binder
        return binder[1] if binder else "the result"

    @property
    def binds(self) -> bool:
        """Whether it gives a value a name."""
        return self._binder is not None

    @property
    def _binder(self) -> re.Match[str] | None:
        return _BINDER.match(_COMMENT.sub("", self.text))


@dataclass(slots=True)
class _Block:
    """Units of both texts that stand beside one another."""

    old: list[_Unit]
    new: list[_Unit]
    changes: bool = True
    passes: tuple[str, ...] = ()
    root: int | None = None
    """The same for blocks that were made of the same, of which the first has that beside it."""

    @property
    def functions(self) -> Iterator[str]:
        return (unit.function for unit in (*self.new, *self.old))


class _Text:
    """The units of a text."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))[:-1]
        self.units = list(self._units(text))
        self._firsts = [unit.first for unit in self.units]

    def _units(self, text: str) -> Iterator[_Unit]:
        offset, following, function = 0, 0, ""
        unit: _Unit | None = None
        for segment in split(text):
            words = segment.text.strip()
            end = offset + len(segment.text.rstrip())
            offset += len(segment.text)
            if segment.role is Role.HEADER and (head := _HEAD.search(segment.text)):
                function = head[1]
            last = self.line(max(end - 1, 0)) + 1
            if not words or last <= following:
                continue  # blanks, or what shares its last line with the unit before
            if unit is not None:
                yield unit
            unit = _Unit(following, last, segment.role, words, function)
            following = last
        if unit is not None:
            unit.end = len(self.lines)
            yield unit

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def index_at(self, offset: int) -> int:
        """The number of the unit at an offset."""
        return max(bisect_right(self._firsts, self.line(offset)) - 1, 0)


@dataclass(slots=True)
class _Links:
    """Which units of both texts belong together; those of the text before have negative numbers."""

    parents: dict[int, int] = field(default_factory=dict[int, int])
    passes: dict[int, dict[str, None]] = field(default_factory=dict[int, dict[str, None]])

    def root(self, unit: int) -> int:
        while (parent := self.parents.setdefault(unit, unit)) != unit:
            self.parents[unit] = self.parents[parent]
            unit = parent
        return unit

    def join(self, one: int, other: int) -> None:
        self.parents[self.root(one)] = self.root(other)


def aligned_texts(before: str, after: str, values: Iterable[Correspondence], function: str = "") -> AlignedTexts:
    """Lay out both texts; with a ``function``, only what stands in it before or after."""
    old, new = _Text(before), _Text(after)
    blocks = list(_blocks(old, new, values))
    functions = dict.fromkeys(name for block in blocks if block.changes for name in block.functions if name)
    if function:
        blocks = [block for block in blocks if function in block.functions]
    return _laid_out(old, new, blocks, list(functions))


def _blocks(old: _Text, new: _Text, values: Iterable[Correspondence]) -> Iterator[_Block]:
    links = _links(old, new, values)
    sources: dict[int, list[int]] = defaultdict(list)
    for number in range(len(old.units)):
        if ~number in links.parents:
            sources[links.root(~number)].append(number)
    partners = _partners(old, new, links)
    kept = set(partners.values())
    gone = deque(number for number in range(len(old.units)) if ~number not in links.parents and number not in kept)

    def gone_before(numbers: Sequence[int]) -> Iterator[_Block]:
        units: list[_Unit] = []
        while gone and numbers and gone[0] < min(numbers):
            units.append(old.units[gone.popleft()])
        if units:
            yield _Block(units, [])

    def root_of(number: int) -> int | None:
        return links.root(number) if number in links.parents else None

    for root, numbers in _gathered(new.units, root_of):
        if root is not None:
            # What it was made of stands beside the first of what was made of it.
            before = sources.pop(root, [])
            yield from gone_before(before)
            there, here = [old.units[number] for number in before], [new.units[number] for number in numbers]
            stays = [unit.key for unit in there] == [unit.key for unit in here]
            passes = tuple(links.passes.get(root, ())) if not stays else ()
            yield _Block(there, here, not stays, passes, root)
            continue
        (number,) = numbers
        partner = partners.get(number)
        yield from gone_before([partner] if partner is not None else [])
        beside = [old.units[partner]] if partner is not None else []
        yield _Block(beside, [new.units[number]], partner is None)
    yield from gone_before([len(old.units)])


def _gathered(
    units: Sequence[_Unit], root_of: Callable[[int], int | None]
) -> Iterator[tuple[int | None, Sequence[int]]]:
    """The numbers of the units that stand below one another, with their root: one where it has none.

    What was made of the same stands together, such as a fused function and its call, in the order of the text. Where
    statements end, at a brace or at a head, what follows stays there; so does the value of a function, at its end.
    """
    groups: list[tuple[int | None, list[int]]] = []
    by_root: dict[int, list[int]] = {}
    for number, unit in enumerate(units):
        root = root_of(number)
        if unit.role is not Role.STATEMENT:
            by_root.clear()
        group = by_root.get(root) if root is not None else None
        if group is not None and (unit.binds or group is groups[-1][1]):
            group.append(number)
            continue
        groups.append((root, [number]))
        if root is not None:
            by_root[root] = groups[-1][1]
    yield from groups


def _links(old: _Text, new: _Text, values: Iterable[Correspondence]) -> _Links:
    links = _Links()
    made: dict[int, dict[str, None]] = defaultdict(dict)
    for value in values:
        number = new.index_at(value.span.start)
        if new.units[number].role is not Role.STATEMENT:
            continue
        made[number].update(dict.fromkeys(value.passes))
        if value.passes:
            links.root(number)
        for source in value.sources:
            origin = old.index_at(source.start)
            if old.units[origin].role is Role.STATEMENT:
                links.join(~origin, number)
    for number, passes in made.items():
        links.passes.setdefault(links.root(number), {}).update(passes)
    return links


def _partners(old: _Text, new: _Text, links: _Links) -> dict[int, int]:
    """For each unit that no pass made the one of the text before that says the same."""
    waiting: dict[tuple[str, str, str], deque[int]] = defaultdict(deque)
    for number, unit in enumerate(old.units):
        if ~number not in links.parents:
            waiting[unit.key].append(number)
    partners: dict[int, int] = {}
    for number, unit in enumerate(new.units):
        if number not in links.parents and (numbers := waiting.get(unit.key)):
            partners[number] = numbers.popleft()
    return partners


def _laid_out(old: _Text, new: _Text, blocks: Sequence[_Block], functions: Sequence[str]) -> AlignedTexts:
    before, after = _Side(old), _Side(new)
    count = 0
    firsts: dict[int, int] = {}
    for role, run in groupby(blocks, key=_role_that_stays):
        group = list(run)
        shown = _STAYING_SHOWN if role is Role.STATEMENT else 0
        hidden = len(group) - 2 * shown
        for index, block in enumerate(group):
            if role is not None and hidden > 1 and shown <= index < shown + hidden:
                if index == shown:
                    function = block.new[0].function or "the text"
                    is_inside = role is Role.STATEMENT
                    what = f"statements of {function}" if is_inside else "type definitions"
                    words = f"{'  ' if is_inside else ''}// … {hidden:,} {what} stay"
                    before.write(words)
                    after.write(words)
                continue
            if (head := _short_head(block)) is not None:
                before.write(head)
                after.write(head)
                continue
            if block.changes:
                count += 1
                first = count if block.root is None else firsts.setdefault(block.root, count)
                words = f"  // {count}. {_heading(block)}{f' (made of the same as {first})' if first != count else ''}"
                before.write(words)
                after.write(words)
            before.take(block.old)
            after.take(block.new)
    return AlignedTexts(before.text, after.text, before.rows, after.rows, functions)


def _role_that_stays(block: _Block) -> Role | None:
    """Statements and definitions of types that stay, of which a run is left out; ``None`` for what is shown."""
    if block.changes:
        return None
    new = block.new[0]
    if new.role is Role.TYPE:
        return new.role if [unit.text for unit in block.old] == [new.text] else None
    return new.role if new.role is Role.STATEMENT else None


def _short_head(block: _Block) -> str | None:
    """A line for the long head of a function that stays as it is; ``None`` for what is shown."""
    if block.changes or not block.new or not block.old or block.new[0].role is not Role.HEADER:
        return None
    text = block.new[0].text
    if text != block.old[0].text or len(text) < _LONG_HEAD:
        return None
    return f"def {block.new[0].function}(/* … the parameters stay */) {{"


def _heading(block: _Block) -> str:
    passes = f"{', '.join(block.passes)}: " if block.passes else ""
    if not block.new:
        return f"{passes}{_names(block.old)} gone"
    return f"{passes}{_names(block.old)}{' ' if block.old else ''}→ {_names(block.new)}"


def _names(units: Sequence[_Unit]) -> str:
    names = list(dict.fromkeys(unit.name for unit in units))
    more = [f"… ({len(names)})"] if len(names) > _MOST_NAMES else []
    return ", ".join(names[:_MOST_NAMES] + more)


class _Side:
    """One of the aligned texts, as it is written."""

    def __init__(self, text: _Text) -> None:
        self._source = text
        self._lines: list[str] = []
        self.rows = [-1] * len(text.lines)

    def write(self, line: str) -> None:
        self._lines.append(line)

    def take(self, units: Sequence[_Unit]) -> None:
        for unit in units:
            for number in range(unit.first, unit.end):
                self.rows[number] = len(self._lines)
                self._lines.append(self._source.lines[number])

    @property
    def text(self) -> str:
        return "\n".join(self._lines)
