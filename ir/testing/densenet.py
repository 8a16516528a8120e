"""DenseNet. Source of the network: ``python/tvm/relay/testing/densenet.py`` (Huang et al.)."""

from __future__ import annotations

from ..builder import function
from ..expressions import Expr
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["densenet"]

_PLANS = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (69, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
}
"""Channels of the stem, channels that each layer adds, and layers of each block (69 is the reference's number)."""

_BOTTLENECK = 4
"""A layer's first convolution has so many times the channels that the layer adds."""


def densenet(
    num_layers: int = 121,
    batch_size: int = 4,
    num_classes: int = 1000,
    image_shape: tuple[int, int, int] = (3, 224, 224),
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """Blocks whose layers' results are joined, with transitions that halve the image; typed.

    Args:
        num_layers: 121, 161, 169 or 201.
        batch_size: how many images at once.
        num_classes: the width of the last layer.
        image_shape: channels, height, width.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: there is no network of so many layers.
    """
    if num_layers not in _PLANS:
        raise ValueError(f"a DenseNet has {', '.join(map(str, _PLANS))} layers, not {num_layers}")
    features, growth, blocks = _PLANS[num_layers]
    layers = Layers(layer_names)

    def norm_relu(layer: str, data: Expr) -> Expr:
        return layers.relu(f"{layer}_relu", layers.batch_norm(layer, data))

    def dense_layer(index: str, data: Expr) -> Expr:
        data = layers.conv(f"conv2d_1_{index}", norm_relu(f"batch_1_{index}", data), _BOTTLENECK * growth, (1, 1))
        return layers.conv(f"conv2d_2_{index}", norm_relu(f"batch_2_{index}", data), growth, (3, 3), padding=(1, 1))

    data: Expr = layers.input((batch_size, *image_shape), dtype)
    data = layers.conv("conv1", data, features, (7, 7), strides=(2, 2), padding=(3, 3))
    data = layers.pool("pool1", "max", norm_relu("batch1", data), (3, 3), strides=(2, 2), padding=(1, 1))
    for block, length in enumerate(blocks):
        results: list[Expr] = []
        for index in range(length):
            data = dense_layer(f"{block}_{index}", data)
            results.append(data)
        data = layers.concatenate(f"concat_{block}", results)
        features += length * growth
        if block != len(blocks) - 1:
            features //= 2
            data = layers.conv(f"conv_t_{block}", norm_relu(f"batch_t_{block}", data), features, (1, 1))
            data = layers.pool(f"pool_t_{block}", "avg", data, (2, 2), strides=(2, 2))
    data = layers.pool("pool2", "avg", norm_relu("batch2", data), (7, 7))
    data = layers.apply("flatten", "nn.batch_flatten", data)
    return typed_module(function(layers.dense("dense", data, num_classes)))
