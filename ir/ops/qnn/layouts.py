"""How the layouts of quantised operators follow those of their data.

Source of the rule: ``src/relay/qnn/op/op_common.h`` (``QnnBinaryBroadcastLayout``), ``requantize.cc``
(``RequantizeInferCorrectLayout``).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...attributes import Attrs
from ...types import TensorType, Type
from ..data_layout import Layout
from ..layout_inference import InferredLayout, Layouts, broadcast_layout
from .parameters import channel_axis

__all__ = ["binary_layout", "following_axis"]


def binary_layout(
    attrs: Attrs | None, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> InferredLayout:
    """Two operands that broadcast, and the layout ``C`` for each of their six parameters."""
    operands = broadcast_layout(attrs, new_inputs[:2], old_inputs[:2], types[:2])
    return InferredLayout((*operands.inputs, *("C",) * 6), operands.outputs, attrs)


def following_axis(
    axis: int, new_inputs: Sequence[Layouts], old_inputs: Sequence[Layouts], types: Sequence[Type]
) -> tuple[str | None, int]:
    """The layout of the data, and where in it the axis is that was ``axis`` in the old one.

    A split axis is kept split only where scale and zero point, the next two arguments, are scalars.
    """
    old = old_inputs[0] if old_inputs else None
    if not new_inputs or not isinstance(old, str):
        return (old if isinstance(old, str) else None), axis
    new = new_inputs[0]
    if not isinstance(new, str):
        return None, axis
    data = types[0]
    rank = data.ndim if isinstance(data, TensorType) else 0
    letter = Layout.parse(old).axes[channel_axis(axis, rank)].letter
    scalars = all(isinstance(parameter, TensorType) and not parameter.ndim for parameter in types[1:3])
    parsed = Layout.parse(new)
    kept = [part for part in parsed.axes if part.is_primal or scalars]
    position = next((place for place, part in enumerate(kept) if part.letter == letter), axis)
    return "".join(map(str, kept)), position
