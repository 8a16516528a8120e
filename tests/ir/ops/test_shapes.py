"""Arithmetic over dimensions: what is folded, and how dtypes meet."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relay_lsp.ir.dimensions import ANY, Dim, DimCast, IntImm, SizeVar, immediate_dtype
from relay_lsp.ir.ops import shapes
from relay_lsp.ir.ops.data_layout import Layout, convert_shape
from relay_lsp.ir.ops.nn.windows import window_count

N = SizeVar("n")


@pytest.mark.parametrize(
    ("operation", "lhs", "rhs", "expected"),
    [
        (shapes.add, 2, 3, 5),
        (shapes.subtract, 2, 3, -1),
        (shapes.multiply, 2, 3, 6),
        (shapes.floor_divide, -7, 2, -4),
        (shapes.truncate_divide, -7, 2, -3),
        (shapes.ceil_divide, 7, 2, 4),
        (shapes.maximum, 2, 3, 3),
        (shapes.minimum, 2, 3, 2),
    ],
)
def test_numbers_give_a_number(operation: Callable[[Dim, Dim], Dim], lhs: int, rhs: int, expected: int) -> None:
    assert operation(lhs, rhs) == expected


@pytest.mark.parametrize(
    "folded",
    [
        shapes.add(N, 0),
        shapes.add(0, N),
        shapes.subtract(N, 0),
        shapes.multiply(N, 1),
        shapes.multiply(1, N),
        shapes.floor_divide(N, 1),
        shapes.truncate_divide(N, 1),
        shapes.maximum(N, N),
        shapes.product([1, N, 1]),
    ],
)
def test_what_changes_nothing_is_left_out(folded: Dim) -> None:
    assert folded is N


def test_other_arithmetic_is_kept_as_it_is_written() -> None:
    assert str(shapes.floor_divide(shapes.add(N, 2), 2)) == "((n + 2) // 2)"
    assert str(shapes.multiply(ANY, 2)) == "(? * 2)"


def test_zero_divides_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        shapes.floor_divide(N, 0)


def test_the_wider_dtype_wins() -> None:
    total = shapes.add(IntImm(2, "int64"), 3)
    assert isinstance(total, int)
    assert total == 5
    assert immediate_dtype(total) == "int64"
    widened = shapes.add(N, IntImm(2, "int64"))
    assert str(widened) == "(int64(n) + 2)"


def test_converting_to_a_dtype() -> None:
    assert shapes.convert(IntImm(2, "int64"), "int32") == 2
    assert shapes.convert(ANY, "int64") is ANY
    long = SizeVar("m", "int64")
    assert shapes.convert(long, "int32") == DimCast("int32", long)


@pytest.mark.parametrize(
    ("dim", "simplified"),
    [
        (shapes.add(shapes.subtract(shapes.add(N, 2), 3), 1), "n"),
        (shapes.add(N, N), "(n * 2)"),
        (shapes.subtract(shapes.multiply(N, 4), N), "(n * 3)"),
        (shapes.subtract(3, shapes.add(N, 5)), "((0 - n) - 2)"),
        (shapes.add(shapes.floor_divide(shapes.subtract(shapes.add(N, 2), 3), 2), 1), "(((n - 1) // 2) + 1)"),
        (shapes.subtract(N, N), "0"),
    ],
)
def test_sums_are_put_together(dim: Dim, simplified: str) -> None:
    assert str(shapes.simplify(dim)) == simplified


def test_a_convolution_that_keeps_the_size_keeps_the_variable() -> None:
    height = window_count(N, 2, 3, 1)
    images = Layout.parse("NCHW")
    assert convert_shape((1, 3, height, 5), images, images)[2] is N
