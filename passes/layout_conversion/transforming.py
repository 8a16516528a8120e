"""Putting a value from one layout into another, once for every pair of layouts.

Source of the rule: ``src/relay/transforms/transform_layout.h`` (``TransformMemorizer``),
``include/tvm/tir/data_layout.h`` (``Layout::ExpandPrimal``).
"""

from __future__ import annotations

from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.ops.data_layout import Layout, is_convertible

from ..infrastructure import PassError

__all__ = ["LayoutTransforms"]


class LayoutTransforms:
    """The transforms that one run of the pass has put in, by value and layouts."""

    def __init__(self) -> None:
        self._made: dict[tuple[Expr, str, str], Expr] = {}

    def transform(self, value: Expr, source: str | None, target: str | None, *, is_scalar: bool, place: Expr) -> Expr:
        """``value``, which has the layout ``source``, in the layout ``target``; ``None`` is an undefined layout.

        A value of one element whose layout has fewer axes stays: it broadcasts as it is.

        Raises:
            PassError: the layouts do not convert.
        """
        if source == target:
            return value
        if source is None or target is None:
            raise PassError("a value with an undefined layout cannot be converted", place=place)
        key = (value, source, target)
        if key not in self._made:
            self._made[key] = _transformed(
                value, Layout.parse_part(source), Layout.parse_part(target), is_scalar, place
            )
        return self._made[key]


def _transformed(value: Expr, source: Layout, target: Layout, is_scalar: bool, place: Expr) -> Expr:
    if source.primal_rank < target.primal_rank:
        if is_scalar:
            return value
        missing = "".join(axis.letter for axis in target.axes if axis.is_primal and axis.letter not in source)
        value = apply("expand_dims", value, axis=0, num_newaxis=target.primal_rank - source.primal_rank)
        source = Layout.parse_part(missing + source.name)
        if source == target:
            return value
    if not is_convertible(source, target):
        raise PassError(f"there is no conversion from the layout {source.name} to {target.name}", place=place)
    return apply("layout_transform", value, src_layout=source.name, dst_layout=target.name)
