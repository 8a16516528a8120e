"""Rearrangements of weights that TVM's schedulers insert: an internal matter of theirs, rarely seen in texts.

Source of the rule: ``src/relay/op/tensor/transform.cc``, ``include/tvm/topi/transform.h``
(``parse_auto_scheduler_layout``), ``src/tir/ir/index_map.cc``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...attributes import Attrs, attribute, attributes
from ...expressions import NDArray
from ...lazy_numpy import np
from ...types import TensorType, Type
from ..arguments import tensor_argument
from ..operator import Argument, Op, OpPattern, RelationContext, RelationError, register
from .index_map import IndexMap

__all__ = ["AutoSchedulerLayoutTransformAttrs", "MetaScheduleLayoutTransformAttrs"]


@attributes("relay.attrs.AutoSchedulerLayoutTransformAttrs")
class AutoSchedulerLayoutTransformAttrs(Attrs):
    """Attributes of ``auto_scheduler_layout_transform``."""

    src_layout: str = attribute(doc="Sizes and names of the axes as they are, such as `1N32C112H112W`.")
    dst_layout: str = attribute(doc="Sizes and names of the axes to be; a name that repeats splits its axis.")


@attributes("relay.attrs.MetaScheduleLayoutTransformAttrs")
class MetaScheduleLayoutTransformAttrs(Attrs):
    """Attributes of ``meta_schedule_layout_transform``."""

    index_map: object = attribute(doc="A `tir.IndexMap` from the indices of `data` to those of the result.")


_AXIS = re.compile(r"([0-9]+)([A-Za-z]+)")


def _axes(layout: str, attribute: str) -> list[tuple[int, str]]:
    """Size and name of each axis of a layout such as ``1N2C16c``.

    Raises:
        RelationError: the text is not one.
    """
    axes = [(int(match[1]), match[2]) for match in _AXIS.finditer(layout)]
    if not axes or "".join(f"{size}{name}" for size, name in axes) != layout.replace(" ", ""):
        raise RelationError(
            f"{attribute} must be a size and a name for each axis, such as 1N32C, but it is {layout!r}",
            attribute=attribute,
        )
    return axes


def _auto_scheduler_relation(context: RelationContext) -> Type | None:
    attrs: AutoSchedulerLayoutTransformAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    if data is None:
        return None
    return TensorType(tuple(size for size, _ in _axes(attrs.dst_layout, "dst_layout")), data.dtype)


def _auto_scheduler(attrs: AutoSchedulerLayoutTransformAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    source = _axes(attrs.src_layout, "src_layout")
    target = _axes(attrs.dst_layout, "dst_layout")
    # Split every source axis into the parts that the target gives it, in the target's order, then reorder.
    parts = [position for _, name in source for position, (_, other) in enumerate(target) if other == name]
    split = inputs[0].reshape([target[position][0] for position in parts])
    return split.transpose([parts.index(position) for position in range(len(target))])


register(
    Op(
        "auto_scheduler_layout_transform",
        doc="Rearrange a tensor from one layout with sizes to another. The result has the sizes of `dst_layout`.",
        arguments=(Argument("data", "The tensor, in `src_layout`."),),
        attrs=AutoSchedulerLayoutTransformAttrs,
        relation=_auto_scheduler_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_auto_scheduler,
        level=5,
    )
)


def _meta_schedule_relation(context: RelationContext) -> Type | None:
    attrs: MetaScheduleLayoutTransformAttrs = context.attrs
    data = tensor_argument(context, 0, "data")
    return None if data is None else TensorType(IndexMap.of(attrs.index_map).map_shape(data.shape), data.dtype)


def _meta_schedule(attrs: MetaScheduleLayoutTransformAttrs, inputs: Sequence[NDArray], result_type: Type) -> NDArray:
    data = inputs[0]
    index_map = IndexMap.of(attrs.index_map)
    result = np.zeros([int(size) for size in index_map.map_shape(data.shape) if isinstance(size, int)], data.dtype)
    result[tuple(np.broadcast_to(index, data.shape) for index in index_map.apply(data.shape))] = data
    return result


register(
    Op(
        "meta_schedule_layout_transform",
        doc="Rearrange a tensor of known shape by a map of indices, which must fill the result. A map that leaves "
        "gaps, which TVM accepts, is an error here.",
        arguments=(Argument("data", "The tensor."),),
        attrs=MetaScheduleLayoutTransformAttrs,
        relation=_meta_schedule_relation,
        pattern=OpPattern.INJECTIVE,
        kernel=_meta_schedule,
        level=5,
    )
)
