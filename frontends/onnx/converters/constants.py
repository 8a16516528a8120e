"""Values that a model has in its nodes: constants, and tensors of one value."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...inspection import dtype_of
from ...operators import arange, full, reshape, stack, take, zeros
from ..node import OnnxNode, converter
from ..tensors import dtype_name
from .shape_values import scalar_of


@converter("Constant")
def constant_value(node: OnnxNode) -> Expr:
    """A constant: of a tensor, a number or numbers; of text a zero, as in TVM."""
    value = node.tensor("value")
    if value is not None:
        return Constant(value)
    for name, kind in (("value_float", np.float32), ("value_int", np.int64)):
        if name in node:
            return Constant(np.array(node.float(name) if kind is np.float32 else node.int(name), kind))
    floats, ints = node.floats("value_floats"), node.ints("value_ints")
    if floats is not None:
        return Constant(np.array(floats, np.float32))
    if ints is not None:
        return Constant(np.array(ints, np.int64))
    if "value_string" in node or "value_strings" in node:
        return Constant(np.zeros(1, np.int64))
    raise node.invalid("value", "Constant needs a value, and a sparse one is not read")


@converter("ConstantOfShape", since=9)
def constant_of_shape(node: OnnxNode) -> Expr:
    """``full`` of a value, 0 where there is none."""
    value = node.tensor("value")
    if value is None:
        return full(constant(0), node.input(), dtype="float32")
    number = np.asarray(value.reshape(-1)[0])
    return full(Constant(number), node.input(), dtype=number.dtype.name)


@converter("EyeLike", since=9)
def eye_like(node: OnnxNode) -> Expr:
    """Ones scattered along a diagonal of zeros."""
    dtype = dtype_name(node.int("dtype")) if "dtype" in node else dtype_of(node.input())
    shape = call("shape_of", node.input(), dtype="int32")
    size = take(shape, constant(0))
    indices = arange(constant(0), size, dtype="int32")
    ones = full(constant(1), reshape(size, [1]), dtype=dtype)
    offset = constant(node.int("k", 0), "int32")
    diagonal = stack([indices, call("add", indices, offset)], 0)
    return call("scatter_nd", zeros(shape, dtype), diagonal, ones, mode="update")


@converter("Range")
def range_of_numbers(node: OnnxNode) -> Expr:
    """``arange``."""
    node.require_inputs(3)
    start, stop, step = (scalar_of(node.input(index)) for index in range(3))
    return arange(start, stop, step, dtype=node.dtype())
