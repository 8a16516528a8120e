"""Attributes of slices and splits.

Source of the rule: ``include/tvm/relay/attrs/transform.h``.
"""

from __future__ import annotations

from ...attributes import Attrs, attribute, attributes

__all__ = ["SliceLikeAttrs", "SplitAttrs", "StridedSliceAttrs"]


@attributes("relay.attrs.StridedSliceAttrs")
class StridedSliceAttrs(Attrs):
    """Attributes of the strided slices."""

    begin: tuple[int | None, ...] | None = attribute(doc="The first index along each axis, negative from the end.")
    end: tuple[int | None, ...] | None = attribute(doc="The index along each axis that is not reached any more.")
    strides: tuple[int, ...] | None = attribute(doc="The step along each axis; a negative one goes backwards.")
    slice_mode: str = attribute(
        default="end",
        choices=("end", "size"),
        doc="'end', or 'size': end is how many elements are taken (-1: all that remain) and strides do not count.",
    )
    axes: tuple[int, ...] | None = attribute(doc="The axes that the bounds are for; None means the first ones.")


@attributes("relay.attrs.SplitAttrs")
class SplitAttrs(Attrs):
    """Attributes of ``split``."""

    indices_or_sections: int | tuple[int, ...] = attribute(
        doc="How many equal parts, or the ascending indices at which the later parts begin."
    )
    axis: int = attribute(default=0, doc="The axis to split, negative counted from the end.")


@attributes("relay.attrs.SliceLikeAttrs")
class SliceLikeAttrs(Attrs):
    """Attributes of ``slice_like``."""

    axes: tuple[int, ...] | None = attribute(doc="The axes to cut; None means all that shape_like has.")
