"""A small network with a little of everything. Source of the network: ``python/tvm/relay/testing/synthetic.py``."""

from __future__ import annotations

from ..builder import function
from ..expressions import Expr, Var
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["synthetic"]


def synthetic(
    input_shape: tuple[int, int, int, int] = (1, 3, 24, 12),
    dtype: str = "float32",
    weight_dtype: str | None = None,
    layer_names: bool = False,
) -> IRModule:
    """Two rounds of a dense layer and a convolution side by side, added; typed.

    Args:
        input_shape: batch, channels, height, width.
        dtype: of the input.
        weight_dtype: of the weights, where it is another.
        layer_names: whether every expression has its layer's name as its span.
    """
    layers = Layers(layer_names)
    weight_dtype = weight_dtype or dtype
    _, channels, _, width = input_shape
    shape = layers.input(input_shape, dtype)

    def side_by_side(number: str, data: Expr, like: Var) -> Expr:
        dense, conv = f"dense{number}", f"conv{number}"
        flat = layers.apply(dense, "reshape", data, newshape=(-1, width))
        dense_weight = layers.weight(dense, "weight", (width, width), weight_dtype)
        product = layers.relu(dense, layers.apply(dense, "nn.dense", flat, dense_weight, units=None))
        product = layers.apply(dense, "reshape_like", product, like)
        conv_weight = layers.weight(conv, "weight", (channels, channels, 3, 3), weight_dtype)
        convolved = layers.apply(conv, "nn.conv2d", data, conv_weight, kernel_size=(3, 3), padding=(1, 1, 1, 1))
        return layers.apply(f"add{number}", "add", product, layers.apply(conv, "nn.softmax", convolved))

    added = side_by_side("", shape, shape)
    # The reference names this bias without a layer and leaves its shape to inference.
    biased = layers.apply("bias", "nn.bias_add", added, layers.named(Var("bias"), "bias"))
    biased = layers.batch_norm("batch_norm", biased)
    return typed_module(function(side_by_side("2", biased, shape)))
