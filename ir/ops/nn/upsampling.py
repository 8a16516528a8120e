"""Upsampling of images and volumes by a factor.

Source of the rule: ``src/relay/op/nn/upsampling.cc``, ``upsampling.h``, ``python/tvm/topi/nn/upsampling.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import Dim, DimCall, DimCast, DimExpr, DimOperation, FloatImm
from ...expressions import NDArray
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, convert_array, convert_shape
from ..image.interpolation import Interpolation, resize
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, register
from .windows import convertible_layout, shape_in, static

__all__ = ["UpSampling3DAttrs", "UpSamplingAttrs"]

IMAGES, VOLUMES = Layout.parse("NCHW"), Layout.parse("NCDHW")


@attributes("relay.attrs.UpSamplingAttrs")
class UpSamplingAttrs(Attrs):
    """Attributes of upsampling images."""

    scale_h: float = attribute(doc="The factor along the height.")
    scale_w: float = attribute(doc="The factor along the width.")
    layout: str = attribute(default="NCHW", doc="Order of the axes: batch N, channels C, height H, width W.")
    method: str = attribute(default="nearest_neighbor", doc="nearest_neighbor, bilinear or bicubic.")
    align_corners: bool = attribute(default=False, doc="Whether the corners of data and result meet at their centres.")


@attributes("relay.attrs.UpSampling3DAttrs")
class UpSampling3DAttrs(Attrs):
    """Attributes of upsampling volumes."""

    scale_d: float = attribute(doc="The factor along the depth.")
    scale_h: float = attribute(doc="The factor along the height.")
    scale_w: float = attribute(doc="The factor along the width.")
    layout: str = attribute(default="NCDHW", doc="Order of the axes: batch N, channels C, depth D, height H, width W.")
    method: str = attribute(default="nearest_neighbor", doc="nearest_neighbor or trilinear.")
    coordinate_transformation_mode: str = attribute(
        default="half_pixel", doc="How places in the result map to the data: half_pixel, align_corners or asymmetric."
    )


def _scales(attrs: UpSamplingAttrs | UpSampling3DAttrs) -> tuple[float, ...]:
    if isinstance(attrs, UpSampling3DAttrs):
        return (attrs.scale_d, attrs.scale_h, attrs.scale_w)
    return (attrs.scale_h, attrs.scale_w)


def scaled(size: Dim, scale: float) -> Dim:
    """``size * scale`` rounded, halves to the even number; an expression where ``size`` is not a number."""
    if isinstance(size, DimExpr):
        product = DimOperation("*", DimCast("float64", size), FloatImm(scale, "float64"))
        return DimCast(size.dtype, DimCall("tir.round", (product,), "float64"))
    return round(size * scale)


def upsampling_relation(context: RelationContext) -> Type | None:
    """The data's shape with each spatial axis multiplied by its factor and rounded.

    Raises:
        RelationError: the layout or the rank of ``data`` does not fit.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: UpSamplingAttrs | UpSampling3DAttrs = context.attrs
    reference = VOLUMES if isinstance(attrs, UpSampling3DAttrs) else IMAGES
    layout = convertible_layout(attrs.layout, reference, "layout")
    shape = shape_in(data.shape, layout, reference, 0, "data")
    sizes = (scaled(size, scale) for size, scale in zip(shape[2:], _scales(attrs), strict=True))
    return TensorType(convert_shape((*shape[:2], *sizes), reference, layout), data.dtype)


def upsampling_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The data's new layout where its spatial axes are in the same places and whole, else the old one.

    Source of the rule: ``UpsamplingInferCorrectLayout``.
    """
    names: UpSamplingAttrs | UpSampling3DAttrs = attrs  # pyright: ignore[reportAssignmentType]
    if new_inputs and isinstance(new_inputs[0], str):
        old, new = Layout.parse(names.layout), Layout.parse(new_inputs[0])
        letters = "HWD" if "D" in new else "HW"
        if all(new.index(letter) == old.index(letter) and letter.lower() not in new for letter in letters):
            names = names.replace(layout=new_inputs[0])
    return InferredLayout((names.layout,), (names.layout,), names)


def upsampling_kernel(
    attrs: UpSamplingAttrs | UpSampling3DAttrs, inputs: Sequence[NDArray], result_type: Type
) -> NDArray:
    """Resize to the size of the result."""
    assert isinstance(result_type, TensorType)
    layout = Layout.parse(attrs.layout)
    if isinstance(attrs, UpSampling3DAttrs):
        reference, mode = VOLUMES, attrs.coordinate_transformation_mode
        method = attrs.method.removeprefix("tri")
    else:
        reference, mode = IMAGES, "align_corners" if attrs.align_corners else "asymmetric"
        method = attrs.method.removeprefix("bi")
    data = convert_array(inputs[0], layout, reference)
    size = static([scaled(side, scale) for side, scale in zip(data.shape[2:], _scales(attrs), strict=True)])
    resized = resize(data, size, (0.0,) * (2 * len(size)), Interpolation(method, mode))
    return convert_array(resized, reference, layout).astype(numpy_dtype(result_type.dtype), copy=False)


register(
    Op(
        "nn.upsampling",
        doc="""Enlarge images by a factor along height and width.

        ``data`` of shape (batch, channels, height, width) gives (batch, channels, height * scale_h, width * scale_w),
        rounded, in the default layout.
        """,
        arguments=(Argument("data", "The images."),),
        attrs=UpSamplingAttrs,
        relation=upsampling_relation,
        pattern=OpPattern.INJECTIVE,
        infer_layout=upsampling_layout,
        kernel=upsampling_kernel,
        level=2,
    )
)
register(
    Op(
        "nn.upsampling3d",
        doc="""Enlarge volumes by a factor along depth, height and width.

        ``data`` of shape (batch, channels, depth, height, width) gives (batch, channels, depth * scale_d,
        height * scale_h, width * scale_w), rounded, in the default layout.
        """,
        arguments=(Argument("data", "The volumes."),),
        attrs=UpSampling3DAttrs,
        relation=upsampling_relation,
        pattern=OpPattern.INJECTIVE,
        infer_layout=upsampling_layout,
        kernel=upsampling_kernel,
        level=2,
    )
)
