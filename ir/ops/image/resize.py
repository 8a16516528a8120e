"""``image.resize1d``, ``resize2d``, ``resize3d``, ``image.crop_and_resize`` and ``dyn.image.resize2d``.

Source of the rule: ``src/relay/op/image/resize.cc``, ``src/relay/op/dyn/image/resize.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import numpy_dtype
from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import DataType, TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, convert_array, convert_shape
from ..layout_inference import InferLayout, InferredLayout, Layouts
from ..nn.windows import convertible_layout, shape_in, static
from ..operator import Argument, Kernel, Op, OpPattern, RelationContext, RelationError, TypeRelation, register
from .interpolation import Interpolation, resample, resize

__all__ = ["CropAndResizeAttrs", "Resize1DAttrs", "Resize2DAttrs", "Resize3DAttrs"]


@attributes()
class ResizeAttrs(Attrs):
    """What the three ``resize`` operators share."""

    size: Shape | None = attribute(default=None, doc="Sizes of the result along the spatial axes.")
    roi: tuple[float, ...] | None = attribute(
        default=None,
        doc="Region of interest for the mode `tf_crop_and_resize`: the starts along the spatial axes, then the ends, "
        "as parts of the image.",
    )
    layout: str = attribute(doc="Layout of `data` and of the result.")
    method: str = attribute(default="linear", doc="Interpolation: `nearest_neighbor`, `linear` or `cubic`.")
    coordinate_transformation_mode: str = attribute(
        default="half_pixel",
        doc="Where an element of the result lies in `data`: `half_pixel`, `align_corners`, `asymmetric`, "
        "`pytorch_half_pixel`, `tf_half_pixel_for_nn` or `tf_crop_and_resize`.",
    )
    rounding_method: str = attribute(
        default="round",
        doc="Which neighbour is the nearest: `round`, `round_prefer_floor`, `round_prefer_ceil`, `floor` or `ceil`; "
        "empty for `round` with `align_corners` and `floor` otherwise.",
    )
    cubic_alpha: float = attribute(default=-0.5, doc="Coefficient of the cubic spline.")
    cubic_exclude: int = attribute(
        default=0, doc="Whether a cubic interpolation leaves out what lies outside the image."
    )
    extrapolation_value: float = attribute(default=0.0, doc="What a region outside the image holds.")
    out_dtype: DataType = attribute(default=DataType(""), doc="Dtype of the result; that of `data` by default.")


@attributes("relay.attrs.Resize1DAttrs")
class Resize1DAttrs(ResizeAttrs):
    """Attributes of ``image.resize1d``."""

    layout: str = attribute(default="NCW", doc="Layout of `data` and of the result.")


@attributes("relay.attrs.Resize2DAttrs")
class Resize2DAttrs(ResizeAttrs):
    """Attributes of ``image.resize2d`` and ``dyn.image.resize2d``."""

    layout: str = attribute(default="NCHW", doc="Layout of `data` and of the result.")


@attributes("relay.attrs.Resize3DAttrs")
class Resize3DAttrs(ResizeAttrs):
    """Attributes of ``image.resize3d``."""

    layout: str = attribute(default="NCDHW", doc="Layout of `data` and of the result.")


@attributes("relay.attrs.CropAndResizeAttrs")
class CropAndResizeAttrs(Attrs):
    """Attributes of ``image.crop_and_resize``."""

    crop_size: Shape | None = attribute(default=None, doc="Height and width of the result.")
    layout: str = attribute(default="NCHW", doc="Layout of `data` and of the result.")
    method: str = attribute(default="bilinear", doc="Interpolation: `nearest_neighbor` or `bilinear`.")
    extrapolation_value: float = attribute(default=0.0, doc="What a box outside the image holds.")
    out_dtype: DataType = attribute(default=DataType(""), doc="Dtype of the result; that of `data` by default.")


def _resized(context: RelationContext, reference: Layout, size: Shape) -> Type | None:
    """The type of argument 0 with its spatial axes, those of ``reference`` from the third on, of ``size``."""
    attrs: ResizeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    layout = convertible_layout(attrs.layout, reference, "layout")
    shape = shape_in(data.shape, layout, reference, 0, "data")
    return TensorType(convert_shape((*shape[:2], *size), reference, layout), attrs.out_dtype or data.dtype)


def _resize_relation(reference: Layout) -> TypeRelation:
    rank = reference.rank - 2

    def relation(context: RelationContext) -> Type | None:
        attrs: ResizeAttrs = context.attrs
        size, roi = attrs.size or (), attrs.roi or ()
        if len(size) != rank:
            raise RelationError(f"size must have {rank} elements, not {len(size)}", attribute="size")
        if len(roi) != 2 * rank:
            raise RelationError(f"roi must have {2 * rank} elements, not {len(roi)}", attribute="roi")
        return _resized(context, reference, size)

    return relation


def _interpolation(attrs: ResizeAttrs) -> Interpolation:
    return Interpolation(
        attrs.method,
        attrs.coordinate_transformation_mode,
        attrs.rounding_method,
        attrs.cubic_alpha,
        bool(attrs.cubic_exclude),
        attrs.extrapolation_value,
    )


def _resize(data: NDArray, size: Sequence[int], roi: Sequence[float], attrs: ResizeAttrs, reference: Layout) -> NDArray:
    layout = Layout.parse(attrs.layout)
    resized = resize(convert_array(data, layout, reference), size, roi, _interpolation(attrs))
    dtype = numpy_dtype(attrs.out_dtype) if attrs.out_dtype else data.dtype
    return convert_array(resized, reference, layout).astype(dtype)


def _resize_kernel(reference: Layout) -> Kernel:
    def kernel(attrs: ResizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
        return _resize(inputs[0], static(attrs.size or ()), attrs.roi or (), attrs, reference)

    return kernel


def _resize_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The layout follows that of ``data`` where that has as many axes; it is an attribute of the call."""
    assert isinstance(attrs, ResizeAttrs)
    if new_inputs:
        new, old = new_inputs[0], old_inputs[0]
        follows = isinstance(new, str) and isinstance(old, str) and new != old and attrs.layout == old
        if follows and Layout.parse(new).rank == Layout.parse(old).rank:
            attrs = attrs.replace(layout=new)
    return InferredLayout((attrs.layout,), (attrs.layout,), attrs)


def _register_resize(
    name: str, attrs: type[ResizeAttrs], layout: str, spatial: str, infer_layout: InferLayout | None
) -> None:
    reference = Layout.parse(layout)
    register(
        Op(
            name,
            doc=f"Resize an image to `size`. In the layout {layout}, (n, c, {spatial}) becomes (n, c, *size).",
            arguments=(Argument("data", f"The image, {reference.rank}-dimensional."),),
            attrs=attrs,
            relation=_resize_relation(reference),
            pattern=OpPattern.INJECTIVE,
            kernel=_resize_kernel(reference),
            infer_layout=infer_layout,
            level=5,
        )
    )


_register_resize("image.resize1d", Resize1DAttrs, "NCW", "w", _resize_layout)
_register_resize("image.resize2d", Resize2DAttrs, "NCHW", "h, w", _resize_layout)
_register_resize("image.resize3d", Resize3DAttrs, "NCDHW", "d, h, w", None)

_NCHW = Layout.parse("NCHW")


def _dynamic_resize_relation(context: RelationContext) -> Type | None:
    return _resized(context, _NCHW, (ANY, ANY))


def _dynamic_resize(attrs: Resize2DAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data, size, roi = inputs
    return _resize(data, [int(side) for side in size], [float(side) for side in roi], attrs, _NCHW)


register(
    Op(
        "dyn.image.resize2d",
        doc="`image.resize2d` with size and region as arguments; height and width of the result are `?`.",
        arguments=(
            Argument("data", "The image, four-dimensional."),
            Argument("size", "Height and width of the result, a vector."),
            Argument("roi", "The region of interest for `tf_crop_and_resize`, a vector of four."),
        ),
        attrs=Resize2DAttrs,
        relation=_dynamic_resize_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_dynamic_resize,
        level=5,
        shape_needs_data=True,
    )
)


def _crop_relation(context: RelationContext) -> Type | None:
    attrs: CropAndResizeAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    boxes = tensor_argument(context, 1, "boxes")
    box_indices = tensor_argument(context, 2, "box_indices")
    if data is None or boxes is None or box_indices is None:
        return None
    size = attrs.crop_size or ()
    if len(size) < 2:
        raise RelationError(f"crop_size must be a height and a width, not {len(size)} numbers", attribute="crop_size")
    if not boxes.ndim:
        raise RelationError("boxes must be (boxes, 4), but it is a scalar", argument=1)
    layout = convertible_layout(attrs.layout, _NCHW, "layout")
    channels = shape_in(data.shape, layout, _NCHW, 0, "data")[1]
    shape = convert_shape((boxes.shape[0], channels, size[0], size[1]), _NCHW, layout)
    return TensorType(shape, attrs.out_dtype or data.dtype)


def _crop(attrs: CropAndResizeAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    layout = Layout.parse(attrs.layout)
    data = convert_array(inputs[0], layout, _NCHW)
    size = static((attrs.crop_size or ())[:2])
    how = Interpolation(
        "linear" if attrs.method == "bilinear" else attrs.method,
        "tf_crop_and_resize",
        "round",
        extrapolation_value=attrs.extrapolation_value,
    )
    results = [
        resample(data[int(image)], [_in_box(data.shape[2 + axis], size[axis], box, axis) for axis in (0, 1)], how)
        for box, image in zip(inputs[1], inputs[2], strict=True)
    ]
    dtype = numpy_dtype(attrs.out_dtype) if attrs.out_dtype else data.dtype
    stacked = np.stack(results) if results else np.zeros((0, data.shape[1], *size), np.float32)
    return convert_array(stacked, _NCHW, layout).astype(dtype)


def _in_box(image: int, target: int, box: NDArray, axis: int) -> NDArray:
    """Positions along one axis of the image that a box (y1, x1, y2, x2) covers with ``target`` elements."""
    start, end = box[axis], box[axis + 2]
    step = np.float32(image - 1) * (end - start) / np.float32(max(target - 1, 1))
    return (start * np.float32(image - 1) + step * np.arange(target, dtype=np.float32)).astype(np.float32)


register(
    Op(
        "image.crop_and_resize",
        doc="Cut boxes out of images and resize them to `crop_size`. In the layout NCHW the result is (boxes, c, "
        "*crop_size).",
        arguments=(
            Argument("data", "The images, four-dimensional."),
            Argument("boxes", "Boxes (boxes, 4) as parts of an image: y1, x1, y2, x2."),
            Argument("box_indices", "The image that each box is cut from, a vector of integers."),
        ),
        attrs=CropAndResizeAttrs,
        relation=_crop_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_crop,
        level=5,
    )
)
