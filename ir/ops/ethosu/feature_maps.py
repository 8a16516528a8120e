"""What the operators of Ethos-U have in common: layouts of feature maps, and what is asked of dtypes and names.

Source of the rule: ``src/relay/op/contrib/ethosu/common.cc``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...dimensions import Dim, Shape
from ...types import TensorType
from ..arguments import alternatives
from ..operator import RelationError
from ..shapes import add, floor_divide, multiply, subtract

__all__ = [
    "BYTES",
    "CLIP_MAX",
    "CLIP_MIN",
    "LUT",
    "laid_out",
    "require_map",
    "require_name",
    "spatial_shape",
    "upscaled",
]

BYTES: Final = ("uint8", "int8")
LUT: Final = "The look-up table of values, used where `activation` is `LUT`."
CLIP_MIN: Final = "The smallest value, where `activation` is `CLIP`."
CLIP_MAX: Final = "The largest value, where `activation` is `CLIP`."

_BRICKS: Final = "NHCWB16"
"""The layout with channels in bricks of 16, behind the rows."""

_RANKS: Final = {"NHWC": 4, _BRICKS: 5}


def require_map(tensor: TensorType, layout: str, argument: int, name: str) -> None:
    """Reject a feature map whose rank is not that of its layout.

    Raises:
        RelationError: it is not, or there is no such layout.
    """
    if layout not in _RANKS:
        raise RelationError(f"a layout is NHWC or {_BRICKS}, not {layout}", attribute=f"{name}_layout")
    if tensor.ndim != _RANKS[layout]:
        raise RelationError(
            f"{name} must be {_RANKS[layout]}-dimensional ({layout}), but it is {tensor!r}", argument=argument
        )


def require_name(value: str, known: Sequence[str], attribute: str) -> None:
    """Reject a string that is not among ``known``.

    Raises:
        RelationError: it is not.
    """
    if value not in known:
        raise RelationError(f"{attribute} must be {alternatives(known)}, not {value!r}", attribute=attribute)


def spatial_shape(shape: Shape, layout: str) -> tuple[Dim, Dim, Dim]:
    """Batch, height and width of a feature map."""
    return (shape[0], shape[1], shape[3]) if layout == _BRICKS else (shape[0], shape[1], shape[2])


def upscaled(sizes: tuple[Dim, Dim, Dim]) -> tuple[Dim, Dim, Dim]:
    """Batch, height and width after every pixel became four."""
    batch, height, width = sizes
    return batch, multiply(height, 2), multiply(width, 2)


def laid_out(batch: Dim, height: Dim, width: Dim, channels: Dim | None, layout: str, attribute: str) -> Shape:
    """The shape of a result in its layout; ``attribute`` is the one that says how many channels it has.

    Raises:
        RelationError: the number of channels is not given, or there is no such layout.
    """
    if channels is None:
        raise RelationError(f"{attribute} must be given", attribute=attribute)
    if layout not in _RANKS:
        raise RelationError(f"a layout is NHWC or {_BRICKS}, not {layout}", attribute="ofm_layout")
    if layout != _BRICKS:
        return (batch, height, width, channels)
    return (batch, height, add(floor_divide(subtract(channels, 1), 16), 1), width, 16)
