"""``qnn.concatenate``.

Source of the rule: ``src/relay/qnn/op/concatenate.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import IncompleteType, TensorType, TupleType, Type
from ..arguments import tensors_argument
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..tensor.concatenation import ConcatenateAttrs, concatenate_layout, concatenate_relation
from .parameters import SCALE, ZERO_POINT, are_known, require_scalar
from .requantize import requantized


def _relation(context: RelationContext) -> Type | None:
    if isinstance(context.types[0], IncompleteType):
        return None
    for argument, dtype, name in ((1, SCALE, "input_scales"), (2, ZERO_POINT, "input_zero_points")):
        parameters = tensors_argument(context, argument, name)
        if parameters is None:
            return None
        for index, parameter in enumerate(parameters):
            if parameter != TensorType((), dtype):
                raise RelationError(
                    f"field {index} of {name} must be a scalar {dtype}, but it is {parameter!r}", argument=argument
                )
    if not are_known(context, 3, 4):
        return None
    require_scalar(context, 3, SCALE, "output_scale")
    require_scalar(context, 4, ZERO_POINT, "output_zero_point")
    return concatenate_relation(context)


def _kernel(attrs: ConcatenateAttrs, inputs: Sequence[tuple[NDArray, ...]], result_type: Type) -> NDArray:
    data, scales, zero_points, output_scale, output_zero_point = inputs
    assert isinstance(output_scale, np.ndarray)
    assert isinstance(output_zero_point, np.ndarray)
    moved = [
        part
        if scale == output_scale and zero_point == output_zero_point
        else requantized(part, scale, zero_point, output_scale, output_zero_point, part.dtype.name)
        for part, scale, zero_point in zip(data, scales, zero_points, strict=True)
    ]
    return np.concatenate(moved, axis=attrs.axis)


def _infer_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The tensors as those of ``concatenate``; the layout ``C`` for every scale and zero point."""
    inferred = concatenate_layout(attrs, new_inputs[:1], old_inputs[:1], types[:1])
    count = len(types[0].fields) if isinstance(types[0], TupleType) else 1
    parameters = ("C",) * count
    return InferredLayout((*inferred.inputs, parameters, parameters, "C", "C"), inferred.outputs, inferred.attrs)


register(
    Op(
        "qnn.concatenate",
        doc="Join quantised tensors along `axis`, each brought to the scale and zero point of the result first. The "
        "shapes are those of `concatenate`.",
        arguments=(
            Argument("data", "A tuple of the quantised tensors."),
            Argument("input_scales", "A tuple of their steps, scalars."),
            Argument("input_zero_points", "A tuple of their zero points, scalars."),
            Argument("output_scale", "The step of the result, a scalar."),
            Argument("output_zero_point", "The zero point of the result, a scalar."),
        ),
        attrs=ConcatenateAttrs,
        relation=_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_kernel,
        infer_layout=_infer_layout,
        level=11,
        non_computational=True,
    )
)
