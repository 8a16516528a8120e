"""Convolutions and transposed convolutions of one to three dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import rank_of, static_shape_of
from ...operators import expand_dims, pad, reshape, squeeze
from ..node import TorchNode, converter

_LAYOUTS = ("NCW", "NCHW", "NCDHW")
_KERNELS = ("OIW", "OIHW", "OIDHW")
_TRANSPOSED = ("IOW", "IOHW", "IODHW")


def both_sides(padding: Sequence[int]) -> tuple[int, ...]:
    """Padding before and after each dimension, which PyTorch has as one number."""
    return (*padding, *padding)


@converter("aten::_convolution", "aten::convolution")
def convolution(node: TorchNode) -> Expr:
    """``nn.conv1d`` to ``nn.conv3d`` or their transposed forms, and ``nn.bias_add``."""
    return convolved(
        node, node.integers(3), node.integers(4), node.integers(5), node.integer(8), node.flag(6), node.integers(7)
    )


@converter("aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::_convolution_mode")
def conv(node: TorchNode) -> Expr:
    """``nn.conv1d`` to ``nn.conv3d``, and ``nn.bias_add``; ``padding="same"`` becomes ``nn.pad`` where it is uneven."""
    rank = len(node.static_shape(1)) - 2
    dilation = _each(node, 5, rank, 1)
    padding: list[int] = [0] * rank
    data: Expr | None = None
    if isinstance(node[4], str):
        if node[4] == "same":
            kernel = node.static_shape(1)[2:]
            totals = [(size - 1) * step for size, step in zip(kernel, dilation, strict=True)]
            padding = [total // 2 for total in totals]
            if any(total % 2 for total in totals):
                widths = [(0, 0)] * (rank_of(node.tensor()) - rank) + [
                    (total // 2, total - total // 2) for total in totals
                ]
                data, padding = pad(node.tensor(), widths), [0] * rank
    else:
        padding = _each(node, 4, rank, 0)
    return convolved(node, _each(node, 3, rank, 1), padding, dilation, node.integer(6, 1), False, [0] * rank, data)


@converter("aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d")
def conv_transpose(node: TorchNode) -> Expr:
    """``nn.conv1d_transpose`` to ``nn.conv3d_transpose``, and ``nn.bias_add``."""
    rank = len(node.static_shape(1)) - 2
    strides, padding, more, dilation = (
        _each(node, *rule) for rule in ((3, rank, 1), (4, rank, 0), (5, rank, 0), (7, rank, 1))
    )
    return convolved(node, strides, padding, dilation, node.integer(6, 1), True, more)


def _each(node: TorchNode, index: int, rank: int, default: int) -> list[int]:
    """One number for each dimension, where the program may have one for all."""
    values = node.optional_integers(index) or [default]
    return values * rank if len(values) == 1 else values


def convolved(
    node: TorchNode,
    strides: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    transposed: bool,
    output_padding: Sequence[int],
    data: Expr | None = None,
) -> Expr:
    """The convolution of the first input by the second, and the third added where it is there."""
    data = node.tensor() if data is None else data
    weight, bias = node.tensor(1), node.optional(2)
    shape = static_shape_of(weight, "the weight")
    rank = len(shape) - 2
    if not 1 <= rank <= 3:
        raise ConversionError(f"Relay convolves in one to three dimensions, not {rank}", input="1")
    is_single = rank_of(data) == rank + 1
    if is_single:
        data = expand_dims(data, 0)
    padding = _each_of(padding, rank)
    strides, dilation, output_padding = (_each_of(part, rank) for part in (strides, dilation, output_padding))
    channels = shape[1] * groups if transposed else shape[0]
    if groups > 1 and (shape[0] if transposed else shape[1]) == 1:
        weight = reshape(weight, [groups, channels // groups, *shape[2:]])
    kernel = list(shape[2:])
    is_grouped_line = groups > 1 and rank == 1 and not transposed
    pads = both_sides(padding)
    if is_grouped_line:
        # Relay has no groups in one dimension: the line becomes an image of one row.
        data, weight = expand_dims(data, 2), expand_dims(weight, 2)
        strides, dilation, kernel = (1, *strides), (1, *dilation), [1, *kernel]
        pads, rank = both_sides((0, *padding)), 2
    if transposed and rank == 1:
        pads = tuple(padding)
    result = call(
        f"nn.conv{rank}d_transpose" if transposed else f"nn.conv{rank}d",
        data,
        weight,
        strides=tuple(strides),
        padding=pads,
        dilation=tuple(dilation),
        groups=groups,
        channels=channels,
        kernel_size=kernel,
        data_layout=_LAYOUTS[rank - 1],
        kernel_layout=(_TRANSPOSED if transposed else _KERNELS)[rank - 1],
        **({"output_padding": tuple(output_padding)} if transposed else {}),
    )
    if bias is not None:
        result = call("nn.bias_add", result, bias)
    if is_grouped_line:
        result = squeeze(result, [2])
    return squeeze(result, [0]) if is_single else result


def _each_of(values: Sequence[int], rank: int) -> tuple[int, ...]:
    return tuple(values) * rank if len(values) == 1 else tuple(values)
