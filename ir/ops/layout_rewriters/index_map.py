"""Maps from the indices of one tensor to those of another (``tir.IndexMap``), as far as numbers tell.

Source of the rule: ``src/tir/ir/index_map.cc`` (``MapShape``, ``MapNDArray``). Where a map spreads the elements over a
larger tensor, or the shape has an unknown dimension, TVM's arithmetic finds a shape; here that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, cast, runtime_checkable

import msgspec

from ...dimensions import DimCast, DimOperation, Shape, SizeVar, is_static
from ...expressions import NDArray
from ...lazy_numpy import later, np
from ..operator import RelationError
from ..shapes import in_words

__all__ = ["IndexMap"]

_ATTRIBUTE: Final = "index_map"

_OPERATIONS: Final[Mapping[str, Callable[[NDArray, NDArray], NDArray]]] = {
    "+": later.add,
    "-": later.subtract,
    "*": later.multiply,
    "//": later.floor_divide,
    "%": later.mod,
    "min": later.minimum,
    "max": later.maximum,
}


@runtime_checkable
class _Node(Protocol):
    """A node of the metadata section that has no class of its own."""

    type_key: str
    fields: Mapping[str, object]


class IndexMap(msgspec.Struct, frozen=True):
    """Index variables, and an expression over them for each index of the result."""

    initial: tuple[SizeVar, ...]
    final: tuple[object, ...]

    @staticmethod
    def of(value: object) -> IndexMap:
        """The map that an attribute holds.

        Raises:
            RelationError: it is no ``tir.IndexMap``.
        """
        if isinstance(value, _Node) and value.type_key == "tir.IndexMap":
            initial, final = value.fields.get("initial_indices"), value.fields.get("final_indices")
            if isinstance(initial, tuple) and isinstance(final, tuple):
                variables = cast("tuple[object, ...]", initial)
                if all(isinstance(variable, SizeVar) for variable in variables):
                    return IndexMap(cast("tuple[SizeVar, ...]", variables), cast("tuple[object, ...]", final))
        raise RelationError("index_map must be a tir.IndexMap of the metadata section", attribute=_ATTRIBUTE)

    def apply(self, shape: Sequence[int]) -> list[NDArray]:
        """For each index of the result its values over a tensor of ``shape``; axes that it leaves out have size 1.

        Raises:
            RelationError: the rank is another, or an index is computed in a way that is not known here.
        """
        if len(shape) != len(self.initial):
            raise RelationError(
                f"index_map takes {len(self.initial)} indices, but data has {len(shape)} dimensions", argument=0
            )
        grid = np.ogrid[tuple(slice(size) for size in shape)]
        known = dict(zip(self.initial, grid, strict=True))
        return [_values(index, known) for index in self.final]

    def map_shape(self, shape: Shape) -> Shape:
        """The shape of a tensor of ``shape`` after its elements were moved.

        Raises:
            RelationError: a dimension is not a number, or the map does not fill the result.
        """
        if not is_static(shape):
            raise RelationError(
                f"the dimensions of data {in_words(shape)} must be numbers, to be moved by an index map", argument=0
            )
        sizes = [int(size) for size in shape if isinstance(size, int)]
        moved = tuple(int(index.max(initial=-1)) + 1 for index in self.apply(sizes))
        if np.prod(moved, dtype=np.int64) != np.prod(sizes, dtype=np.int64):
            raise RelationError(
                f"index_map moves the elements of {in_words(shape)} into {in_words(moved)}, which has another number "
                "of elements: only a rearrangement can be computed here",
                attribute=_ATTRIBUTE,
            )
        return moved


def _values(index: object, known: Mapping[SizeVar, NDArray]) -> NDArray:
    """The values of an index expression."""
    values: list[NDArray] = []
    pending: list[tuple[object, bool]] = [(index, False)]
    while pending:
        expr, parts_are_known = pending.pop()
        if isinstance(expr, int):
            values.append(np.asarray(expr, np.int64))
        elif isinstance(expr, SizeVar) and expr in known:
            values.append(known[expr])
        elif isinstance(expr, DimCast):
            pending.append((expr.value, False))
        elif isinstance(expr, DimOperation) and expr.operator in _OPERATIONS:
            if parts_are_known:
                rhs, lhs = values.pop(), values.pop()
                values.append(_OPERATIONS[expr.operator](lhs, rhs))
            else:
                pending += [(expr, True), (expr.rhs, False), (expr.lhs, False)]
        else:
            raise RelationError(
                f"index_map computes an index by {expr!r}, which is not known here", attribute=_ATTRIBUTE
            )
    return values[0]
