"""The ``dyn.nn.`` operators: what their namesakes take as attributes, they take as arguments known at run time.

Source of the rule: ``src/relay/op/dyn/nn/pad.cc``, ``src/relay/op/dyn/nn/upsampling.cc``, ``upsampling.h``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import require_rank, tensor_argument
from ..data_layout import Layout, LayoutError, convert_shape, is_convertible
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import in_words
from ..tensor.creation import require_scalar
from .upsampling import UpSampling3DAttrs, UpSamplingAttrs, upsampling_kernel

__all__ = ["DynPadAttrs"]

DATA = Argument("data", "A tensor of any shape.")


@attributes("relay.attrs.PadAttrs")
class DynPadAttrs(Attrs):
    """Attributes of ``dyn.nn.pad``."""

    pad_width: tuple[tuple[int, ...], ...] | None = attribute(doc="None: the widths are an argument.")
    pad_mode: str = attribute(default="constant", doc="What is added: constant, edge (the last element) or reflect.")


def _pad_relation(context: RelationContext) -> Type | None:
    data, width = tensor_argument(context, 0, "data"), tensor_argument(context, 1, "pad_width")
    value = tensor_argument(context, 2, "pad_val")
    if data is None or width is None or value is None:
        return None
    if not data.shape:
        raise RelationError("data must have at least one dimension, but it is a scalar", argument=0)
    require_rank(width, 2, 1, "pad_width", "a pair for each axis of data")
    return TensorType((ANY,) * data.ndim, data.dtype)


def _pad_kernel(attrs: DynPadAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, width, value = inputs
    pairs = [(int(before), int(after)) for before, after in width]
    if attrs.pad_mode == "constant":
        return np.pad(data, pairs, constant_values=value.reshape(()).astype(data.dtype))
    return np.pad(data, pairs, mode="edge" if attrs.pad_mode == "edge" else "reflect")


UpsamplingAttrs: TypeAlias = UpSamplingAttrs | UpSampling3DAttrs


def _reference(attrs: UpsamplingAttrs) -> str:
    return "NCDHW" if isinstance(attrs, UpSampling3DAttrs) else "NCHW"


def _upsampling_relation(context: RelationContext) -> Type | None:
    """The batch and the channels stay; the spatial axes become ``?``."""
    attrs: UpsamplingAttrs = context.attrs
    reference = Layout.parse(_reference(attrs))
    data = tensor_argument(context, 0, "data")
    names = ("scale_d", "scale_h", "scale_w")[-(reference.rank - 2) :]
    scales = [tensor_argument(context, number, name) for number, name in enumerate(names, 1)]
    if data is None:
        return None
    for number, (name, scale) in enumerate(zip(names, scales, strict=True), 1):
        if scale is None:
            return None
        require_scalar(scale, number, name)
    try:
        layout = Layout.parse(attrs.layout)
        if not is_convertible(layout, reference):
            raise LayoutError(f"layout {attrs.layout} does not have the axes of {reference}")
    except LayoutError as error:
        raise RelationError(str(error), attribute="layout") from None
    try:
        shape = convert_shape(data.shape, layout, reference)
    except LayoutError as error:
        raise RelationError(f"data {in_words(data.shape)} does not have the layout: {error}", argument=0) from None
    grown = (*shape[:2], *(ANY,) * (reference.rank - 2))
    return TensorType(convert_shape(grown, reference, layout), data.dtype)


def _upsampling_kernel(attrs: UpsamplingAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, *scales = inputs
    names = ("scale_d", "scale_h", "scale_w")[-len(scales) :]
    given = attrs.replace(**{name: float(scale) for name, scale in zip(names, scales, strict=True)})
    return upsampling_kernel(given, (data,), result_type)


def _upsampling_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The new layout of the data where its spatial axes stand where they stood and are whole, else the old one.

    Source of the rule: ``UpsamplingInferCorrectLayout``.
    """
    declared = cast("UpsamplingAttrs", attrs)
    if new_inputs and isinstance(new_inputs[0], str):
        old, new = Layout.parse(declared.layout), Layout.parse(new_inputs[0])
        spatial = "WHD" if "D" in new else "WH"
        if all(new.index(letter) == old.index(letter) and letter.lower() not in new for letter in spatial):
            declared = replace(declared, layout=new.name)
    # TVM gives the scales, which are scalars, the layout NCHW.
    return InferredLayout((declared.layout, "NCHW", "NCHW"), (declared.layout,), declared)


register(
    Op(
        "dyn.nn.pad",
        doc="``data`` with ``pad_width`` elements before and after along each axis; all dimensions become ``?``.",
        arguments=(
            DATA,
            Argument("pad_width", "Integers of shape (rank, 2): how many elements before and after."),
            Argument("pad_val", "A scalar: what is added in mode constant.", "double"),
        ),
        attrs=DynPadAttrs,
        relation=_pad_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_pad_kernel,
        level=2,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.nn.upsampling",
        doc="Images enlarged by factors along height and width, whose dimensions become ``?``.",
        arguments=(
            Argument("data", "The images."),
            Argument("scale_h", "A scalar: the factor along the height.", "double"),
            Argument("scale_w", "A scalar: the factor along the width.", "double"),
        ),
        attrs=UpSamplingAttrs,
        relation=_upsampling_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_upsampling_kernel,
        infer_layout=_upsampling_layout,
        level=2,
        shape_needs_data=True,
    )
)
register(
    Op(
        "dyn.nn.upsampling3d",
        doc="Volumes enlarged by factors along depth, height and width, whose dimensions become ``?``.",
        arguments=(
            Argument("data", "The volumes."),
            Argument("scale_d", "A scalar: the factor along the depth.", "double"),
            Argument("scale_h", "A scalar: the factor along the height.", "double"),
            Argument("scale_w", "A scalar: the factor along the width.", "double"),
        ),
        attrs=UpSampling3DAttrs,
        relation=_upsampling_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_upsampling_kernel,
        infer_layout=_upsampling_layout,
        level=2,
        shape_needs_data=True,
    )
)
