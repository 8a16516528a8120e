"""VGG. Source of the network: ``python/tvm/relay/testing/vgg.py`` (Simonyan, Zisserman)."""

from __future__ import annotations

from ..builder import function
from ..expressions import Expr
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["vgg"]

_CONVOLUTIONS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""How many convolutions each block has, by the number of layers."""

_FILTERS = (64, 128, 256, 512, 512)


def vgg(
    num_layers: int = 11,
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: tuple[int, int, int] = (3, 224, 224),
    batch_norm: bool = False,
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """Blocks of convolutions and three dense layers; typed.

    Args:
        num_layers: 11, 13, 16 or 19.
        batch_size: how many images at once.
        num_classes: the width of the last layer.
        image_shape: channels, height, width.
        batch_norm: whether each convolution is normalised.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: there is no network of so many layers.
    """
    if num_layers not in _CONVOLUTIONS:
        raise ValueError(f"a VGG network has {', '.join(map(str, _CONVOLUTIONS))} layers, not {num_layers}")
    layers = Layers(layer_names)
    data: Expr = layers.input((batch_size, *image_shape), dtype)
    for block, (convolutions, filters) in enumerate(zip(_CONVOLUTIONS[num_layers], _FILTERS, strict=True), start=1):
        for number in range(1, convolutions + 1):
            name = f"{block}_{number}"
            data = layers.conv(f"conv{name}", data, filters, (3, 3), padding=(1, 1))
            data = layers.bias(f"conv{name}", data)
            if batch_norm:
                data = layers.batch_norm(f"bn{name}", data)
            data = layers.relu(f"relu{name}", data)
        data = layers.pool(f"pool{block}", "max", data, (2, 2), strides=(2, 2))
    data = layers.apply("flatten", "nn.batch_flatten", data)
    for number in (6, 7):
        data = layers.relu(f"relu{number}", layers.dense(f"fc{number}", data, 4096))
        data = layers.first(f"drop{number}", "nn.dropout", data, rate=0.5)
    data = layers.dense("fc8", data, num_classes)
    return typed_module(function(layers.apply("softmax", "nn.softmax", data)))
