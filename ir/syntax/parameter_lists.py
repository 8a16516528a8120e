"""The parameters of a long head, each parsed by itself.

A network has hundreds of parameters of a few shapes. Those that are whole are taken out of the head before it is
parsed: what is left has the same faults in the same places, and costs the same however long the list is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, overload

from .blocks import Statement
from .shapes import ShapeNode, shape_of
from .tokens import DEF, GLOBAL, LOCAL, NAME

__all__ = ["ListedParameters", "ShortenedHead", "shortened_head"]

_FEWEST: Final = 16
"""A head with fewer parameters is parsed as it is."""

_START: Final = re.compile(rf"{DEF}{GLOBAL}(?:\[[{NAME},]*\])?\(")
_ELEMENT: Final = re.compile(f"{LOCAL}[^{LOCAL}]*")
"""A parameter and what follows it, up to the next one: there are no local names in a type."""

_ENDS_PARAMETERS: Final = ")}{="
"""What, before the first parameter, would be the end of the list, or an attribute, behind which no parameter stands."""


class ListedParameters(Sequence[Statement]):
    """Parameters of a long head, each of which is a statement by itself, that is made when it is first asked for.

    ``elements`` are the kinds of each with those of the comma behind it, ``firsts`` its first token, and ``roots`` what
    is read of the elements.
    """

    __slots__ = ("_made", "elements", "firsts", "roots")

    def __init__(self, elements: Sequence[str], firsts: Sequence[int], roots: Mapping[str, ShapeNode | None]) -> None:
        self.elements: Final = elements
        self.firsts: Final = firsts
        self.roots: Final = roots
        self._made: Final[dict[int, Statement]] = {}

    def __len__(self) -> int:
        return len(self.firsts)

    def moved(self, by: int) -> ListedParameters:
        """The same, that many tokens further on."""
        return ListedParameters(self.elements, [first + by for first in self.firsts], self.roots) if by else self

    @overload
    def __getitem__(self, index: int) -> Statement: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Statement]: ...

    def __getitem__(self, index: int | slice) -> Statement | Sequence[Statement]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        made = self._made.get(number)
        if made is None:
            element, first = self.elements[number], self.firsts[number]
            kinds, tokens = element[:-1], range(first, first + len(element) - 1)
            made = self._made[number] = Statement(self.roots[element], kinds, tokens, {})
        return made


class ShortenedHead(NamedTuple):
    """A head without those of its parameters that are ``listed``; ``tokens`` are those of its ``kinds``."""

    kinds: str
    tokens: Sequence[int]
    listed: ListedParameters


@lru_cache(maxsize=4)  # most keys in a head change no kinds: a letter of a name, a digit of a size
def shortened_head(kinds: str) -> ShortenedHead | None:
    """A head without most of its parameters; ``None`` where it has few, or begins otherwise than a head does.

    The first two stay, since a list needs its comma after the first element alone; so does the last one, and what is
    broken, with the parameter behind it: that is where its fault may show. What is typed before the first stays, too.
    """
    start = _START.match(kinds)
    if start is None or kinds.count(LOCAL, start.end()) < _FEWEST:
        return None
    first = kinds.index(LOCAL, start.end())
    if not set(kinds[start.end() : first]).isdisjoint(_ENDS_PARAMETERS):
        return None
    kept: list[str] = [kinds[:first]]
    tokens = list(range(first))
    listed: list[str] = []
    firsts: list[int] = []
    roots: dict[str, ShapeNode | None] = {}
    stays = 2
    elements = _ELEMENT.findall(kinds, first)
    last = len(elements) - 1
    for number, element in enumerate(elements):
        end = first + len(element)
        if element in roots:
            root = roots[element]
        else:
            root = roots[element] = shape_of("parameter", element[:-1]).root if element[-1] == "," else None
        if root is None:
            # Behind an attribute no parameter may stand: each is a fault.
            stays = len(elements) if "=" in element else max(stays - 1, 1 if number else 2)
        elif stays or number == last:
            stays = max(stays - 1, 0)
        else:
            listed.append(element)
            firsts.append(first)
            first = end
            continue
        kept.append(element)
        tokens += range(first, end)
        first = end
    return ShortenedHead("".join(kept), tuple(tokens), ListedParameters(listed, firsts, roots)) if listed else None
