"""Arithmetic over dimensions, and which of them are known to be equal."""

from __future__ import annotations

import pytest

from relay_lsp.ir.dimensions import ANY, Dim, IntImm, Shape, SizeVar
from relay_lsp.ir.ops.broadcasting import broadcast_shapes
from relay_lsp.ir.ops.operator import RelationError
from relay_lsp.ir.ops.shapes import add, are_equal, floor_divide, multiply, subtract
from relay_lsp.ir.ops.tensor.reshaping import ReshapeAttrs, new_shape

N = SizeVar("n")
M = SizeVar("m")

EQUAL: list[tuple[Dim, Dim, bool]] = [
    (4, 4, True),
    (4, IntImm(4), True),
    (4, 5, False),
    (N, N, True),
    (N, M, False),
    (N, 4, False),
    (ANY, ANY, False),
    (add(N, 1), add(1, N), True),
    (add(N, N), multiply(N, 2), True),
    (subtract(add(N, M), M), N, True),
    (floor_divide(N, 2), floor_divide(N, 2), True),
    (floor_divide(N, 2), floor_divide(N, 3), False),
]


@pytest.mark.parametrize(("lhs", "rhs", "equal"), EQUAL)
def test_dimensions_known_to_be_equal(lhs: Dim, rhs: Dim, equal: bool) -> None:
    assert are_equal(lhs, rhs) is equal


def test_a_variable_broadcasts_with_itself_and_with_1() -> None:
    assert broadcast_shapes((N, 4), (1, 4)) == (N, 4)
    assert broadcast_shapes((add(N, 1),), (add(1, N),)) == (add(N, 1),)
    with pytest.raises(RelationError):
        broadcast_shapes((N,), (4,))


RESHAPES: list[tuple[Shape, tuple[int, ...], Shape]] = [
    ((N, 4), (-1,), (multiply(N, 4),)),
    ((N, 32, 16, 16), (1, 16, -1), (1, 16, multiply(N, 512))),
    ((1, 16, multiply(N, 512)), (4, 8, -1, 16), (4, 8, multiply(N, 16), 16)),
    ((N, 3), (0, -1), (N, 3)),
    ((N, M), (-3,), (multiply(N, M),)),
    ((N, 6), (-1, 4), (floor_divide(multiply(N, 6), 4), 4)),
]


@pytest.mark.parametrize(("data", "newshape", "result"), RESHAPES)
def test_a_reshape_cancels_factors(data: Shape, newshape: tuple[int, ...], result: Shape) -> None:
    assert new_shape(data, ReshapeAttrs(newshape=newshape, allowzero=False)) == result
