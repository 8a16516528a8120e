"""A multilayer perceptron. Source of the network: ``python/tvm/relay/testing/mlp.py``."""

from __future__ import annotations

from ..builder import function
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["mlp"]


def mlp(
    batch_size: int = 1,
    num_classes: int = 10,
    image_shape: tuple[int, ...] = (1, 28, 28),
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """Three dense layers with rectifiers between them, and a softmax; typed.

    Args:
        batch_size: how many images at once.
        num_classes: the width of the last layer.
        image_shape: channels, height, width.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.
    """
    layers = Layers(layer_names)
    data = layers.apply("flatten", "nn.batch_flatten", layers.input((batch_size, *image_shape), dtype))
    data = layers.relu("relu1", layers.dense("fc1", data, 128))
    data = layers.relu("relu2", layers.dense("fc2", data, 64))
    data = layers.dense("fc3", data, num_classes)
    return typed_module(function(layers.apply("softmax", "nn.softmax", data)))
