"""Layouts: what their names mean, how shapes and arrays convert, and how layouts spread through operators."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir.dimensions import ANY, SizeVar
from relay_lsp.ir.ops.data_layout import Layout, LayoutError, convert_array, convert_shape, is_convertible
from relay_lsp.ir.ops.layout_inference import Layouts, broadcast_layout, elementwise_layout
from relay_lsp.ir.types import TensorType


def test_a_name_lists_the_axes() -> None:
    layout = Layout.parse("NCHW16c")
    assert layout.name == "NCHW16c"
    assert (layout.rank, layout.primal_rank) == (5, 4)
    assert (layout.index("W"), layout.index("c"), layout.index("D")) == (3, 4, -1)
    assert (layout.factor("C"), layout.factor("H")) == (16, -1)
    assert Layout.parse("OIHW4i16o4i").factor("I") == 16
    assert Layout.parse("1").rank == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("N2C", "factor 2 before the primal axis C"),
        ("NCc", "lacks a factor"),
        ("NHW2c", "splits the axis C"),
        ("N-C", "letters and factors only"),
    ],
)
def test_a_name_that_is_no_layout(name: str, message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        Layout.parse(name)


@pytest.mark.parametrize(
    ("source", "target", "convertible"),
    [("NCHW", "NHWC", True), ("NCHW", "NCHW16c", True), ("NCHW", "NCDHW", False), ("", "NC", False)],
)
def test_layouts_of_the_same_axes_convert(source: str, target: str, convertible: bool) -> None:
    assert is_convertible(Layout.parse(source), Layout.parse(target)) == convertible


@pytest.mark.parametrize(
    ("shape", "source", "target", "expected"),
    [
        ((1, 3, 4, 5), "NCHW", "NHWC", (1, 4, 5, 3)),
        ((1, 20, 4, 5), "NCHW", "NCHW16c", (1, 2, 4, 5, 16)),
        ((1, 2, 4, 5, 16), "NCHW16c", "NHWC", (1, 4, 5, 32)),
        ((1, 2, 4, 5, 16), "NCHW16c", "NCHW8c", (1, 4, 4, 5, 8)),
        ((ANY, 3, ANY, 5), "NCHW", "NHWC", (ANY, ANY, 5, 3)),
    ],
)
def test_shapes_convert(shape: tuple[int, ...], source: str, target: str, expected: tuple[int, ...]) -> None:
    assert convert_shape(shape, Layout.parse(source), Layout.parse(target)) == expected


def test_symbolic_dimensions_pass_through() -> None:
    batch = SizeVar("n")
    assert convert_shape((batch, 3, 4, 5), Layout.parse("NCHW"), Layout.parse("NHWC"))[0] is batch


@pytest.mark.parametrize(
    ("shape", "message"), [((1, 2, 3), "has 5 dimensions, not 3"), ((1, 2, 3, 4, 8), "has 16 elements on the axis 16c")]
)
def test_a_shape_that_does_not_fit_its_layout(shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(LayoutError, match=message):
        convert_shape(shape, Layout.parse("NCHW16c"), Layout.parse("NCHW"))


@pytest.mark.parametrize("target", ["NHWC", "NCHW4c", "HW2c2nCN", "NCHW2h3w"])
def test_arrays_convert_and_come_back(target: str) -> None:
    data = np.arange(4 * 8 * 4 * 6).reshape(4, 8, 4, 6)
    source, there = Layout.parse("NCHW"), Layout.parse(target)
    converted = convert_array(data, source, there)
    assert converted.shape == convert_shape(data.shape, source, there)
    np.testing.assert_array_equal(convert_array(converted, there, source), data)


def test_what_splitting_adds_is_zero() -> None:
    data = np.arange(1, 7).reshape(1, 6)
    converted = convert_array(data, Layout.parse("NC"), Layout.parse("NC4c"))
    np.testing.assert_array_equal(converted[0], [[1, 2, 3, 4], [5, 6, 0, 0]])


def test_elementwise_operators_follow_their_argument() -> None:
    types = (TensorType((1, 8, 4, 4)),)
    assert elementwise_layout(None, (), ("NCHW",), types).outputs == ("NCHW",)
    assert elementwise_layout(None, ("NHWC",), ("NCHW",), types).inputs == ("NHWC",)
    assert elementwise_layout(None, (), (None,), types).outputs == (None,)


@pytest.mark.parametrize(
    ("shapes", "old", "new", "inputs", "output"),
    [
        # Without new layouts an unknown one is the trailing part of the known one.
        (((1, 2, 3, 32), (32,)), ("NHWC", None), (), ("NHWC", "C"), "NHWC"),
        (((1, 2, 3, 32), (32,)), (None, "C"), (), (None, None), None),
        # The smaller operand changes as the larger one does.
        (((1, 2, 3, 32), (32,)), ("NHWC", "C"), ("NCHW16c", "C"), ("NCHW16c", "NCHW16c"), "NCHW16c"),
        (((1, 2, 3, 32), (1, 2, 3, 1)), ("NHWC", "NHWC"), ("NCHW16c", "NHWC"), ("NCHW16c", "NCHW1c"), "NCHW16c"),
        (((1, 2, 3, 32), ()), ("NHWC", ""), ("NCHW16c", ""), ("NCHW16c", ""), "NCHW16c"),
        # Axes of other letters are matched by their place.
        (((1, 2, 3, 32), (3, 32)), ("NHWC", "AB"), ("NCHW", "AB"), ("NCHW", "NBHA"), "NCHW"),
    ],
)
def test_broadcasting_operators_keep_their_arguments_together(
    shapes: tuple[tuple[int, ...], ...],
    old: tuple[Layouts, ...],
    new: tuple[Layouts, ...],
    inputs: tuple[Layouts, ...],
    output: Layouts,
) -> None:
    inferred = broadcast_layout(None, new, old, tuple(map(TensorType, shapes)))
    assert (inferred.inputs, inferred.outputs) == (inputs, (output,))
