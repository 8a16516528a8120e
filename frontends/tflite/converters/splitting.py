"""Tensors in parts, and parts as one tensor."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr, Tuple

from ...diagnostics import ConversionError
from ...operators import Outputs, concatenate, expand_dims, immediate, split, squeeze
from ..node import TfliteNode, converter
from ..quantized import activated, require_same_steps


@converter("CONCATENATION")
def concatenation(node: TfliteNode) -> Expr:
    """``concatenate`` or ``qnn.concatenate``, and the fused activation."""
    if not node.inputs:
        raise ConversionError("CONCATENATION takes a tensor or more", code="missing-model-input")
    tensors = [node.input(index) for index in range(len(node.inputs))]
    data = [tensor.expr for tensor in tensors]
    axis, result = node.integer("axis"), node.output
    if not tensors[0].is_quantized:
        return activated(node, concatenate(data, axis), result)
    made = call(
        "qnn.concatenate",
        Tuple(tuple(data)),
        Tuple(tuple(tensor.scale for tensor in tensors)),
        Tuple(tuple(tensor.zero_point for tensor in tensors)),
        result.scale,
        result.zero_point,
        axis=axis,
    )
    return activated(node, made, result)


def _parts(parts: Outputs) -> Expr | Outputs:
    return parts if len(parts) > 1 else parts[0]


@converter("SPLIT")
def split_evenly(node: TfliteNode) -> Expr | Outputs:
    """``split`` into parts of one size."""
    node.require_inputs(2)
    parts = node.unfolded(node.integer("num_splits"), "a number of parts of")
    return _parts(split(node.input(1).expr, parts, int(node.input(0).scalar)))


@converter("SPLIT_V")
def split_by_sizes(node: TfliteNode) -> Expr | Outputs:
    """``split`` at the sums of the sizes; a size of -1, which TVM takes as it is, is what the others leave."""
    node.require_inputs(3)
    tensor, axis = node.input(0), int(node.input(2).scalar)
    sizes = node.input(1).value.reshape(-1).copy()
    whole, unknown = tensor.shape[axis], sizes < 0
    if unknown.any():
        sizes[unknown] = whole - int(sizes[~unknown].sum())
    if unknown.sum() > 1 or (sizes < 0).any() or sizes.sum() != whole:
        raise ConversionError(f"parts of {node.input(1).integers} do not make up the {whole} that there are")
    node.unfolded(sizes.size, "a number of parts of")
    return _parts(split(tensor.expr, [immediate(place) for place in np.cumsum(sizes)[:-1]], axis))  # type: ignore[misc]


@converter("PACK")
def packed(node: TfliteNode) -> Expr:
    """``concatenate`` of tensors that have one more dimension by ``expand_dims``."""
    tensors = [node.input(index) for index in range(len(node.inputs))]
    if not tensors or len(tensors) != node.integer("values_count"):
        raise node.invalid("values_count", f"there are {len(tensors)} tensors")
    if tensors[0].is_quantized:
        require_same_steps(node, tensors[0], node.output, *tensors[1:])
    axis = node.integer("axis")
    return concatenate([expand_dims(tensor.expr, axis, 1) for tensor in [*tensors]], axis)


@converter("UNPACK")
def unpacked(node: TfliteNode) -> Expr | Outputs:
    """``split``, and ``squeeze`` of each part."""
    node.require_inputs(1)
    data, axis = node.input().expr, node.integer("axis")
    count = node.unfolded(node.integer("num"), "a number of parts of")
    if count == 1:
        return squeeze(data, [axis])
    return Outputs.of(*(squeeze(part, [axis]) for part in split(data, count, axis)))
