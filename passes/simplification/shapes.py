"""Several reshapes, transposes or changes of layout in a row."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.data_layout import Layout
from relay_lsp.ir.ops.tensor.rearranging import LayoutTransformAttrs, TransposeAttrs
from relay_lsp.ir.types import is_static

from ..infrastructure import PassError
from ..patterns import is_op, wildcard
from ..patterns.matcher import Matches
from .rewrite import TypedRewrite, inferred_tensor_type

__all__ = ["SimplifyReshape", "SimplifyTranspose"]


class SimplifyReshape(TypedRewrite):
    """Of two reshapes only the shape of the last counts."""

    def __init__(self) -> None:
        super().__init__()
        self.value = wildcard()
        inner = is_op("reshape") | is_op("contrib_reverse_reshape")
        outer = is_op("reshape") | is_op("contrib_reverse_reshape")
        self.pattern = outer(inner(self.value))

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """One reshape, where the shape is known."""
        type = inferred_tensor_type(pre)
        if type is None or not is_static(type.shape):
            return post
        return apply("reshape", node_map[self.value][0], newshape=type.shape)


class SimplifyTranspose(TypedRewrite):
    """Two transposes or changes of layout are one, or none."""

    def __init__(self) -> None:
        super().__init__()
        self.value = wildcard()
        inner = is_op("transpose") | is_op("layout_transform")
        outer = is_op("transpose") | is_op("layout_transform")
        self.pattern = outer(inner(self.value))

    def callback(self, pre: Expr, post: Expr, node_map: Matches) -> Expr:
        """What remains of the two."""
        value, type = node_map[self.value][0], inferred_tensor_type(pre)
        if not isinstance(post, Call) or not isinstance(post.args[0], Call) or type is None:
            return post
        inner = post.args[0]
        changed = _with_other_rank(value, post, inner)
        if changed is not None:
            same = isinstance(changed.attrs, LayoutTransformAttrs) and (
                changed.attrs.src_layout == changed.attrs.dst_layout
            )
            return value if same else changed
        first, second = _axes(inner, type.ndim), _axes(post, type.ndim)
        axes = tuple(first[axis] for axis in second)
        return value if axes == tuple(range(type.ndim)) else apply("transpose", value, axes=axes)


def _changes_rank(call: Call) -> bool:
    attrs = call.attrs
    return isinstance(attrs, LayoutTransformAttrs) and len(attrs.src_layout) != len(attrs.dst_layout)


def _with_other_rank(value: Expr, outer: Call, inner: Call) -> Call | None:
    """One ``layout_transform`` for two operators of which at least one splits or joins axes; ``None`` for others."""
    attrs = [call.attrs for call in (outer, inner) if _changes_rank(call)]
    transforms = [attributes for attributes in attrs if isinstance(attributes, LayoutTransformAttrs)]
    if not transforms:
        return None
    if len(transforms) == 2 and transforms[0].src_layout != transforms[1].dst_layout:
        raise PassError(
            f"a change of layout to {transforms[1].dst_layout} is followed by one from {transforms[0].src_layout}",
            place=outer,
        )
    source, target = transforms[-1].src_layout, transforms[0].dst_layout
    other = inner if _changes_rank(outer) else outer
    source_rank, target_rank = Layout.parse(source).rank, Layout.parse(target).rank
    if source_rank < target_rank:
        axes = _axes(other, source_rank)
        before = [axes.index(position) for position in range(len(axes))]
        return apply("layout_transform", value, src_layout=_permuted(source, before), dst_layout=target)
    if source_rank > target_rank:
        after = _permuted(target, _axes(other, target_rank))
        return apply("layout_transform", value, src_layout=source, dst_layout=after)
    if isinstance(other.attrs, LayoutTransformAttrs):
        return apply("layout_transform", value, src_layout=source, dst_layout=target)
    return None


def _permuted(layout: str, axes: Sequence[int]) -> str:
    if len(axes) != len(layout):
        raise PassError(f"layout {layout} does not have the {len(axes)} axes that are permuted")
    return "".join(layout[axis] for axis in axes)


def _axes(call: Call, rank: int) -> list[int]:
    """Which axis of its argument each axis of the result of ``call`` is."""
    attrs = call.attrs
    if isinstance(attrs, LayoutTransformAttrs):
        source, target = Layout.parse(attrs.src_layout), Layout.parse(attrs.dst_layout)
        return [source.index(axis.letter) for axis in target.axes[:rank]]
    if isinstance(attrs, TransposeAttrs) and attrs.axes is not None:
        return [axis % rank for axis in attrs.axes[:rank]]
    return list(reversed(range(rank)))
