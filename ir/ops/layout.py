"""What ConvertLayout asks of an operator: which layouts its arguments and results take.

Source of the rule: ``src/relay/transforms/infer_layout_utils.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..attributes import Attrs
from ..types import Type

__all__ = ["InferLayout", "InferredLayout"]

Layouts: TypeAlias = "tuple[str | Layouts, ...]"


@dataclass(frozen=True, slots=True)
class InferredLayout:
    """Layouts of the arguments and of the results, and the attributes as they must become.

    A layout is a string such as ``NCHW``; the empty string is undefined. A tuple argument has a tuple of layouts.
    """

    inputs: tuple[str | Layouts, ...]
    outputs: tuple[str | Layouts, ...]
    attrs: Attrs | None


InferLayout: TypeAlias = Callable[
    [Attrs | None, Sequence["str | Layouts"], Sequence["str | Layouts"], Sequence[Type]], InferredLayout
]
"""``infer_layout(attrs, new_input_layouts, old_input_layouts, old_input_types)``."""
