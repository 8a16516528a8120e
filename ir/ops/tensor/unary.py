"""Functions of one element: roundings, powers, logarithms, trigonometry, tests, and the approximations of FastMath.

Source of the rule: ``src/relay/op/tensor/unary.cc``, ``include/tvm/topi/elemwise.h``,
``include/tvm/relay/attrs/transform.h``; the coefficients of the approximations stand there and in ``src/tir/op/op.cc``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import round_away_from_zero
from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import later, np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..identity import identity_kernel, identity_relation
from ..layout_inference import elementwise_layout
from ..operator import Argument, Op, OpPattern, RelationContext, register

__all__ = ["ClipAttrs", "test_relation"]

DATA = (Argument("data", "A tensor of any shape."),)


@attributes("relay.attrs.ClipAttrs")
class ClipAttrs(Attrs):
    """Attributes of ``clip``."""

    a_min: float = attribute(doc="The smallest value that is kept; what is below becomes it.")
    a_max: float = attribute(doc="The largest value that is kept; what is above becomes it.")


def test_relation(context: RelationContext) -> Type | None:
    """A tensor of ``bool`` in the shape of ``data``.

    Source of the rule: ``src/relay/op/type_relations.cc`` (``IdentityCompRel``).
    """
    data = tensor_argument(context, 0, "data")
    return None if data is None else TensorType(data.shape, "bool")


def _elementwise(function: Callable[[NDArray], NDArray]) -> Callable[[object, Sequence[NDArray], Type], NDArray]:
    """A kernel that applies ``function`` and keeps the dtype; values outside its domain become NaN silently."""

    def kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        with np.errstate(all="ignore"):
            return np.asarray(function(inputs[0])).astype(inputs[0].dtype, copy=False)

    return kernel


def _test(function: Callable[[NDArray], NDArray]) -> Callable[[object, Sequence[NDArray], Type], NDArray]:
    def kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        return np.asarray(function(inputs[0]), np.bool_)

    return kernel


def _rounded(function: Callable[[NDArray], NDArray]) -> Callable[[NDArray], NDArray]:
    """``function`` for floats; integers are whole already."""
    return lambda data: data if data.dtype.kind in "iub" else function(data)


def _in_float32(function: Callable[[NDArray], NDArray]) -> Callable[[NDArray], NDArray]:
    """``function`` computed in at least single precision, as TVM computes half-precision functions."""
    return lambda data: function(data if data.dtype.name in ("float32", "float64") else data.astype(np.float32))


def _error_function(data: NDArray) -> NDArray:
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(data.astype(np.float64))).astype(np.float64)


def _sigmoid(data: NDArray) -> NDArray:
    return 1 / (1 + np.exp(-data))


def _negative(data: NDArray) -> NDArray:
    # numpy refuses to negate bool; TVM's -x on uint1 is the same bit.
    return data if data.dtype == np.bool_ else np.negative(data)


def _polynomial(data: NDArray, coefficients: Sequence[float]) -> NDArray:
    """The polynomial with ``coefficients`` from the highest power down, by Horner's rule in the dtype of ``data``."""
    value = np.full_like(data, coefficients[0])
    for coefficient in coefficients[1:]:
        value = data * value + data.dtype.type(coefficient)
    return value


def _fast_exp(data: NDArray) -> NDArray:
    """2 to the whole part of ``data / ln 2``, times a polynomial of the rest; only float32 is approximated."""
    if data.dtype != np.float32:
        return np.exp(data)
    bounded = np.clip(data, np.float32(-88.3762626647949), np.float32(88.3762626647950))
    whole = np.floor(bounded * np.float32(1.44269504088896341) + np.float32(0.5))
    rest = bounded - whole * np.float32(0.6931471805599453)
    coefficients = (
        1.9875691500e-4,
        1.3981999507e-3,
        8.3334519073e-3,
        4.1665795894e-2,
        1.6666665459e-1,
        5.0000001201e-1,
    )
    power = _polynomial(rest, coefficients) * rest * rest + rest + np.float32(1)
    # The bits of a float32 hold its exponent, biased by 127, from bit 23 on.
    scale = ((whole + np.float32(127)).astype(np.int32) << 23).view(np.float32)
    return np.maximum(scale * power, data)


def _fast_tanh(data: NDArray) -> NDArray:
    """A quotient of two polynomials on [-9, 9], outside of which float32's tanh is 1; only floats are approximated."""
    if data.dtype.name not in ("float32", "float64"):
        return np.tanh(data)
    bounded = np.clip(data, data.dtype.type(-9), data.dtype.type(9))
    square = bounded * bounded
    odd = (
        -2.76076847742355e-16,
        2.00018790482477e-13,
        -8.60467152213735e-11,
        5.12229709037114e-08,
        1.48572235717979e-05,
        6.37261928875436e-04,
        4.89352455891786e-03,
    )
    even = (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
    return bounded * _polynomial(square, odd) / _polynomial(square, even)


def _fast_erf(data: NDArray) -> NDArray:
    """A quotient of two polynomials on [-4, 4]; only float32 and float16 are approximated."""
    if data.dtype.name not in ("float32", "float16"):
        return _error_function(data)
    bounded = np.clip(data, data.dtype.type(-4), data.dtype.type(4))
    square = bounded * bounded
    odd = (
        -2.72614225801306e-10,
        2.77068142495902e-08,
        -2.10102402082508e-06,
        -5.69250639462346e-05,
        -7.34990630326855e-04,
        -2.95459980854025e-03,
        -1.60960333262415e-02,
    )
    even = (
        -1.45660718464996e-05,
        -2.13374055278905e-04,
        -1.68282697438203e-03,
        -7.37332916720468e-03,
        -1.42647390514189e-02,
    )
    return bounded * _polynomial(square, odd) / _polynomial(square, even)


def _clip_kernel(attrs: ClipAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    if data.dtype.kind in "iu":
        limits = np.iinfo(data.dtype)
        low = int(max(min(math.trunc(attrs.a_min), limits.max), limits.min))
        high = int(max(min(math.trunc(attrs.a_max), limits.max), limits.min))
        return np.maximum(np.minimum(data, data.dtype.type(high)), data.dtype.type(low))
    return np.maximum(np.minimum(data, data.dtype.type(attrs.a_max)), data.dtype.type(attrs.a_min))


def _declare(name: str, level: int, function: Callable[[NDArray], NDArray], doc: str, **options: Any) -> Op:
    settings: dict[str, Any] = {
        "arguments": DATA,
        "relation": identity_relation,
        "pattern": OpPattern.ELEMWISE,
        "kernel": _elementwise(function),
        "infer_layout": elementwise_layout,
    }
    return register(Op(name, doc=doc, level=level, **(settings | options)))


_SAME = "The result has the shape and dtype of ``data``."

_FUNCTIONS: tuple[tuple[str, int, Callable[[NDArray], NDArray], str], ...] = (
    ("log", 1, _in_float32(later.log), "The natural logarithm of each element."),
    ("log2", 1, _in_float32(later.log2), "The logarithm to base 2 of each element."),
    ("log10", 1, _in_float32(later.log10), "The logarithm to base 10 of each element."),
    ("exp", 1, _in_float32(later.exp), "e raised to the power of each element."),
    ("sqrt", 1, _in_float32(later.sqrt), "The square root of each element."),
    ("rsqrt", 1, _in_float32(lambda data: 1 / np.sqrt(data)), "One divided by the square root of each element."),
    ("erf", 1, _error_function, "The error function of each element."),
    ("sigmoid", 1, _in_float32(_sigmoid), "The logistic function ``1 / (1 + exp(-x))`` of each element."),
    ("tanh", 1, _in_float32(later.tanh), "The hyperbolic tangent of each element."),
    ("cos", 1, _in_float32(later.cos), "The cosine of each element, an angle in radians."),
    ("cosh", 1, _in_float32(later.cosh), "The hyperbolic cosine of each element."),
    ("sin", 1, _in_float32(later.sin), "The sine of each element, an angle in radians."),
    ("sinh", 1, _in_float32(later.sinh), "The hyperbolic sine of each element."),
    ("tan", 1, _in_float32(later.tan), "The tangent of each element, an angle in radians."),
    ("acos", 1, _in_float32(later.arccos), "The angle in radians whose cosine each element is."),
    ("acosh", 1, _in_float32(later.arccosh), "The inverse hyperbolic cosine of each element."),
    ("asin", 1, _in_float32(later.arcsin), "The angle in radians whose sine each element is."),
    ("asinh", 1, _in_float32(later.arcsinh), "The inverse hyperbolic sine of each element."),
    ("atan", 1, _in_float32(later.arctan), "The angle in radians whose tangent each element is."),
    ("atanh", 1, _in_float32(later.arctanh), "The inverse hyperbolic tangent of each element."),
    ("floor", 3, _rounded(later.floor), "The largest whole number that is not above each element."),
    ("ceil", 3, _rounded(later.ceil), "The smallest whole number that is not below each element."),
    ("trunc", 3, _rounded(later.trunc), "Each element without its fraction (rounded towards zero)."),
    ("round", 3, _rounded(round_away_from_zero), "The nearest whole number to each element, halves away from zero."),
    ("sign", 3, later.sign, "-1, 0 or 1, as each element is negative, zero or positive."),
    ("abs", 3, later.abs, "The absolute value of each element."),
    ("negative", 3, _negative, "Each element with its sign changed."),
    ("logical_not", 4, later.logical_not, "Whether each element is zero (false), in the dtype of ``data``."),
    ("bitwise_not", 4, later.invert, "Each element with all its bits inverted."),
    (
        "fast_exp",
        1,
        _fast_exp,
        "e raised to the power of each element, approximated by a polynomial for float32 (see the pass FastMath).",
    ),
    (
        "fast_tanh",
        1,
        _fast_tanh,
        "The hyperbolic tangent of each element, approximated by a quotient of polynomials (see the pass FastMath).",
    ),
    (
        "fast_erf",
        1,
        _fast_erf,
        "The error function of each element, approximated by a quotient of polynomials (see the pass FastMath).",
    ),
)

for _name, _level, _function, _doc in _FUNCTIONS:
    _declare(_name, _level, _function, f"{_doc} {_SAME}")

_TESTS: tuple[tuple[str, Callable[[NDArray], NDArray], str], ...] = (
    ("isnan", later.isnan, "Whether each element is not a number"),
    ("isfinite", later.isfinite, "Whether each element is a number and not infinite"),
    ("isinf", later.isinf, "Whether each element is infinite, of either sign"),
)

for _name, _function, _doc in _TESTS:
    _declare(
        _name,
        3,
        _function,
        f"{_doc}. The result is of dtype ``bool`` and has the shape of ``data``.",
        relation=test_relation,
        kernel=_test(_function),
    )

register(
    Op(
        "copy",
        doc=f"A copy of ``data``. {_SAME}",
        arguments=DATA,
        relation=identity_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=identity_kernel,
        infer_layout=elementwise_layout,
        level=3,
    )
)

register(
    Op(
        "clip",
        doc=f"Each element limited to [a_min, a_max]; where a_min is above a_max, everything becomes a_min. {_SAME}",
        arguments=DATA,
        attrs=ClipAttrs,
        relation=identity_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_clip_kernel,
        infer_layout=elementwise_layout,
        level=3,
    )
)

# The registry has the name only because FakeQuantizationToInteger lists a rewriting for it.
register(
    Op(
        "hardswish",
        doc="A name in TVM's registry without a type relation, so that a call of it cannot be typed; the quantised "
        "operator is qnn.hardswish.",
        level=10,
        without_pattern=True,
    )
)
