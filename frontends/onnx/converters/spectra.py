"""``DFT``: the discrete Fourier transform."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Constant, Expr, TupleGetItem

from ...diagnostics import ConversionError
from ...inspection import dtype_of, rank_of, static_shape_of
from ...operators import concatenate, expand_dims, pad, split, squeeze, strided_slice, transpose
from ..node import OnnxNode, converter


@converter("DFT", since=17)
def dft(node: OnnxNode) -> Expr:
    """``dft`` along an axis, of the real and the imaginary parts."""
    data, rank = node.input(), node.rank()
    axis = node.int("axis", 1)
    if node.opset >= 20:
        axis = int(node.constant_input(2).reshape(-1)[0]) if node[2] is not None else -2
    axis = axis + rank if axis < 0 else axis
    if not 1 <= axis < rank:
        raise node.invalid("axis", f"axis {axis} is out of bounds of {rank} dimensions")
    if rank < 3:
        raise ConversionError("the input must have a batch, a signal, and real and imaginary parts")
    if node.int("inverse", 0) and node.int("onesided", 0):
        raise ConversionError("the inverse transform of one side is not read", attribute="onesided")
    length = static_shape_of(data)[axis]
    if node[1] is not None:
        length = int(node.constant_input(1).reshape(-1)[0])
    data = _of_length(data, axis, length)
    real, imaginary = _parts(data)
    transformed = call("dft", _to_end(real, axis), _to_end(imaginary, axis), inverse=bool(node.int("inverse", 0)))
    parts = [_to_end(TupleGetItem(transformed, index), axis) for index in range(2)]
    if node.int("onesided", 0):
        parts = [_first(part, axis, static_shape_of(part)[axis] // 2 + 1) for part in parts]
    return concatenate([expand_dims(part, -1) for part in parts], -1)


def _first(data: Expr, axis: int, count: int) -> Expr:
    """The first elements along an axis."""
    shape = list(static_shape_of(data))
    shape[axis] = count
    rank = len(shape)
    return strided_slice(data, [0] * rank, shape, [1] * rank, list(range(rank)))


def _of_length(data: Expr, axis: int, length: int) -> Expr:
    size = static_shape_of(data)[axis]
    if size > length:
        return _first(data, axis, length)
    if size < length:
        widths = [(0, 0)] * rank_of(data)
        widths[axis] = (0, length - size)
        return pad(data, widths)
    return data


def _to_end(data: Expr, axis: int) -> Expr:
    """``data`` with a dimension and the last one exchanged."""
    order = list(range(rank_of(data)))
    order[axis], order[-1] = -1, axis
    return transpose(data, order)


def _parts(data: Expr) -> tuple[Expr, Expr]:
    shape = static_shape_of(data)
    if shape[-1] == 1:
        imaginary: Expr = Constant(np.zeros(shape, numpy_dtype(dtype_of(data))), dtype_of(data))
        return squeeze(data, -1), squeeze(imaginary, -1)
    real, imaginary = split(data, 2, -1)
    return squeeze(real, -1), squeeze(imaginary, -1)
