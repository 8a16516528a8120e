"""``FTVMQnnLegalize``: quantised operators in forms that suit a target, as far as that does not depend on the target.

Source of the rule: ``python/tvm/relay/qnn/op/legalizations.py``, ``canonicalizations.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.ops import operator
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.nn.windows import padding_on_both_sides
from relay_lsp.ir.types import TensorType

from .operator_call import LegalizationRule, OperatorCall
from .requantization import cast

__all__ = ["QUANTIZED"]


def _conv2d_transpose(call: OperatorCall) -> Expr:
    """The transposed convolution of the numbers less their zero points, in int16."""
    data = _shifted(call, 0, 2)
    weight = _shifted(call, 1, 3)
    attrs = replace(call.attrs, padding=padding_on_both_sides(call.attrs.padding, 2))
    return Call(operator.get("nn.conv2d_transpose"), (data, weight), attrs)


def _shifted(call: OperatorCall, argument: int, zero_point_argument: int) -> Expr:
    value = cast(call.args[argument], "int16")
    zero_point = cast(call.args[zero_point_argument], "int16")
    if call.is_scalar(zero_point_argument):
        return apply("subtract", value, zero_point)
    return apply("nn.bias_add", value, apply("negative", zero_point))


def _looked_up(call: OperatorCall) -> Expr:
    """A function of one quantised tensor as a table of all that it can give."""
    op = call.place.op
    data, *parameters = call.args
    dtype = call.tensor_type(0).dtype
    if not isinstance(op, operator.Op) or op.kernel is None:
        raise call.refused("it cannot be computed")
    values = [call.constant(parameter, "every scale and zero point").data.reshape(()) for parameter in parameters]
    bits = np.iinfo(dtype).bits
    inputs = np.arange(1 << bits).astype(f"uint{bits}").view(dtype)
    table = op.kernel(None, [inputs, *values], TensorType((1 << bits,), dtype))
    index = apply("reinterpret", data, dtype=f"uint{bits}")
    return apply("take", Constant(table, dtype), index, axis=0, mode="fast")


QUANTIZED: Final[Mapping[str, LegalizationRule]] = {
    "qnn.conv2d_transpose": _conv2d_transpose,
    **{
        f"qnn.{name}": _looked_up
        for name in ("abs", "erf", "exp", "hardswish", "log", "rsqrt", "sigmoid", "sqrt", "tanh")
    },
}
"""``qnn.conv2d`` and ``qnn.dense`` change for certain targets only."""
