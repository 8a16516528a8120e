"""Tensors made of a shape, a value or a range."""

from __future__ import annotations

import math

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr

from ...inspection import dtype_of
from ...operators import arange, cast, concatenate, expand_dims, full, reshape, zeros
from ..node import TorchNode, as_expr, converter
from ..values import TorchValue, dtype_of_code


def wanted_dtype(node: TorchNode, index: int, default: str) -> str:
    """The dtype that an operator asks for at ``index``; ``default`` where it asks for none."""
    return default if node[index] is None else dtype_of_code(node[index])


def sizes(node: TorchNode, index: int) -> list[int] | Expr:
    """A shape: in numbers where they are known, else as a tensor."""
    values = node.values(index)
    known = [node.known_int(value) for value in values]
    if all(number is not None for number in known):
        return [number for number in known if number is not None]
    return concatenate([expand_dims(cast(as_expr(value), "int64"), 0) for value in values], 0)


def filled(node: TorchNode, shape: list[int] | Expr, value: TorchValue, dtype: str) -> Expr:
    """``full``; the value is taken into the module as a constant where it is known."""
    known = node.known(value)
    made = constant(known, dtype) if known is not None else cast(as_expr(value), dtype)
    if isinstance(made, Constant) and made.data.ndim:
        made = constant(made.data.reshape(()), dtype)
    result = full(made, shape, dtype)
    declared = node.operation.outputs[0].shape if isinstance(shape, Expr) else None
    if declared is not None and sum(size is None for size in declared) == 1 and 0 not in declared:
        # A computed shape hides the sizes that are known.
        return reshape(result, [-1 if size is None else size for size in declared])
    return result


@converter("aten::ones")
def ones(node: TorchNode) -> Expr:
    """``full`` of ones."""
    return filled(node, sizes(node, 0), 1, wanted_dtype(node, 1, node.model.default_dtype))


@converter("aten::zeros")
def zeros_(node: TorchNode) -> Expr:
    """``full`` of zeros."""
    return filled(node, sizes(node, 0), 0, wanted_dtype(node, 1, node.model.default_dtype))


@converter("aten::full")
def full_(node: TorchNode) -> Expr:
    """``full``."""
    return filled(node, sizes(node, 0), node[1], wanted_dtype(node, 2, _dtype_of_value(node, 1)))


def _dtype_of_value(node: TorchNode, index: int) -> str:
    """The dtype of a tensor filled with a number: TVM takes the default one for all."""
    if isinstance(node[index], bool):
        return "bool"
    return "int64" if isinstance(node[index], int) and node.is_exported else node.model.default_dtype


@converter("aten::new_ones")
def new_ones(node: TorchNode) -> Expr:
    """``full`` of ones, in the dtype of the input."""
    return filled(node, sizes(node, 1), 1, wanted_dtype(node, 2, node.dtype()))


@converter("aten::new_zeros")
def new_zeros(node: TorchNode) -> Expr:
    """``full`` of zeros, in the dtype of the input."""
    return filled(node, sizes(node, 1), 0, wanted_dtype(node, 2, node.dtype()))


@converter("aten::new_full")
def new_full(node: TorchNode) -> Expr:
    """``full``, in the dtype of the input."""
    return filled(node, sizes(node, 1), node[2], wanted_dtype(node, 3, node.dtype()))


def _like(node: TorchNode, name: str, dtype_index: int, *more: Expr) -> Expr:
    made = call(name, node.tensor(), *more)
    # TVM makes it of the default dtype where none is asked for, PyTorch of the input's.
    dtype = wanted_dtype(node, dtype_index, node.dtype())
    return made if dtype_of(made) == dtype else cast(made, dtype)


@converter("aten::ones_like")
def ones_like(node: TorchNode) -> Expr:
    """``ones_like``, cast where another dtype is asked for."""
    return _like(node, "ones_like", 1)


@converter("aten::zeros_like")
def zeros_like(node: TorchNode) -> Expr:
    """``zeros_like``, cast where another dtype is asked for."""
    return _like(node, "zeros_like", 1)


@converter("aten::full_like")
def full_like(node: TorchNode) -> Expr:
    """``full_like``, cast where another dtype is asked for."""
    return _like(node, "full_like", 2, node.tensor(1))


@converter("aten::zero_")
def zero_(node: TorchNode) -> Expr:
    """``full`` of zeros in the shape of the input."""
    return filled(node, list(node.static_shape()), 0, node.dtype())


@converter("aten::fill_", "aten::fill")
def fill(node: TorchNode) -> Expr:
    """``full`` in the shape of the input; ``full_like`` where that is not known."""
    if not node.has_static_shape():
        return call("full_like", node.tensor(), cast(node.tensor(1), node.dtype()))
    return filled(node, list(node.static_shape()), node[1], node.dtype())


@converter("aten::empty")
def empty(node: TorchNode) -> Expr:
    """``zeros``: PyTorch does not say what is in an empty tensor."""
    return zeros(sizes(node, 0), wanted_dtype(node, 1, "int64" if not node.is_exported else node.model.default_dtype))


@converter("aten::empty_like")
def empty_like(node: TorchNode) -> Expr:
    """``zeros`` in the shape of the input."""
    return zeros(list(node.static_shape()), wanted_dtype(node, 1, node.dtype()))


@converter("aten::new_empty")
def new_empty(node: TorchNode) -> Expr:
    """``zeros`` in the dtype of the input."""
    return zeros(sizes(node, 1), wanted_dtype(node, 2, node.dtype()))


@converter("aten::scalar_tensor")
def scalar_tensor(node: TorchNode) -> Expr:
    """A constant."""
    dtype = wanted_dtype(node, 1, node.model.default_dtype)
    known = node.known(node[0])
    return cast(node.tensor(), dtype) if known is None else constant(known, dtype)


@converter("aten::arange")
def arange_(node: TorchNode) -> Expr:
    """``arange``; without a dtype ``int64``, and ``float32`` where a bound is a floating-point number."""
    count = len(node) - 4
    node.require(1 <= count <= 3, f"aten::arange has {len(node)} inputs")
    if node[count] is not None:
        dtype = dtype_of_code(node[count])
    else:
        is_float = any(
            isinstance(node[i], float) or (isinstance(node[i], Expr) and "float" in node.dtype(i)) for i in range(count)
        )
        dtype = "float32" if is_float else "int64"
    bounds = [_bound(node, index, dtype) for index in range(count)]
    start = bounds[0] if count > 1 else constant(0, dtype)
    step = bounds[2] if count > 2 else constant(1, dtype)
    return arange(start, bounds[1 if count > 1 else 0], step, dtype)


def _bound(node: TorchNode, index: int, dtype: str) -> Expr:
    value = node[index]
    known = node.known(value)
    if known is not None:
        made = constant(known, dtype)
        return made if not made.data.ndim else constant(made.data.reshape(()), dtype)
    return node.place(cast(as_expr(value), dtype))


@converter("aten::linspace")
def linspace(node: TorchNode) -> Expr:
    """``arange``; the end is one step behind the last number, or half a step, so that rounding does not add one.

    Whole numbers are a constant, and equal numbers ``full``.
    """
    start, stop, count = node.number(0), node.number(1), node.integer(2)
    dtype = wanted_dtype(node, 3, node.model.default_dtype)
    if "float" not in dtype:
        node.unfolded(count, "a number of elements of")
        return Constant(np.trunc(np.linspace(start, stop, count)).astype(dtype))
    if start == stop:
        return full(constant(start, dtype), [count], dtype)
    if count == 1:
        step, end = 1.0, start + 1.0
    else:
        step = (stop - start) / (count - 1)
        end = stop + step
        if step and math.ceil((end - start) / step) != count:
            end = stop + step / 2
    return arange(constant(start, dtype), constant(end, dtype), constant(step, dtype), dtype)


@converter("aten::eye")
def eye(node: TorchNode) -> Expr:
    """``one_hot`` of ``arange``."""
    square = not isinstance(node[1], int) or isinstance(node[1], bool) or len(node) == 5
    rows = node.integer(0)
    columns = rows if square else node.integer(1)
    dtype = wanted_dtype(node, 1 if square else 2, node.model.default_dtype)
    indices = arange(constant(0, "int32"), constant(rows, "int32"), constant(1, "int32"), "int32")
    return call("one_hot", indices, constant(1, dtype), constant(0, dtype), depth=columns, axis=-1, dtype=dtype)
