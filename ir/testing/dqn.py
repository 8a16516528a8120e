"""A deep Q network. Source of the network: ``python/tvm/relay/testing/dqn.py`` (Mnih et al.)."""

from __future__ import annotations

from ..builder import function
from ..expressions import Expr
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["dqn"]


def dqn(
    batch_size: int = 1,
    num_actions: int = 18,
    image_shape: tuple[int, int, int] = (4, 84, 84),
    layout: str = "NCHW",
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """Three convolutions and two dense layers; typed.

    Args:
        batch_size: how many states at once.
        num_actions: the width of the last layer.
        image_shape: channels, height, width (height, width, channels in ``NHWC``).
        layout: ``NCHW`` or ``NHWC``.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: the network is not offered in this layout.
    """
    layers = Layers(layer_names)
    data: Expr = layers.input((batch_size, *image_shape), dtype)
    for number, (channels, size, stride) in enumerate(((32, 8, 4), (64, 4, 2), (64, 3, 1)), start=1):
        layer = f"conv{number}"
        data = layers.conv(layer, data, channels, (size, size), strides=(stride, stride), layout=layout)
        data = layers.relu(f"relu{number}", layers.bias(layer, data, axis=layout.index("C")))
    data = layers.apply("flatten", "nn.batch_flatten", data)
    data = layers.relu("relu4", layers.dense("dense1", data, 512))
    return typed_module(function(layers.dense("dense2", data, num_actions)))
