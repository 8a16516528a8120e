"""What ConvertLayout asks of an operator: which layouts its arguments and results take.

Source of the rule: ``src/relay/transforms/infer_layout_utils.h``, ``infer_layout_utils.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from ..attributes import Attrs
from ..types import TensorType, Type
from .data_layout import Layout

__all__ = ["InferLayout", "InferredLayout", "Layouts", "broadcast_layout", "elementwise_layout"]

Layouts: TypeAlias = "str | tuple[Layouts, ...] | None"
"""A layout such as ``NCHW``; ``""`` for a scalar, ``None`` where it is undefined, a tuple for a tuple."""


class InferredLayout(msgspec.Struct, frozen=True):
    """Layouts of the arguments and of the results, and the attributes as they must become.

    A tuple argument has a tuple of layouts; a result that is a tuple has one layout per field in ``outputs``.
    """

    inputs: tuple[Layouts, ...]
    outputs: tuple[Layouts, ...]
    attrs: Attrs | None


InferLayout: TypeAlias = Callable[
    ["Attrs | None", Sequence[Layouts], Sequence[Layouts], Sequence[Type]], InferredLayout
]
"""``infer_layout(attrs, new_input_layouts, old_input_layouts, old_input_types)``.

It is called twice: for the call as it stands, with no ``new_input_layouts`` (the empty sequence), and, where what feeds
the call has changed its layout, again with the layouts that its arguments now have.
"""


def elementwise_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """Every argument and the result in one layout: the new one of the first argument, else the first that is known.

    Source of the rule: ``ElemwiseArbitraryLayout``.
    """
    layout = new_inputs[0] if new_inputs else next((known for known in old_inputs if known is not None), None)
    return InferredLayout((layout,) * len(old_inputs), (layout,), attrs)


def broadcast_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """Two arguments that broadcast, kept so that they still do; where that is not possible, all is undefined.

    An argument whose layout is unknown gets the trailing axes of the other one's. Once one argument has changed its
    layout, the other is changed in the same way, and an axis of size 1 that is split keeps its one element
    (``NCHW1c`` beside ``NCHW16c``).

    Source of the rule: ``BinaryBroadcastLayout``.
    """
    undefined = InferredLayout((None, None), (None,), attrs)
    ranks = [type.ndim if isinstance(type, TensorType) else 0 for type in types]
    old = [_parsed(layout) for layout in old_inputs]
    larger = 0 if ranks[0] >= ranks[1] else 1
    output: Layout | None = None
    if old[0] is not None and old[1] is not None:
        output = old[larger]
    elif old[0] is not None or old[1] is not None:
        known = 0 if old[0] is not None else 1
        known_layout = old[known]
        if known_layout is not None and ranks[known] >= ranks[1 - known]:
            old[1 - known] = known_layout.part(ranks[known] - ranks[1 - known], ranks[1 - known])
            output = known_layout
        else:
            old = [None, None]
    if not new_inputs:
        return InferredLayout((_name(old[0]), _name(old[1])), (_name(output),), attrs)
    new = [_parsed(layout) for layout in new_inputs]
    leading = 0 if _primal_rank(new[0]) >= _primal_rank(new[1]) else 1
    following = 1 - leading
    old_leading, old_following, new_leading = old[leading], old[following], new[leading]
    if old_leading is None or old_following is None or new_leading is None:
        return undefined
    target = _transformed_like(old_following, old_leading, new_leading)
    if target is None:
        return undefined
    following_type = types[following]
    shape = following_type.shape if isinstance(following_type, TensorType) else ()
    followed = _with_fitting_factors(target, old_following, shape)
    inputs = (new_leading.name, followed) if leading == 0 else (followed, new_leading.name)
    return InferredLayout(inputs, (_name(new[larger]),), attrs)


def _parsed(layout: Layouts) -> Layout | None:
    return Layout.parse_part(layout) if isinstance(layout, str) else None


def _name(layout: Layout | None) -> str | None:
    return None if layout is None else layout.name


def _primal_rank(layout: Layout | None) -> int:
    return 0 if layout is None else layout.primal_rank


def _isomorphic(lhs: Layout, rhs: Layout) -> bool:
    """Whether the layouts differ in nothing but the letters."""
    if lhs.rank != rhs.rank:
        return False
    renamed: dict[str, str] = {}
    renamed_back: dict[str, str] = {}
    for left, right in zip(lhs.axes, rhs.axes, strict=True):
        if left.is_primal != right.is_primal:
            return False
        if renamed.setdefault(left.letter, right.letter) != right.letter:
            return False
        if renamed_back.setdefault(right.letter, left.letter) != left.letter:
            return False
        if not left.is_primal and lhs.factor(left.letter) != rhs.factor(right.letter):
            return False
    return True


def _transformed_like(layout: Layout, old: Layout, new: Layout) -> Layout | None:
    """``layout`` changed as ``old`` is to give ``new``; ``None`` where their trailing axes do not correspond."""
    large, small = (old, layout) if old.rank > layout.rank else (layout, old)
    extra = large.rank - small.rank
    rest, trailing = large.part(0, extra), large.part(extra, small.rank)
    shared = {axis.primal for axis in rest.axes} & {axis.primal for axis in trailing.axes}
    if shared or not _isomorphic(trailing, small):
        return None
    if layout.rank == 0:
        return layout
    renamed: dict[str, str] = {}
    for own, reference in zip(reversed(layout.axes), reversed(old.axes), strict=False):
        renamed[reference.primal] = own.primal
    used = {axis.primal for axis in layout.axes}
    for reference in reversed(old.axes):
        if reference.primal not in renamed:
            unused = (letter for letter in (reference.primal, *map(chr, range(65, 91))) if letter not in used)
            renamed[reference.primal] = next(unused)
            used.add(renamed[reference.primal])
    if any(axis.primal not in renamed for axis in new.axes):
        return None
    return Layout.parse(
        "".join(
            f"{axis.factor or ''}{renamed[axis.primal] if axis.is_primal else renamed[axis.primal].lower()}"
            for axis in new.axes
        )
    )


def _with_fitting_factors(target: Layout, old: Layout, shape: Sequence[object]) -> str:
    """``target`` with factor 1 on each axis that a tensor of ``shape`` in ``old`` lacks, or has as an unsplit 1."""
    name = ""
    for axis in target.axes:
        if axis.is_primal:
            name += axis.letter
            continue
        position = old.index(axis.primal)
        broadcast = position < 0 or (shape[position] == 1 and axis.letter not in old)
        name += f"{1 if broadcast else target.factor(axis.letter)}{axis.letter}"
    return name
