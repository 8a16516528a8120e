"""Sizes of windows and paddings as programs give them, spelled out for every spatial axis and side.

``padding=1`` and ``padding=(1, 1)`` of a convolution over images stand for ``(1, 1, 1, 1)``: above, left, below, right.
A text keeps what it says; calls that Python programs build have it spelled out, so that they print as those that TVM's
functions build. Source of the rule: ``python/tvm/relay/op/nn/utils.py`` and the functions of ``nn.py`` and ``qnn.py``
that use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

__all__ = ["spell_out"]

_PADDED: Final[Mapping[str, int]] = {
    "nn.conv1d": 1,
    "nn.conv2d": 2,
    "nn.conv3d": 3,
    "nn.conv2d_transpose": 2,
    "nn.conv3d_transpose": 3,
    "nn.max_pool1d": 1,
    "nn.max_pool2d": 2,
    "nn.max_pool3d": 3,
    "nn.avg_pool1d": 1,
    "nn.avg_pool2d": 2,
    "nn.avg_pool3d": 3,
    "nn.conv2d_backward_weight": 2,
    "nn.contrib_conv2d_winograd_without_weight_transform": 2,
    "nn.contrib_conv3d_winograd_without_weight_transform": 3,
    "nn.contrib_conv2d_gemm_without_weight_transform": 2,
    "nn.contrib_conv2d_NCHWc": 2,
    "nn.contrib_depthwise_conv2d_NCHWc": 2,
    "nn.deformable_conv2d": 2,
    "nn.bitserial_conv2d": 2,
    "qnn.conv2d": 2,
    "qnn.conv2d_transpose": 2,
}
"""The number of spatial axes of each operator whose padding is spelled out."""

_REPEATED: Final = ("kernel_size", "strides", "dilation", "pool_size")
"""Attributes of which one number stands for all spatial axes."""


def spell_out(operator: str, given: Mapping[str, object]) -> dict[str, object]:
    """The attributes of a call with those of its window spelled out; of other operators as they are.

    Raises:
        ValueError: a padding has neither one number for each axis nor one for each side.
    """
    rank = _PADDED.get(operator)
    attributes = dict(given)
    if rank is None:
        return attributes
    for name in _REPEATED:
        value = attributes.get(name)
        if isinstance(value, int):
            attributes[name] = (value,) * rank
    attributes["padding"] = _padding(attributes.get("padding", 0), rank)
    return attributes


def _padding(padding: object, rank: int) -> object:
    if isinstance(padding, int):
        return (padding,) * (2 * rank)
    if not isinstance(padding, (list, tuple)):
        return padding
    sides = tuple(cast("list[Any]", padding))
    if len(sides) == rank:
        return sides + sides
    if len(sides) != 2 * rank:
        raise ValueError(f"padding has {len(sides)} numbers, and takes {rank} or {2 * rank}")
    return sides
