"""Functions that are written alike, but for some names: what is found out about one holds for all.

A function that is read as a whole takes ten times as long as one that is typed by its statements, and a text may have
ten thousand that differ in the functions that they call alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..syntax.lexer import NAME_PATTERN
from ..syntax.statements import Segment
from ..syntax.tokens import GLOBAL, GRAPH
from .heads import Head
from .statement_likeness import pattern_of

__all__ = ["FunctionWords", "function_words"]

_LONGEST: Final = 2_000
"""Characters of a function behind its head that is compared with others."""

_FUNCTION: Final = re.compile(f"(@{NAME_PATTERN})")
_FUNCTION_OR_GRAPH: Final = re.compile(f"(@{NAME_PATTERN}|%[0-9]+)")


class FunctionWords(NamedTuple):
    """The functions that a function names, perhaps its graph variables, and all that its meaning depends on besides.

    The ``names`` stand in the order of the text, each once. Functions are told apart by what is known of them: of two
    whose heads differ in their names alone it is the same.
    """

    names: Sequence[str]
    others: object


def function_words(
    statements: Sequence[Segment], head: Head, heads: Mapping[str, Head], context: object, *, with_graph: bool = False
) -> FunctionWords | None:
    """The words of a function; ``None`` where they do not tell all, or it is long.

    ``statements`` are those behind its head. ``context`` is what else its meaning depends on. Graph variables are among
    its names ``with_graph``; else they count as they are written.
    """
    text = "".join([segment.text for segment in statements])
    if len(text) > _LONGEST or head.segment.kinds.count(GLOBAL) > 1:
        return None
    pieces = (_FUNCTION_OR_GRAPH if with_graph else _FUNCTION).split(text)
    kinds = [segment.kinds for segment in statements]
    written = pieces[1::2]
    if len(written) != sum([each.count(GLOBAL) + (each.count(GRAPH) if with_graph else 0) for each in kinds]):
        return None  # there are such names in comments or strings
    names = tuple(dict.fromkeys(written))
    known: list[object] = []
    for name in names:
        if name[0] == "@":
            other = heads.get(name)
            if other is None:
                return None  # which was meant depends on all names
            known.append(head is other or other.likeness)
        elif name in head.parameters or (name[1] == "0" and len(name) > 2):
            return None  # ``%01`` is ``%1``, which their texts do not tell
    shape = [(segment.role, segment.is_short, segment.is_far_sighted) for segment in statements]
    others = (head.likeness, tuple(pieces[::2]), pattern_of(written), *known, *kinds, *shape, context)
    return FunctionWords(names, others)
