"""Quantisation simulated in floats, as TVM's automatic quantisation inserts it.

Source of the rule: ``src/relay/quantize/quantize.cc``, ``quantize.h``, ``python/tvm/relay/quantize/_annotate.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import round_away_from_zero
from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register

__all__ = ["SimulatedQuantizeAttrs"]


@attributes("relay.attrs.SimulatedQuantizeAttrs")
class SimulatedQuantizeAttrs(Attrs):
    """Attributes of ``relay.op.annotation.simulated_quantize``."""

    kind: int = attribute(doc="What is quantised: 0 nothing (pass through), 1 an input, 2 a weight, 3 an activation.")
    sign: bool = attribute(default=True, doc="Whether the quantised dtype is signed.")
    rounding: str = attribute(default="round", doc="How a step is chosen: floor, ceil or round.")


_SCALAR = TensorType((), "float32")
_PASS_THROUGH = 0


def _relation(context: RelationContext) -> Type | None:
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    if not data.ndim:
        raise RelationError("data must not be a scalar", argument=0)
    for argument in (1, 2, 3):
        context.assign(argument, _SCALAR)
    return data


def _kernel(attrs: SimulatedQuantizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, scale, lowest, highest = inputs
    if attrs.kind == _PASS_THROUGH:
        return data
    steps = np.clip(data / scale, lowest, highest)
    return round_away_from_zero(steps) * scale


register(
    Op(
        "relay.op.annotation.simulated_quantize",
        doc="The values of a quantised tensor in floats: `round(clip(data / dom_scale, clip_min, clip_max)) * "
        "dom_scale`. The result has the type of `data`.",
        arguments=(
            Argument("data", "The tensor of floats, not a scalar."),
            Argument("dom_scale", "The step, a float32 scalar."),
            Argument("clip_min", "The least number of steps, a float32 scalar."),
            Argument("clip_max", "The greatest number of steps, a float32 scalar."),
        ),
        attrs=SimulatedQuantizeAttrs,
        relation=_relation,
        pattern=OpPattern.ELEMWISE,
        kernel=_kernel,
        level=11,
    )
)
