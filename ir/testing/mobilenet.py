"""MobileNet. Source of the network: ``python/tvm/relay/testing/mobilenet.py`` (Howard et al.: *MobileNets*)."""

from __future__ import annotations

from ..builder import function
from ..expressions import Expr
from ..module import IRModule
from .layers import Layers, depthwise_kernel_layout, typed_module

__all__ = ["mobilenet"]

_BLOCKS = (
    (64, False),
    (128, True),
    (128, False),
    (256, True),
    (256, False),
    (512, True),
    *((512, False),) * 5,
    (1024, True),
    (1024, False),
)
"""Channels that each block gives, and whether it halves the image."""

_SHALLOW_BLOCKS = (*_BLOCKS[:6], (1024, True), (1024, True))


def mobilenet(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: tuple[int, int, int] = (3, 224, 224),
    alpha: float = 1.0,
    is_shallow: bool = False,
    layout: str = "NCHW",
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """Depthwise and pointwise convolutions in turn; typed.

    Args:
        batch_size: how many images at once.
        num_classes: the width of the last layer.
        image_shape: channels, height, width (height, width, channels in ``NHWC``).
        alpha: scales the number of channels of every layer.
        is_shallow: leave out the five blocks in the middle.
        layout: ``NCHW`` or ``NHWC``.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: the network is not offered in this layout.
    """
    layers = Layers(layer_names)
    axis = layout.index("C")

    def norm_relu(layer: str, data: Expr, along: int = axis) -> Expr:
        return layers.relu(f"{layer}_relu", layers.batch_norm(layer, data, axis=along))

    def separable(block: str, data: Expr, channels: int, following: int, stride: int) -> Expr:
        shape = (3, 3, channels, 1) if layout == "NHWC" else (channels, 1, 3, 3)
        data = layers.conv(
            f"{block}_depthwise_conv1",
            data,
            channels,
            (3, 3),
            strides=(stride, stride),
            padding=(1, 1),
            groups=channels,
            layout=layout,
            weight_layout=depthwise_kernel_layout(layout),
            weight=layers.weight(block, "weight", shape, dtype),
        )
        data = norm_relu(f"{block}_bn1", data)
        return norm_relu(f"{block}_bn2", layers.conv(f"{block}_conv2", data, following, (1, 1), layout=layout))

    channels = int(32 * alpha)
    data: Expr = layers.input((batch_size, *image_shape), dtype)
    data = layers.conv("conv_block_1_conv", data, channels, (3, 3), strides=(2, 2), padding=(1, 1), layout=layout)
    # The reference normalises the first block along dimension 1 in every layout.
    data = norm_relu("conv_block_1_bn", data, 1)
    for index, (width, halves) in enumerate(_SHALLOW_BLOCKS if is_shallow else _BLOCKS, start=1):
        following = int(width * alpha)
        data = separable(f"separable_conv_block_{index}", data, channels, following, 2 if halves else 1)
        channels = following
    data = layers.apply("pool", "nn.global_avg_pool2d", data, layout=layout)
    data = layers.apply("flatten", "nn.batch_flatten", data)
    data = layers.apply("fc", "nn.dense", data, layers.weight("fc", "weight"), units=num_classes)
    return typed_module(function(layers.apply("softmax", "nn.softmax", layers.bias("fc", data))))
