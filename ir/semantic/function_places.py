"""Where the names of functions stand, kept from one text to the one after an edit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple, cast

from ..syntax.segment_list import Segments
from .module_analysis import AnalysedFunction, ModuleAnalysis

__all__ = ["function_places"]


class _KnownPlaces(NamedTuple):
    """The functions of a text that have names: the segments of their heads, the names, and where these begin."""

    segments: Segments
    indices: Sequence[int]
    places: Sequence[tuple[str, int]]


def function_places(analysis: ModuleAnalysis, names: Collection[str]) -> Sequence[tuple[str, int]]:
    """Those of some names that are those of functions of a module, and where they begin, in order.

    No symbol is made: a module may have a thousand functions that ``@main`` does not call. Where this was asked of the
    text before an edit, what lies before the edit is the same objects.
    """
    return [place for place in _all_places(analysis) if place[0] in names]


def _all_places(analysis: ModuleAnalysis) -> Sequence[tuple[str, int]]:
    segments, functions, memo = analysis.segments, analysis.functions, analysis.text_memo
    known = cast("_KnownPlaces | None", memo.get(_KnownPlaces))
    indices: list[int] = []
    places: list[tuple[str, int]] = []
    first, last, behind = 0, len(functions), len(segments)
    if known is not None:
        same = segments.common_beginning(known.segments)
        kept = bisect_left(known.indices, same)
        indices += known.indices[:kept]
        places += known.places[:kept]
        first = bisect_left(functions, same + 1, key=_start)
        behind -= min(segments.common_end(known.segments), len(segments) - same, len(known.segments) - same)
        last = bisect_left(functions, behind + 1, first, key=_start)
    later = [each for each in islice(functions, first, last) if each.name and not each.head.has_nul]
    heads = [function.start - 1 for function in later]
    for function, start in zip(later, segments.starts(heads), strict=True):
        places.append((function.name, start + function.head.name_span.start))
    indices += heads
    if known is not None:  # from here on the heads are the same, further on
        by, further = len(segments) - len(known.segments), segments.length - known.segments.length
        kept = bisect_left(known.indices, behind - by)
        indices += [index + by for index in known.indices[kept:]]
        places += [(name, start + further) for name, start in known.places[kept:]]
    memo[_KnownPlaces] = _KnownPlaces(segments, indices, places)
    return places


def _start(function: AnalysedFunction) -> int:
    return function.start
