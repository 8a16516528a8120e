"""Operators that move elements, and padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.ops.nn.padding import PadAttrs
from relay_lsp.ir.types import TensorType

Array = np.ndarray[Any, Any]

TYPES = [
    ("nn.batch_flatten", ["2 3 4 5"], {}, "2 60"),
    ("nn.batch_flatten", ["? 3 ? 5"], {}, "? ?"),
    ("nn.batch_flatten", ["2"], {}, "2 1"),
    ("nn.depth_to_space", ["1 12 4 ?"], {"block_size": 2}, "1 3 8 ?"),
    ("nn.space_to_depth", ["1 8 8 3"], {"block_size": 2, "layout": "NHWC"}, "1 4 4 12"),
    ("nn.space_to_batch_nd", ["1 5 5 4"], {"block_shape": (2, 2), "paddings": ((2, 3), (2, 3))}, "4 5 5 4"),
    ("nn.batch_to_space_nd", ["4 3 3 4"], {"block_shape": (2, 2), "crops": ((0, 1), (0, 1))}, "1 5 5 4"),
    ("nn.dilate", ["3 ? 4"], {"strides": (2, 2, 1)}, "5 ? 4"),
    ("nn.fifo_buffer", ["1 2", "1 5"], {"axis": 1}, "1 5"),
    ("nn.pad", ["2 ? 4", "int32"], {"pad_width": ((0, 1), (1, 1), (-1, 0))}, "3 ? 3"),
    ("nn.mirror_pad", ["2 3"], {"pad_width": ((0, 1), (1, 1))}, "3 5"),
    ("nn.bitpack", ["1 64 5 5 uint8"], {"bits": 2, "bit_axis": 2, "pack_type": "uint8"}, "1 8 2 5 5 uint8"),
    ("nn.upsampling", ["1 3 5 5"], {"scale_h": 1.5, "scale_w": 2.5}, "1 3 8 12"),
    ("nn.upsampling3d", ["1 3 5 5 5"], {"scale_d": 1, "scale_h": 2, "scale_w": 3}, "1 3 5 10 15"),
]


@pytest.mark.parametrize(("name", "arguments", "attrs", "expected"), TYPES)
def test_type(typed: Callable[..., str], name: str, arguments: list[str], attrs: dict[str, Any], expected: str) -> None:
    assert typed(name, *arguments, **attrs) == expected


ERRORS = [
    ("nn.batch_flatten", [""], {}, 0, "data must have a batch dimension"),
    ("nn.depth_to_space", ["1 12 4"], {"block_size": 2}, 0, "a tensor of layout NCHW has 4 dimensions, not 3"),
    ("nn.depth_to_space", ["1 12 4 4"], {"block_size": 0}, "block_size", "block_size must not be 0"),
    (
        "nn.space_to_batch_nd",
        ["1 5 5"],
        {"block_shape": (2,), "paddings": ((1, 1), (1, 1))},
        "paddings",
        "2 pairs, but",
    ),
    ("nn.batch_to_space_nd", ["4 5"], {"block_shape": (2, 2), "crops": ((0, 0), (0, 0))}, "block_shape", "2 elements"),
    ("nn.pad", ["2 3", ""], {"pad_width": ((0, 1),)}, "pad_width", "1 pairs, but data has 2 dimensions"),
    ("nn.pad", ["2 3", ""], {"pad_width": ((0, 1), (-2, -2))}, "pad_width", "of size 3, with -1 elements"),
    ("nn.mirror_pad", ["2 3"], {"pad_width": ((0, 1), (-1, 0))}, "pad_width", "may not be negative"),
    ("nn.dilate", ["2 3"], {"strides": (1,)}, "strides", "strides has 1 elements, but x has 2 dimensions"),
    ("nn.fifo_buffer", ["1 5", "1 5"], {"axis": 1}, 0, "must be shorter"),
    ("nn.upsampling", ["1 3 5"], {"scale_h": 1, "scale_w": 2}, 0, "has 4 dimensions, not 3"),
]


@pytest.mark.parametrize(("name", "arguments", "attrs", "place", "message"), ERRORS)
def test_error(
    rejected: Callable[..., Diagnostic],
    name: str,
    arguments: list[str],
    attrs: dict[str, Any],
    place: int | str,
    message: str,
) -> None:
    diagnostic = rejected(name, *arguments, **attrs)
    assert message in diagnostic.message
    assert diagnostic.place is not None
    assert place in (diagnostic.place.argument, diagnostic.place.attribute)


def test_depth_to_space_reads_channels_in_two_orders(value: Callable[..., Array]) -> None:
    data = np.arange(8.0).reshape(1, 8, 1, 1)
    position_first = value("nn.depth_to_space", data, block_size=2)
    np.testing.assert_array_equal(position_first[0], [[[0, 2], [4, 6]], [[1, 3], [5, 7]]])
    depth_first = value("nn.depth_to_space", data, block_size=2, mode="CDR")
    np.testing.assert_array_equal(depth_first[0], [[[0, 1], [2, 3]], [[4, 5], [6, 7]]])


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_space_to_depth_is_undone_by_depth_to_space(
    value: Callable[..., Array], random: np.random.Generator, layout: str
) -> None:
    data = random.normal(size=(2, 4, 4, 4))
    deep = value("nn.space_to_depth", data, block_size=2, layout=layout)
    np.testing.assert_array_equal(value("nn.depth_to_space", deep, block_size=2, layout=layout), data)


def test_space_to_batch_numbers_the_positions_of_a_block(value: Callable[..., Array]) -> None:
    data = np.arange(16.0).reshape(1, 4, 4, 1)
    result = value("nn.space_to_batch_nd", data, block_shape=(2, 2), paddings=((0, 0), (0, 0)))
    np.testing.assert_array_equal(
        result[..., 0], [data[0, row::2, column::2, 0] for row in (0, 1) for column in (0, 1)]
    )


def test_batch_to_space_undoes_space_to_batch(value: Callable[..., Array], random: np.random.Generator) -> None:
    data = random.normal(size=(2, 5, 4, 3))
    margins = ((1, 0), (2, 2))
    blocks = value("nn.space_to_batch_nd", data, block_shape=(3, 2), paddings=margins, pad_value=7.0)
    assert (blocks == 7).sum() == 2 * 3 * (6 * 8 - 5 * 4)
    np.testing.assert_array_equal(value("nn.batch_to_space_nd", blocks, block_shape=(3, 2), crops=margins), data)


def test_padding_modes(value: Callable[..., Array]) -> None:
    data, nine = np.array([1, 2, 3], "int32"), np.array(9, "int32")
    for mode, expected in [
        ("constant", [9, 9, 1, 2, 3, 9]),
        ("edge", [1, 1, 1, 2, 3, 3]),
        ("reflect", [3, 2, 1, 2, 3, 2]),
    ]:
        result = value("nn.pad", data, nine, pad_width=((2, 1),), pad_mode=mode)
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(value("nn.pad", data, nine, pad_width=((-1, 1),)), [2, 3, 9])
    np.testing.assert_array_equal(value("nn.mirror_pad", data, pad_width=((2, 1),)), [2, 1, 1, 2, 3, 3])
    np.testing.assert_array_equal(value("nn.mirror_pad", data, pad_width=((2, 1),), mode="REFLECT"), [3, 2, 1, 2, 3, 2])


def test_dilate_spreads_the_elements(value: Callable[..., Array]) -> None:
    result = value("nn.dilate", np.array([[1.0, 2.0]]), strides=(2, 3), dilation_value=5.0)
    np.testing.assert_array_equal(result, [[1, 5, 5, 2]])


def test_a_buffer_keeps_the_latest(value: Callable[..., Array]) -> None:
    result = value("nn.fifo_buffer", np.array([[8.0, 9.0]]), np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]), axis=-1)
    np.testing.assert_array_equal(result, [[3, 4, 5, 8, 9]])


def test_upsampling_repeats_or_interpolates(value: Callable[..., Array]) -> None:
    data = np.array([0.0, 2.0], "float32").reshape(1, 1, 1, 2)
    nearest = value("nn.upsampling", data, scale_h=1.0, scale_w=2.0)
    np.testing.assert_array_equal(nearest.ravel(), [0, 0, 2, 2])
    linear = value("nn.upsampling", data, scale_h=1.0, scale_w=1.5, method="bilinear", align_corners=True)
    np.testing.assert_allclose(linear.ravel(), [0, 1, 2])
    volume = data.reshape(1, 1, 1, 1, 2)
    halves = value("nn.upsampling3d", volume, scale_d=1.0, scale_h=1.0, scale_w=2.0, method="trilinear")
    np.testing.assert_allclose(halves.ravel(), [0, 0.5, 1.5, 2])


@pytest.mark.parametrize(
    ("old", "new", "width", "layout", "expected"),
    [
        ("NCHW", "NHWC", ((0, 0), (0, 0), (1, 2), (3, 4)), "NHWC", ((0, 0), (1, 2), (3, 4), (0, 0))),
        ("NCHW", "NCHW4c", ((0, 0), (0, 0), (1, 2), (3, 4)), "NCHW4c", ((0, 0), (0, 0), (1, 2), (3, 4), (0, 0))),
        ("NCHW", "NCHW4c", ((0, 0), (1, 1), (0, 0), (0, 0)), "NCHW", ((0, 0), (1, 1), (0, 0), (0, 0))),
    ],
)
def test_padding_follows_a_layout_that_does_not_split_it(
    old: str, new: str, width: Any, layout: str, expected: Any
) -> None:
    infer_layout = ops.get("nn.pad").infer_layout
    assert infer_layout is not None
    types = (TensorType((1, 8, 5, 5)), TensorType(()))
    inferred = infer_layout(PadAttrs(pad_width=width, pad_mode="constant"), (new, "1"), (old, "1"), types)
    assert inferred.inputs == (layout, "1")
    assert inferred.outputs == (layout,)
    assert inferred.attrs == PadAttrs(pad_width=expected, pad_mode="constant")
