"""Padding: with a value, with the edge, or mirrored.

Source of the rule: ``src/relay/op/nn/pad.cc``, ``include/tvm/topi/nn.h`` (``pad``),
``python/tvm/topi/nn/pad.py``.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...dimensions import ANY, Dim
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..data_layout import Layout, LayoutError
from ..layout_inference import InferredLayout, Layouts
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from ..shapes import add
from .windows import Dims, pad_spatial, static

__all__ = ["MirrorPadAttrs", "PadAttrs"]

PAD_WIDTH = "Elements added before and after, for each axis of data."


@attributes("relay.attrs.PadAttrs")
class PadAttrs(Attrs):
    """Attributes of padding."""

    pad_width: tuple[tuple[int, ...], ...] = attribute(doc=PAD_WIDTH)
    pad_mode: str = attribute(
        default="constant",
        doc="What is added: constant (the given value), edge (the last element) or reflect (without it).",
    )


@attributes("relay.attrs.MirrorPadAttrs")
class MirrorPadAttrs(Attrs):
    """Attributes of mirrored padding."""

    mode: str = attribute(default="SYMMETRIC", doc="SYMMETRIC repeats the last element, REFLECT does not.")
    pad_width: tuple[Dims, ...] = attribute(doc=PAD_WIDTH)


def _pairs(data: TensorType, pad_width: Sequence[Sequence[Dim]]) -> list[tuple[int, int]]:
    if len(pad_width) != data.ndim:
        raise RelationError(
            f"pad_width has {len(pad_width)} pairs, but data has {data.ndim} dimensions", attribute="pad_width"
        )
    pairs: list[tuple[int, int]] = []
    for axis, widths in enumerate(pad_width):
        if len(widths) != 2:
            raise RelationError(
                f"pad_width must have pairs, but it has {len(widths)} elements for axis {axis}", attribute="pad_width"
            )
        before, after = widths
        if not isinstance(before, int) or not isinstance(after, int):
            raise RelationError(f"pad_width for axis {axis} must be numbers", attribute="pad_width")
        pairs.append((before, after))
    return pairs


def pad_relation(context: RelationContext) -> Type | None:
    """The data's shape grown by both widths of each axis; ``?`` stays ``?``. A negative width crops.

    Raises:
        RelationError: ``pad_width`` does not have a pair per axis, or leaves a negative size.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: PadAttrs = context.attrs
    shape: list[Dim] = []
    for axis, (size, (before, after)) in enumerate(zip(data.shape, _pairs(data, attrs.pad_width), strict=True)):
        padded = ANY if size is ANY else add(size, before + after)
        if isinstance(padded, int) and padded < 0:
            raise RelationError(
                f"pad_width ({before}, {after}) leaves axis {axis} of data, of size {size}, with {padded} elements",
                attribute="pad_width",
            )
        shape.append(padded)
    return TensorType(tuple(shape), data.dtype)


def pad_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """The data's new layout with ``pad_width`` reordered, unless it splits an axis that is padded.

    Source of the rule: ``PadInferCorrectLayout``.

    Raises:
        LayoutError: the new layout has an axis that the old one lacks.
    """
    names: PadAttrs = attrs  # pyright: ignore[reportAssignmentType]
    layout = old_inputs[0] if old_inputs else None
    if new_inputs and isinstance(new_inputs[0], str) and isinstance(layout, str):
        old, new = Layout.parse(layout), Layout.parse(new_inputs[0])
        widths = {axis.letter: width for axis, width in zip(old.axes, names.pad_width, strict=True)}
        reordered: list[tuple[int, ...]] = []
        splits_padding = False
        for axis in new.axes:
            if axis.primal not in widths:
                raise LayoutError(f"layout {new} has the axis {axis.primal}, which {old} lacks")
            width = widths[axis.primal]
            splits_padding |= not axis.is_primal and any(width)
            reordered.append(width)
        if not splits_padding:
            layout = new_inputs[0]
            names = names.replace(pad_width=tuple(reordered))
    return InferredLayout((layout, "1"), (layout,), names)


def pad_kernel(attrs: PadAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The padded data; a negative width crops first."""
    data, value = inputs
    pairs = tuple((widths[0], widths[1]) for widths in attrs.pad_width)
    if attrs.pad_mode == "constant":
        return pad_spatial(data, pairs, value.astype(data.dtype))
    return _repeated(data, pairs, attrs.pad_mode)


def _repeated(data: NDArray, pairs: Sequence[tuple[int, int]], mode: str) -> NDArray:
    """``data`` padded with its own elements: its edge, or mirrored with or without the last one."""
    for axis, (before, after) in enumerate(pairs):
        size = static(data.shape)[axis]
        places: NDArray = np.arange(-before, size + after)
        if mode == "edge":
            places = np.clip(places, 0, size - 1)
        else:
            last = 1 if mode == "symmetric" else 0
            places = np.where(places < 0, -places - last, places)
            places = np.where(places >= size, 2 * size - 2 + last - places, places)
        data = data.take(places, axis)
    return data


def mirror_pad_relation(context: RelationContext) -> Type | None:
    """The data's shape grown by both widths of each axis.

    Raises:
        RelationError: ``pad_width`` does not have a pair of numbers of at least 0 per axis.
    """
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    attrs: MirrorPadAttrs = context.attrs
    shape: list[Dim] = []
    for axis, (size, (before, after)) in enumerate(zip(data.shape, _pairs(data, attrs.pad_width), strict=True)):
        if before < 0 or after < 0:
            raise RelationError(
                f"pad_width ({before}, {after}) for axis {axis} may not be negative", attribute="pad_width"
            )
        shape.append(add(size, before + after))
    return TensorType(tuple(shape), data.dtype)


def mirror_pad_kernel(attrs: MirrorPadAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    """The padded data."""
    pairs = [(before, after) for before, after in map(static, attrs.pad_width)]
    return _repeated(inputs[0], pairs, "symmetric" if attrs.mode == "SYMMETRIC" else "reflect")


register(
    Op(
        "nn.pad",
        doc="""Add elements around ``data``: a value, the edge, or the reflection, as ``pad_mode`` says.

        ``data`` of any shape gives a result whose every axis has grown by its two widths.
        """,
        arguments=(Argument("data", "The tensor to pad."), Argument("pad_val", "The value to add, a scalar.")),
        attrs=PadAttrs,
        relation=pad_relation,
        pattern=OpPattern.INJECTIVE,
        infer_layout=pad_layout,
        kernel=pad_kernel,
        level=2,
    )
)
register(
    Op(
        "nn.mirror_pad",
        doc="""Add mirrored elements around ``data``.

        ``data`` of any shape gives a result whose every axis has grown by its two widths.
        """,
        arguments=(Argument("data", "The tensor to pad."),),
        attrs=MirrorPadAttrs,
        relation=mirror_pad_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=mirror_pad_kernel,
        level=2,
    )
)
