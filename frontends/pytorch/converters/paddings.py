"""Padding."""

from __future__ import annotations

from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...operators import concatenate, pad, strided_slice
from ..node import TorchNode, as_expr, converter

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}


def _widths(node: TorchNode) -> list[tuple[int, int]]:
    """How much is added before and after each dimension; PyTorch lists the last dimension first."""
    rank = node.rank()
    values = node.integers(1)
    if len(values) % 2 or len(values) > 2 * rank:
        raise ConversionError(f"{len(values)} widths do not fit {rank} dimensions", input="1")
    pairs = list(zip(values[::2], values[1::2], strict=True))
    return [(0, 0)] * (rank - len(pairs)) + pairs[::-1]


def _padded(node: TorchNode, mode: str, value: Expr | float | None) -> Expr:
    data, widths = node.tensor(), _widths(node)
    if not any(width for pair in widths for width in pair):
        return data
    if any(width < 0 for pair in widths for width in pair):
        data, widths = _cut(node, widths)
        if not any(width for pair in widths for width in pair):
            return data
    return pad(data, widths, 0 if value is None or mode != "constant" else value, mode)


def _cut(node: TorchNode, widths: list[tuple[int, int]]) -> tuple[Expr, list[tuple[int, int]]]:
    """The data without what negative widths take away, and the other widths."""
    shape = node.static_shape()
    begin = [max(-before, 0) for before, _ in widths]
    end = [size - max(-after, 0) for size, (_, after) in zip(shape, widths, strict=True)]
    data = strided_slice(node.tensor(), begin, end, [1] * len(shape), None, "end")
    return data, [(max(before, 0), max(after, 0)) for before, after in widths]


@converter("aten::pad")
def pad_(node: TorchNode) -> Expr:
    """``nn.pad``; around the circle, which TVM refuses, ``concatenate`` of parts."""
    mode = node.text(2, "constant")
    if mode == "circular":
        return _circular(node)
    if mode not in _MODES:
        raise ConversionError(f"there is no padding by {mode}", input="2")
    value = node[3]
    return _padded(node, _MODES[mode], None if value is None else value if isinstance(value, float) else as_expr(value))


def _circular(node: TorchNode) -> Expr:
    result, shape, widths = node.tensor(), node.static_shape(), _widths(node)
    node.require(min(map(min, widths)) >= 0, "padding around the circle that takes elements away is not converted", 1)
    for axis, (before, after) in enumerate(widths):
        parts: list[Expr] = [result]
        if before > 0:
            parts.insert(0, strided_slice(result, [shape[axis] - before], [shape[axis]], [1], [axis]))
        if after > 0:
            parts.append(strided_slice(result, [0], [after], [1], [axis]))
        result = concatenate(parts, axis) if len(parts) > 1 else result
    return result


@converter("aten::constant_pad_nd")
def constant_pad(node: TorchNode) -> Expr:
    """``nn.pad``."""
    return _padded(node, "constant", as_expr(0 if node[2] is None else node[2]))


@converter("aten::reflection_pad1d", "aten::reflection_pad2d", "aten::reflection_pad3d")
def reflection_pad(node: TorchNode) -> Expr:
    """``nn.pad`` with the reflection."""
    return _padded(node, "reflect", None)


@converter("aten::replication_pad1d", "aten::replication_pad2d", "aten::replication_pad3d")
def replication_pad(node: TorchNode) -> Expr:
    """``nn.pad`` with the edge."""
    return _padded(node, "edge", None)
