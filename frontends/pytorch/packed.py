"""Weights of quantised layers: PyTorch packs them into objects of its own; here they are numbers again.

Source of the rules: ``get_weight_quant_params``, ``_get_quant_params`` in ``python/tvm/relay/frontend/qnn_torch.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from relay_lsp.ir.expressions import NDArray

from .backend import torch

__all__ = ["UnpackedWeights", "unpack"]


@dataclass(frozen=True, slots=True)
class UnpackedWeights:
    """The weight as floating-point numbers, its scale (one, or one for each channel), its zero point, and the bias."""

    weight: NDArray
    scale: NDArray
    zero_point: int
    bias: NDArray | None
    stride: tuple[int, ...] = ()
    padding: tuple[int, ...] = ()
    dilation: tuple[int, ...] = ()
    groups: int = 1
    output_padding: tuple[int, ...] = ()


def unpack(packed: Any) -> UnpackedWeights | None:
    """What a packed object holds; ``None`` where it holds no weights of a layer."""
    owner = getattr(packed, "_packed_params", packed)
    for name in ("linear_unpack", "conv2d_unpack"):
        try:
            weight, bias = getattr(torch.ops.quantized, name)(owner)
        except RuntimeError:
            continue
        extra: dict[str, Any] = {}
        if name == "conv2d_unpack":
            for field in ("stride", "padding", "dilation", "output_padding"):
                extra[field] = tuple(int(number) for number in getattr(owner, field)())
            extra["groups"] = int(owner.groups())
        scale, zero_point = _quantization(weight)
        return UnpackedWeights(
            weight.dequantize().numpy(), scale, zero_point, None if bias is None else bias.detach().numpy(), **extra
        )
    return None


def _quantization(weight: Any) -> tuple[NDArray, int]:
    if weight.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        return np.asarray(weight.q_scale(), np.float32), int(weight.q_zero_point())
    return weight.q_per_channel_scales().numpy().astype(np.float32), int(weight.q_per_channel_zero_points()[0])
