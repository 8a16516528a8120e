"""Axes given as attributes: counted from the front, checked against the rank."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..types import TensorType
from .operator import RelationError
from .shapes import in_words

__all__ = ["MOST_DIMENSIONS", "reduced_axes", "require_axes", "require_axis", "require_few_dimensions"]

MOST_DIMENSIONS: Final = 1_000
"""How many dimensions the result of an operator may have: a number in a text may ask for a thousand million."""


def require_few_dimensions(count: int, *, argument: int | None = None, attribute: str | None = None) -> int:
    """``count``, where a result may have so many dimensions.

    Raises:
        RelationError: it is more than :data:`MOST_DIMENSIONS`.
    """
    if count > MOST_DIMENSIONS:
        message = f"the result has {count:,} dimensions, and it may have {MOST_DIMENSIONS:,} at most"
        raise RelationError(message, argument=argument, attribute=attribute)
    return count


def require_axis(axis: int, data: TensorType, attribute: str = "axis", name: str = "data", extra: int = 0) -> int:
    """``axis`` counted from the front; ``extra`` axes more than ``data`` has are allowed, as where one is inserted.

    Raises:
        RelationError: there is no such axis.
    """
    rank = data.ndim + extra
    if not -rank <= axis < rank:
        accepted = f"it must lie in [{-rank}, {rank})" if rank else "a scalar has no axis"
        raise RelationError(
            f"{attribute} {axis} is out of range for {name} with {data.ndim} dimensions {in_words(data.shape)}: "
            f"{accepted}",
            attribute=attribute,
        )
    return int(axis) + rank if axis < 0 else int(axis)


def require_axes(axes: Iterable[int], data: TensorType, attribute: str = "axis", name: str = "data") -> list[int]:
    """Every one of ``axes`` counted from the front, in their order.

    Raises:
        RelationError: one of them is out of range.
    """
    return [require_axis(axis, data, attribute, name) for axis in axes]


def reduced_axes(axes: tuple[int, ...] | None, exclude: bool, rank: int) -> tuple[int, ...]:
    """The axes that a reduction runs over, ascending; none given means all, ``exclude`` those that are not given.

    The axes given must be in range. An axis given twice comes twice.

    Source of the rule: ``src/relay/op/tensor/reduce.cc`` (``GetReduceAxes``).
    """
    if not axes:
        return tuple(range(rank))
    given = sorted(int(axis) + rank if axis < 0 else int(axis) for axis in axes)
    if not exclude:
        return tuple(given)
    return tuple(axis for axis in range(rank) if axis not in given)
