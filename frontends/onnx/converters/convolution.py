"""Convolutions and transposed convolutions of one to three dimensions."""

from __future__ import annotations

from dataclasses import dataclass

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import static_shape_of
from ..node import OnnxNode, converter
from .paddings import auto_pad, same_pads


@dataclass(frozen=True, slots=True)
class Window:
    """What a convolution's attributes say, with ONNX's defaults."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    groups: int

    @property
    def rank(self) -> int:
        """The number of spatial dimensions."""
        return len(self.kernel)


def window(node: OnnxNode, weight_shape: tuple[int, ...]) -> Window:
    """The window of a convolution whose weight has this shape."""
    kernel = node.ints("kernel_shape") or weight_shape[2:]
    rank = len(kernel)
    if not 1 <= rank <= 3:
        raise ConversionError(f"Relay convolves in one to three dimensions, not {rank}", attribute="kernel_shape")
    groups = node.int("group", 1)
    if groups < 1:
        raise node.invalid("group", f"group must be at least 1, not {groups}")

    def each(name: str, default: int, count: int = rank) -> tuple[int, ...]:
        values = node.ints(name) or (default,) * count
        if len(values) != count:
            raise node.invalid(name, f"{name} must have {count} numbers, not {len(values)}")
        return values

    pads = each("pads", 0, 2 * rank) if len(node.ints("pads") or ()) != rank else node.required_ints("pads") * 2
    return Window(kernel, each("strides", 1), each("dilations", 1), pads, groups)


@converter("Conv")
def conv(node: OnnxNode) -> Expr:
    """``nn.conv1d``, ``nn.conv2d`` or ``nn.conv3d``, and ``nn.bias_add``; ``auto_pad`` becomes ``nn.pad``."""
    data, weight = node.input(0), node.input(1)
    weight_shape = static_shape_of(weight, "the weight")
    shape = window(node, weight_shape)
    mode = auto_pad(node)
    pads = shape.pads
    if mode.startswith("SAME"):
        data = same_pads(node, data, shape.strides, shape.kernel, shape.dilations, mode)
    elif mode == "VALID":
        pads = (0,) * (2 * shape.rank)
    result = call(
        f"nn.conv{shape.rank}d",
        data,
        weight,
        strides=shape.strides,
        padding=pads,
        dilation=shape.dilations,
        groups=shape.groups,
        channels=weight_shape[0],
        kernel_size=shape.kernel,
        data_layout=layout(shape.rank),
        kernel_layout=("OIW", "OIHW", "OIDHW")[shape.rank - 1],
    )
    return result if node[2] is None else call("nn.bias_add", result, node.input(2))


def layout(rank: int) -> str:
    """The layout of images of ``rank`` spatial dimensions.

    Raises:
        ConversionError: there is none.
    """
    if not 1 <= rank <= 3:
        raise ConversionError(f"Relay has layouts of one to three spatial dimensions, not {rank}")
    return ("NCW", "NCHW", "NCDHW")[rank - 1]


def _transposed(node: OnnxNode, shape: Window) -> tuple[Expr, tuple[int, ...]]:
    """The data and the padding of a transposed convolution."""
    data = node.input()
    mode, wanted = auto_pad(node), node.ints("output_shape")
    if wanted is None and not mode.startswith("SAME"):
        return data, (0,) * (2 * shape.rank) if mode == "VALID" else shape.pads
    extra = node.ints("output_padding") or (0,) * shape.rank
    spans = [(size - 1) * dilation + 1 for size, dilation in zip(shape.kernel, shape.dilations, strict=True)]
    if wanted is None and node.opset < 11:
        padded = same_pads(node, data, shape.strides, shape.kernel, shape.dilations, mode, deconvolution=True)
        return padded, shape.pads
    if wanted is None:
        totals = [more + span - stride for more, span, stride in zip(extra, spans, shape.strides, strict=True)]
    else:
        present = node.static_shape()[-shape.rank :]
        totals = [
            stride * (size - 1) + more + span - asked
            for stride, size, more, span, asked in zip(
                shape.strides, present, extra, spans, wanted[-shape.rank :], strict=True
            )
        ]
    # Of an odd padding the larger half stands before, unless ``SAME_UPPER`` says after (TVM has it the other way).
    halves = [total // 2 for total in totals]
    others = [total - half for total, half in zip(totals, halves, strict=True)]
    return data, tuple(halves + others if mode == "SAME_UPPER" else others + halves)


@converter("ConvTranspose")
def conv_transpose(node: OnnxNode) -> Expr:
    """``nn.conv1d_transpose`` to ``nn.conv3d_transpose``, and ``nn.bias_add``."""
    weight = node.input(1)
    weight_shape = static_shape_of(weight, "the weight")
    shape = window(node, weight_shape)
    data, pads = _transposed(node, shape)
    if shape.rank == 1 and not any(pads) and node.ints("pads") is None:
        pads = (0,)  # One number stands for both sides; TVM writes it so.
    result = call(
        f"nn.conv{shape.rank}d_transpose",
        data,
        weight,
        strides=shape.strides,
        padding=pads,
        dilation=shape.dilations,
        groups=shape.groups,
        channels=weight_shape[1] * shape.groups,
        kernel_size=shape.kernel,
        data_layout=layout(shape.rank),
        kernel_layout=("IOW", "IOHW", "IODHW")[shape.rank - 1],
        output_padding=node.ints("output_padding") or (0,) * shape.rank,
    )
    return result if node[2] is None else call("nn.bias_add", result, node.input(2))
