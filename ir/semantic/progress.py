"""How far an analysis has come: an edit that reaches far is shown where it was made before all of it is settled."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from .module_analysis import ModuleAnalysis

__all__ = ["PartialAnalysis", "Progress", "nothing_yet"]


class PartialAnalysis(NamedTuple):
    """An analysis of which some segments are not settled: there, types may be those of before, and nothing is reported.

    Of values that nothing uses it knows only if it ``knows_uses``. ``open_head`` is the segment of a head whose
    parameters have types that statements tell, which are not settled either.
    """

    analysis: ModuleAnalysis
    knows_uses: bool = True
    open_head: int | None = None


Progress: TypeAlias = "Callable[[Callable[[], PartialAnalysis | None]], None]"
"""Called again and again while an edit is followed that reaches far, with what gives the analysis as far as it has come
(``None`` where no part of it can be shown). It may raise :class:`.WorkCancelled`."""


def nothing_yet() -> PartialAnalysis | None:
    """What is known where no part of a function can be shown before all of it is analyzed."""
    return None
