"""The generator of DCGAN. Source of the network: ``python/tvm/relay/testing/dcgan.py`` (Radford, Metz, Chintala)."""

from __future__ import annotations

from ..builder import function
from ..expressions import Expr
from ..module import IRModule
from .layers import Layers, both_sides, typed_module

__all__ = ["dcgan"]

_EPSILON = 1e-5 + 1e-12
_KERNEL = 4
_SIDE = 64
"""Height and width of the image that is generated."""


def dcgan(
    batch_size: int = 1,
    random_len: int = 100,
    channels: int = 3,
    features: int = 128,
    layout: str = "NCHW",
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """From random numbers to an image of 64 by 64, by transposed convolutions; typed.

    Args:
        batch_size: how many images at once.
        random_len: how many random numbers make an image.
        channels: of the image.
        features: channels of the last hidden layer; the layers before have twice as many each.
        layout: ``NCHW`` or ``NHWC``.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: the network is not offered in this layout.
    """
    kernel_layouts = {"NCHW": "IOHW", "NHWC": "HWOI"}
    if layout not in kernel_layouts:
        raise ValueError(f"DCGAN is offered in the layouts {' and '.join(kernel_layouts)}, not {layout}")
    layers = Layers(layer_names)

    def deconv(layer: str, data: Expr, filters: int, side: int) -> Expr:
        padding = (_KERNEL - 1) // 2
        missing = (side + 2 * padding - _KERNEL) % 2
        return layers.apply(
            layer,
            "nn.conv2d_transpose",
            data,
            layers.weight(layer, "weight"),
            channels=filters,
            kernel_size=(_KERNEL, _KERNEL),
            strides=(2, 2),
            padding=both_sides((padding, padding)),
            output_padding=(missing, missing),
            data_layout=layout,
            kernel_layout=kernel_layouts[layout],
        )

    data: Expr = layers.input((batch_size, random_len), dtype)
    data = layers.apply("dense", "nn.dense", data, layers.weight("dense", "weight"), units=4 * 4 * features * 8)
    data = layers.relu("dense_relu", data)
    shape = (-1, 4, 4, features * 8) if layout == "NHWC" else (-1, features * 8, 4, 4)
    data = layers.apply("reshape", "reshape", data, newshape=shape)
    for prefix, factor, side in (("g2", 4, 8), ("g3", 2, 16), ("g4", 1, 32)):
        data = deconv(f"{prefix}_deconv", data, features * factor, side)
        data = layers.batch_norm(f"{prefix}_batch_norm", data, axis=layout.index("C"), epsilon=_EPSILON, scale=False)
        data = layers.relu(f"{prefix}_relu", data)
    data = deconv("g5_deconv", data, channels, _SIDE)
    return typed_module(function(layers.apply("tanh", "tanh", data)))
