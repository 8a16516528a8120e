"""Operators as functions, ``relay.nn.conv2d(data, weight, padding=1)``: generated from the operators' declarations.

The functions that choose between operators, or build several, are those of the importers
(:mod:`relay_lsp.frontends.operators`) and a few that are written here.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Final, cast

import numpy as np

from relay_lsp.frontends import operators
from relay_lsp.ir.attributes import AttributeField, AttributeValueError
from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Constant, Expr, Tuple
from relay_lsp.ir.ops import find, registered
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.ops.window_arguments import spell_out
from relay_lsp.passes.infrastructure import did_you_mean

from .signatures import OperatorParameter, parameters_of

__all__ = ["OperatorNamespace", "as_expression", "operator_function", "operator_module"]


class OperatorNamespace(ModuleType):
    """The functions of the operators whose names begin with a prefix, as attributes; ``relay.nn`` is ``nn.``."""

    def __init__(self, prefix: str = "", title: str = "relay") -> None:
        super().__init__(title)
        self._prefix = prefix
        self._title = title

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):  # what the import system asks of a module
            raise AttributeError(name)
        function = _find(self._prefix + name)
        if function is None:
            raise AttributeError(f"{self._title} has no operator {name}{did_you_mean(name, dir(self))}")
        return function

    def __dir__(self) -> list[str]:
        known = (*registered(), *_COMPOSED)
        names = (name.removeprefix(self._prefix) for name in known if name.startswith(self._prefix))
        return sorted({name for name in names if "." not in name})


def operator_module(package: str, name: str, prefix: str, title: str) -> OperatorNamespace:
    """The operators with a prefix as a module of a package, from which scripts import them."""
    return cast("OperatorNamespace", sys.modules.setdefault(f"{package}.{name}", OperatorNamespace(prefix, title)))


@functools.cache
def operator_function(op: Op) -> Callable[..., Expr]:
    """A function that calls ``op`` with arguments and attributes, by position in TVM's order or by name."""
    parameters = parameters_of(op)
    signature = inspect.Signature(
        [
            inspect.Parameter(each.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=each.default)
            for each in parameters
        ]
    )

    def function(*args: Any, **options: Any) -> Expr:
        bound = signature.bind(*args, **options)
        bound.apply_defaults()
        return _call(op, parameters, bound.arguments)

    function.__name__ = function.__qualname__ = op.name.rpartition(".")[2]
    function.__doc__ = op.doc
    function.__signature__ = signature  # pyright: ignore[reportFunctionMemberAccess]
    return function


def as_expression(value: Any) -> Expr:
    """An expression; a list of them as a tuple, and numbers as a constant."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, operators.Outputs):
        return value.value
    parts = cast("Sequence[object]", value) if isinstance(value, (list, tuple)) else ()
    if any(isinstance(each, (Expr, operators.Outputs)) for each in parts):
        return Tuple([as_expression(each) for each in parts])
    return constant(cast("Any", value))


def _find(name: str) -> Callable[..., Any] | None:
    composed = _COMPOSED.get(name)
    if composed is not None:
        return composed
    op = find(name) or find(name.removeprefix("annotation.")) or find(name.replace("_nchwc", "_NCHWc"))
    return None if op is None else operator_function(op)


def _call(op: Op, parameters: Sequence[OperatorParameter], given: dict[str, Any]) -> Expr:
    values = spell_out(op.name, {each.declared: given[each.name] for each in parameters})
    arguments = [as_expression(values.pop(argument.name)) for argument in op.arguments if argument.name in values]
    declared = op.attrs_type or op.metadata_attrs_type
    fields: Mapping[str, AttributeField] = {} if declared is None else declared.fields()
    attributes = {name: _attribute(fields.get(name), value) for name, value in values.items()}
    for name, field in fields.items():
        if field.required and name not in attributes:
            attributes[name] = ast.literal_eval(field.placeholder or "None")  # An argument says it instead.
    return call(op, *arguments, **{name: value for name, value in attributes.items() if value is not _LEFT_OUT})


_LEFT_OUT: Final = object()


def _attribute(field: AttributeField | None, given: object) -> object:
    """``value`` as the attribute takes it: a number may stand for a list of one, and ``None`` for the default."""
    if field is None:
        return given
    value: object = given.data.reshape(-1) if isinstance(given, Constant) else given
    if isinstance(value, (np.ndarray, np.generic)):
        value = cast("object", value.tolist())
    for candidate in (value, [value]):
        try:
            field.convert(candidate)
        except AttributeValueError:
            continue
        return candidate
    return _LEFT_OUT if value is None and not field.required else value


def _unwrapped(function: Callable[..., Any]) -> Callable[..., Expr]:
    """A function of the importers, whose several results become one expression."""

    @functools.wraps(function)
    def made(*args: Any, **options: Any) -> Expr:
        return as_expression(function(*args, **options))

    return made


# ---- functions that build more than one call


def _arange(start: Any, stop: Any = None, step: Any = None, dtype: str = "float32") -> Expr:
    if stop is None:
        start, stop = constant(0, dtype), start
    return operators.arange(start, stop, step, dtype)


def _full(fill_value: Expr, shape: Any = (), dtype: str = "") -> Expr:
    return operators.full(fill_value, shape, dtype)


def _axes(axis: int | Sequence[int] | None) -> Sequence[int] | None:
    return [axis] if isinstance(axis, int) else axis


def _std(data: Expr, axis: Any = None, keepdims: bool = False, exclude: bool = False, unbiased: bool = False) -> Expr:
    return call("sqrt", operators.variance(data, axis, keepdims, exclude, unbiased))


def _mean_std(data: Expr, axis: Any = None, keepdims: bool = False, exclude: bool = False) -> Expr:
    mean = operators.reduce("mean", data, axis, True, exclude)
    spread = call("sqrt", operators.variance(data, axis, keepdims, exclude, with_mean=mean))
    return Tuple([mean if keepdims else operators.squeeze(mean), spread])


def _logsumexp(data: Expr, axis: Any = None, keepdims: bool = False) -> Expr:
    largest = operators.reduce("max", data, axis, True)
    shifted = call("exp", call("subtract", data, largest))
    total = call("add", call("log", operators.reduce("sum", shifted, axis, True)), largest)
    return total if keepdims else operators.squeeze(total, _axes(axis))


def _dropout(data: Expr, rate: float = 0.5) -> Expr:
    return call("nn.dropout", data, rate=rate)[0]


def _matmul(
    tensor_a: Expr,
    tensor_b: Expr,
    units: Any = None,
    out_dtype: str = "",
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Expr:
    if transpose_b and not transpose_a:
        return call("nn.dense", tensor_a, tensor_b, units=units, out_dtype=out_dtype)
    sides = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return call("nn.matmul", tensor_a, tensor_b, units=units, out_dtype=out_dtype, **sides)


def _global_pool(rank: int, kind: str, layout: str) -> Callable[..., Expr]:
    def pool(data: Expr, layout: str = layout, out_layout: str = "") -> Expr:
        name = f"nn.adaptive_{kind}_pool{rank}d"
        return call(name, data, output_size=[1] * rank, layout=layout, out_layout=out_layout)

    return pool


def _strided_set(data: Expr, v: Expr, begin: Any, end: Any, strides: Any = None) -> Expr:
    bounds = (as_expression(begin), as_expression(end), as_expression([1] if strides is None else strides))
    return call("strided_set", data, v, *bounds)


def _collapse_sum_to(data: Expr, shape: Any) -> Expr:
    if not isinstance(shape, Expr):
        shape = constant(list(shape), "int32")
    sizes = shape.data.reshape(-1).tolist() if isinstance(shape, Constant) else []
    return call("collapse_sum_to", data, shape, shape=sizes)


def _trilu(data: Expr, k: Any, upper: bool = True) -> Expr:
    return call("trilu", data, k if isinstance(k, Expr) else constant(k, "int32"), upper=upper)


def _matrix_set_diag(data: Expr, diagonal: Expr, k: int | Sequence[int] = 0, align: str = "RIGHT_LEFT") -> Expr:
    low, high = (k, k) if isinstance(k, int) else (k[0], k[-1])
    alignment = {
        "super_diag_right_align": align[:5] == "RIGHT",
        "sub_diag_right_align": align[-5:] == "RIGHT",
    }
    return call("matrix_set_diag", data, diagonal, k1=low, k2=high, **alignment)


def _reverse_reshape(data: Expr, newshape: Any) -> Expr:
    return call("contrib_reverse_reshape", data, newshape=newshape)


def _stft(
    data: Expr,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Expr | None = None,
    normalized: bool = False,
    onesided: bool = True,
) -> Expr:
    return call(
        "stft",
        data,
        operators.ones([n_fft], "int32") if window is None else window,
        n_fft=n_fft,
        hop_length=n_fft // 4 if hop_length is None else hop_length,
        win_length=n_fft if win_length is None else win_length,
        normalized=normalized,
        onesided=onesided,
    )


def _sparse_parts(matrix: Any) -> Sequence[Expr]:
    """Data, indices and row pointers of a sparse matrix: an object that has them, or the three."""
    return (matrix.data, matrix.indices, matrix.indptr) if hasattr(matrix, "indices") else tuple(matrix)


def _sparse_dense(dense_mat: Expr, sparse_mat: Any, sparse_lhs: bool = False) -> Expr:
    return call("nn.sparse_dense", dense_mat, *_sparse_parts(sparse_mat), sparse_lhs=sparse_lhs)


def _sparse_add(dense_mat: Expr, sparse_mat: Any) -> Expr:
    return call("nn.sparse_add", dense_mat, *_sparse_parts(sparse_mat))


def _sparse_transpose(x: Any) -> Expr:
    return call("nn.sparse_transpose", *_sparse_parts(x))


def _qnn_batch_matmul(
    x: Expr,
    y: Expr,
    x_zero_point: Expr,
    y_zero_point: Expr,
    x_scale: Expr,
    y_scale: Expr,
    out_dtype: str = "int32",
) -> Expr:
    operands = (x, y, x_zero_point, y_zero_point, x_scale, y_scale)
    return call("qnn.batch_matmul", *operands, out_dtype=out_dtype, transpose_a=False, transpose_b=True)


def _uniform(key: Expr, shape: Any, dtype: str = "float32", low: Any = 0.0, high: Any = 1.0) -> Expr:
    return _random("random.uniform", key, shape, dtype, low, high)


def _normal(key: Expr, shape: Any, dtype: str = "float32", mean: Any = 0.0, scale: Any = 1.0) -> Expr:
    return _random("random.normal", key, shape, dtype, mean, scale)


def _random(name: str, key: Expr, shape: Any, dtype: str, *bounds: Any) -> Expr:
    numbers = [each if isinstance(each, Expr) else constant(each, dtype) for each in bounds]
    return call(name, key, *numbers, out_shape=shape, out_dtype=dtype)


def _threefry_key(seed: int) -> Constant:
    words = np.frombuffer(seed.to_bytes(32, sys.byteorder), dtype="uint64")
    return Constant(np.concatenate((words, np.array([0, 0, 0, 0, 1 << 63, 0], dtype="uint64"))))


_CHOOSING: Final = (
    "reshape",
    "expand_dims",
    "squeeze",
    "broadcast_to",
    "tile",
    "zeros",
    "ones",
    "stack",
    "concatenate",
    "split",
    "strided_slice",
    "one_hot",
    "topk",
    "variance",
    "mean_variance",
)
"""Functions of the importers that TVM has under the same name."""

_COMPOSED: Final[dict[str, Callable[..., Any]]] = {
    **{name: _unwrapped(getattr(operators, name)) for name in _CHOOSING},
    **{f"nn.{name}": getattr(operators, name) for name in ("pad", "upsampling", "upsampling3d")},
    **{f"image.resize{rank}d": functools.partial(operators.resize, rank) for rank in (1, 2, 3)},
    **{
        f"nn.global_{kind}_pool{rank}d": _global_pool(rank, kind, layout)
        for kind in ("max", "avg")
        for rank, layout in ((1, "NCW"), (3, "NCDHW"))
    },
    "arange": _arange,
    "full": _full,
    "std": _std,
    "mean_std": _mean_std,
    "logsumexp": _logsumexp,
    "nn.dropout": _dropout,
    "nn.matmul": _matmul,
    "strided_set": _strided_set,
    "collapse_sum_to": _collapse_sum_to,
    "reverse_reshape": _reverse_reshape,
    "stft": _stft,
    "nn.sparse_dense": _sparse_dense,
    "nn.sparse_add": _sparse_add,
    "nn.sparse_transpose": _sparse_transpose,
    "trilu": _trilu,
    "matrix_set_diag": _matrix_set_diag,
    "qnn.batch_matmul": _qnn_batch_matmul,
    "random.threefry_key": _threefry_key,
    "random.uniform": _uniform,
    "random.normal": _normal,
}
