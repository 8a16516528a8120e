"""Functions of one quantised tensor: dequantise, apply, quantise.

Source of the rule: ``src/relay/qnn/op/op_common.h`` (``QnnElementwiseUnaryFuncRel``), ``leaky_relu.cc``,
``python/tvm/relay/qnn/op/legalizations.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...expressions import NDArray
from ...lazy_numpy import later, np
from ...types import TensorType, Type
from ..arguments import require_dtype, tensor_argument
from ..nn.activation import LeakyReluAttrs
from ..operator import Argument, Kernel, Op, OpPattern, RelationContext, get, register
from . import fixed_point
from .parameters import SCALE, ZERO_POINT, are_known, require_scalar
from .quantize import dequantized, quantized
from .requantize import requantized


def _relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    require_dtype(data, ("int8", "uint8"), 0, "data")
    if not are_known(context, 1, 4):
        return None
    for argument, dtype, name in (
        (1, SCALE, "the scale of the input"),
        (2, ZERO_POINT, "the zero point of the input"),
        (3, SCALE, "output_scale"),
        (4, ZERO_POINT, "output_zero_point"),
    ):
        require_scalar(context, argument, dtype, name)
    return data


def _through_reals(function: Callable[[NDArray], NDArray]) -> Kernel:
    """The kernel of a function of reals. At most 256 values are possible, so it is a look-up, as in TVM."""

    def kernel(attrs: object, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        data, scale, zero_point, output_scale, output_zero_point = inputs
        patterns = np.arange(256, dtype=np.uint8).view(data.dtype)
        with np.errstate(all="ignore"):
            reals = function(dequantized(patterns, scale, zero_point)).astype(np.float32)
            table = quantized(reals, output_scale, output_zero_point, data.dtype.name)
        return table[data.view(np.uint8)]

    return kernel


def _hardswish(x: NDArray) -> NDArray:
    return x * np.clip(x + np.float32(3), 0, 6) / np.float32(6)


def _erf(x: NDArray) -> NDArray:
    kernel = get("erf").kernel
    assert kernel is not None, "erf is declared with its kernel"
    return kernel(None, [x], TensorType(tuple(x.shape), x.dtype.name))


_FUNCTIONS: dict[str, tuple[str, Callable[[NDArray], NDArray]]] = {
    "tanh": ("hyperbolic tangent", later.tanh),
    "exp": ("exponential", later.exp),
    "sqrt": ("square root", later.sqrt),
    "rsqrt": ("reciprocal of the square root", lambda x: 1 / np.sqrt(x)),
    "erf": ("error function", _erf),
    "sigmoid": ("logistic function `1 / (1 + exp(-x))`", lambda x: 1 / (1 + np.exp(-x))),
    "hardswish": ("function `x * min(max(x + 3, 0), 6) / 6`", _hardswish),
    "log": ("natural logarithm", later.log),
    "abs": ("absolute value", later.abs),
}

for _name, (_words, _function) in _FUNCTIONS.items():
    register(
        Op(
            f"qnn.{_name}",
            doc=f"The {_words} of each element of a quantised tensor. The result has the type of `data`.",
            arguments=(
                Argument("data", "The quantised tensor (int8 or uint8), of any shape.", "Quantized Tensor"),
                Argument("scale", "The step of `data`, a scalar."),
                Argument("zero_point", "The zero point of `data`, a scalar."),
                Argument("output_scale", "The step of the result, a scalar."),
                Argument("output_zero_point", "The zero point of the result, a scalar."),
            ),
            relation=_relation,
            pattern=OpPattern.ELEMWISE if _name == "tanh" else OpPattern.OPAQUE,
            kernel=_through_reals(_function),
            level=11,
            non_computational=True,
            without_pattern=_name != "tanh",
        )
    )


def _leaky_relu(attrs: LeakyReluAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, scale, zero_point, output_scale, output_zero_point = inputs
    values = data.astype(np.int32)
    if scale == output_scale and zero_point == output_zero_point:
        moved = values
    else:
        moved = requantized(values, scale, zero_point, output_scale, output_zero_point, "int32")
    negative = fixed_point.multiply(moved, attrs.alpha, to_nearest=False) + fixed_point.multiply(
        output_zero_point.astype(np.int32), 1 - attrs.alpha, to_nearest=False
    )
    return fixed_point.clip_to_dtype(np.where(values < zero_point, negative, moved), data.dtype.name)


register(
    Op(
        "qnn.leaky_relu",
        doc="Of each element of a quantised tensor: itself where it stands for a number that is not negative, else "
        "`alpha` times it. The result has the type of `data`.",
        arguments=(
            Argument("data", "The quantised tensor (int8 or uint8), of any shape.", "Quantized Tensor"),
            Argument("input_scale", "The step of `data`, a scalar."),
            Argument("input_zero_point", "The zero point of `data`, a scalar."),
            Argument("output_scale", "The step of the result, a scalar."),
            Argument("output_zero_point", "The zero point of the result, a scalar."),
        ),
        attrs=LeakyReluAttrs,
        relation=_relation,
        kernel=_leaky_relu,
        level=11,
        non_computational=True,
        without_pattern=True,
    )
)
