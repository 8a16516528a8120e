"""SqueezeNet. Source of the network: ``python/tvm/relay/testing/squeezenet.py`` (Iandola et al.)."""

from __future__ import annotations

from ..builder import function
from ..expressions import Expr
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["squeezenet"]

_SQUEEZED = (16, 16, 32, 32, 48, 48, 64, 64)
"""Channels into which the eight fire modules squeeze; they expand to four times as many on either side."""

_STEMS = {"1.0": (96, 7, 3), "1.1": (64, 3, 1)}
"""Channels, kernel size and padding of the first convolution."""

_POOLED_BEFORE = {"1.0": (1, 4, 8), "1.1": (1, 3, 5)}
"""The fire modules that the image is halved in front of."""


def squeezenet(
    version: str = "1.0",
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: tuple[int, int, int] = (3, 224, 224),
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """Fire modules: narrow convolutions that two wider ones share; typed.

    Args:
        version: ``1.0`` or ``1.1``.
        batch_size: how many images at once.
        num_classes: the width of the last layer.
        image_shape: channels, height, width.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: there is no such version.
    """
    if version not in _STEMS:
        raise ValueError(f"SqueezeNet has the versions {' and '.join(_STEMS)}, not {version}")
    layers = Layers(layer_names)

    def conv(layer: str, data: Expr, channels: int, size: int, padding: int = 0, stride: int = 1) -> Expr:
        data = layers.conv(layer, data, channels, (size, size), strides=(stride, stride), padding=(padding, padding))
        return layers.relu(f"{layer}_relu", layers.bias(layer, data))

    channels, size, padding = _STEMS[version]
    data: Expr = conv("conv1", layers.input((batch_size, *image_shape), dtype), channels, size, padding, stride=2)
    for number, squeezed in enumerate(_SQUEEZED, start=1):
        if number in _POOLED_BEFORE[version]:
            data = layers.pool(f"pool{number}", "max", data, (3, 3), strides=(2, 2))
        fire = f"fire{number}"
        data = conv(f"{fire}_input_conv", data, squeezed, 1)
        left = conv(f"{fire}_left_conv", data, 4 * squeezed, 1)
        right = conv(f"{fire}_right_conv", data, 4 * squeezed, 3, 1)
        data = layers.concatenate(f"{fire}_concat", (left, right))
    data = layers.first("drop", "nn.dropout", data, rate=0.5)
    data = conv("conv_final", data, num_classes, 1)
    data = layers.apply("pool_final", "nn.global_avg_pool2d", data)
    data = layers.apply("flatten", "nn.batch_flatten", data)
    return typed_module(function(layers.apply("softmax", "nn.softmax", data)))
