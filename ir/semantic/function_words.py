"""Functions that are written alike, but for the names of functions: what is found out about one holds for all.

A function that is read as a whole takes ten times as long as one that is typed by its statements, and a text may have
ten thousand that differ in the functions that they call alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..syntax.lexer import NAME_PATTERN
from ..syntax.statements import Segment
from ..syntax.tokens import GLOBAL
from .heads import Head

__all__ = ["FunctionWords", "function_words"]

_LONGEST: Final = 2_000
"""Characters of a function that is compared with others."""

_FUNCTION: Final = re.compile(f"@{NAME_PATTERN}")


class FunctionWords(NamedTuple):
    """The functions that a function names, its own name first, and all that its meaning depends on besides the names.

    Functions are told apart by what is known of them: of two whose heads differ in their names alone it is the same.
    """

    functions: Sequence[str]
    others: object


def function_words(
    segments: Sequence[Segment], head: Head, heads: Mapping[str, Head], context: object
) -> FunctionWords | None:
    """The words of a function from its head on; ``None`` where they do not tell all, or it is long.

    ``context`` is what else its meaning depends on.
    """
    if sum([segment.length for segment in segments]) > _LONGEST:
        return None
    text = "".join([segment.text for segment in segments])
    written = _FUNCTION.findall(text)
    if len(written) != sum([segment.kinds.count(GLOBAL) for segment in segments]):
        return None  # there are such names in comments or strings
    places: dict[str, int] = {}
    for name in written:
        places.setdefault(name, len(places))
    known: list[object] = []
    for name in places:
        other = heads.get(name)
        if other is None:
            return None  # which was meant depends on all names
        known.append(head is other or other.likeness)
    shape = [(segment.kinds, segment.role, segment.is_short) for segment in segments]
    pattern = tuple([places[name] for name in written])
    return FunctionWords(tuple(places), (head.likeness, _FUNCTION.sub("@", text), pattern, *known, *shape, context))
