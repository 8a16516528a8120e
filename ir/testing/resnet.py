"""Residual networks with identity mappings, over images and over volumes.

Source of the networks: ``python/tvm/relay/testing/resnet.py`` and ``resnet_3d.py`` (He, Zhang, Ren, Sun: *Identity
Mappings in Deep Residual Networks*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..builder import function
from ..expressions import Expr, Function
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["resnet", "resnet_3d"]

_EPSILON = 2e-5

_UNITS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
    269: (3, 30, 48, 8),
}
"""How many residual units the four stages have, by the number of layers."""

_SMALL_IMAGE = 28
"""Up to this height, the network has three stages of equal length."""


@dataclass(frozen=True)
class _Plan:
    """How many units each stage has, the channels of the stem and of each stage, and whether units are bottlenecks."""

    units: tuple[int, ...]
    filters: tuple[int, ...]
    bottleneck: bool


def _plan(num_layers: int, height: int) -> _Plan:
    if height <= _SMALL_IMAGE:
        if (num_layers - 2) % 9 == 0 and num_layers >= 164:
            return _Plan(((num_layers - 2) // 9,) * 3, (16, 64, 128, 256), True)
        if (num_layers - 2) % 6 == 0 and num_layers < 164:
            return _Plan(((num_layers - 2) // 6,) * 3, (16, 16, 32, 64), False)
        raise ValueError(f"a small residual network has 6n + 2 layers, or 9n + 2 from 164 on, not {num_layers}")
    if num_layers not in _UNITS:
        raise ValueError(f"a residual network has {', '.join(map(str, _UNITS))} layers, not {num_layers}")
    if num_layers >= 50:
        return _Plan(_UNITS[num_layers], (64, 256, 512, 1024, 2048), True)
    return _Plan(_UNITS[num_layers], (64, 64, 128, 256, 512), False)


class _Residual:
    """Residual units over images or volumes of one layout."""

    def __init__(self, layers: Layers, layout: str, axis: int) -> None:
        self.layers = layers
        self.layout = layout
        self.axis = axis
        self.rank = len(layout) - 2

    def norm_relu(self, name: str, number: str, data: Expr) -> Expr:
        normed = self.layers.batch_norm(f"{name}bn{number}", data, axis=self.axis, epsilon=_EPSILON)
        return self.layers.relu(f"{name}relu{number}", normed)

    def conv(self, layer: str, data: Expr, channels: int, size: int, stride: int = 1) -> Expr:
        ones = (1,) * self.rank
        return self.layers.conv(
            layer,
            data,
            channels,
            (size,) * self.rank,
            strides=(stride,) * self.rank,
            padding=ones if size == 3 else (0,) * self.rank,
            layout=self.layout,
        )

    def unit(self, name: str, data: Expr, channels: int, stride: int, widens: bool, bottleneck: bool) -> Expr:
        """One residual unit; one that ``widens`` convolves its shortcut, so that both sides have the same shape."""
        prefix = f"{name}_"
        active = self.norm_relu(prefix, "1", data)
        if bottleneck:
            inner = self.conv(f"{name}_conv1", active, channels // 4, 1, stride)
            inner = self.conv(f"{name}_conv2", self.norm_relu(prefix, "2", inner), channels // 4, 3)
            inner = self.conv(f"{name}_conv3", self.norm_relu(prefix, "3", inner), channels, 1)
        else:
            inner = self.conv(f"{name}_conv1", active, channels, 3, stride)
            inner = self.conv(f"{name}_conv2", self.norm_relu(prefix, "2", inner), channels, 3)
        shortcut = self.conv(f"{name}_sc", active, channels, 1, stride) if widens else data
        return self.layers.apply(f"{name}_plus", "add", inner, shortcut)

    def stages(self, data: Expr, plan: _Plan) -> Expr:
        for stage, (units, channels) in enumerate(zip(plan.units, plan.filters[1:], strict=True), start=1):
            for unit in range(1, units + 1):
                stride = 2 if stage > 1 and unit == 1 else 1
                data = self.unit(f"stage{stage}_unit{unit}", data, channels, stride, unit == 1, plan.bottleneck)
        return data

    def stem(self, data: Expr, channels: int, height: int, size: Sequence[int], strides: Sequence[int]) -> Expr:
        """The first layers: one convolution of 3 for a small input, else a larger one that is normalised."""
        layers = self.layers
        data = layers.batch_norm("bn_data", data, axis=self.axis, epsilon=_EPSILON, scale=False)
        if height <= 32:
            return self.conv("conv0", data, channels, 3)
        padding = [extent // 2 for extent in size]
        data = layers.conv("conv0", data, channels, size, strides=strides, padding=padding, layout=self.layout)
        return self.norm_relu("", "0", data)

    def classifier(self, data: Expr, num_classes: int) -> Function:
        layers = self.layers
        flat = layers.apply("flatten0", "nn.batch_flatten", data)
        return function(layers.apply("softmax", "nn.softmax", layers.dense("fc1", flat, num_classes)))


def resnet(
    num_layers: int = 18,
    batch_size: int = 1,
    image_shape: tuple[int, int, int] = (3, 224, 224),
    num_classes: int = 1000,
    layout: str = "NCHW",
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """A residual network over images; typed.

    Args:
        num_layers: 18, 34, 50, 101, 152, 200 or 269; for images of height up to 28: 6n + 2, or 9n + 2 from 164 on.
        batch_size: how many images at once.
        image_shape: channels, height, width (height, width, channels in ``NHWC``).
        num_classes: the width of the last layer.
        layout: ``NCHW`` or ``NHWC``.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: there is no network of so many layers, or in this layout.
    """
    height = image_shape[0] if layout == "NHWC" else image_shape[1]
    plan = _plan(num_layers, height)
    layers = Layers(layer_names)
    net = _Residual(layers, layout, layout.index("C"))
    data: Expr = layers.input((batch_size, *image_shape), dtype)
    data = net.stem(data, plan.filters[0], height, (7, 7), (2, 2))
    if height > 32:
        data = layers.pool("pooling0", "max", data, (3, 3), strides=(2, 2), padding=(1, 1), layout=layout)
    data = net.norm_relu("", "1", net.stages(data, plan))
    data = layers.apply("pool1", "nn.global_avg_pool2d", data, layout=layout)
    return typed_module(net.classifier(data, num_classes))


def resnet_3d(
    num_layers: int = 18,
    batch_size: int = 1,
    image_shape: tuple[int, int, int, int] = (3, 16, 112, 112),
    num_classes: int = 1000,
    layout: str = "NCDHW",
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """A residual network over volumes, such as short films; typed.

    Args:
        num_layers: as for :func:`resnet`.
        batch_size: how many volumes at once.
        image_shape: channels, depth, height, width (depth, height, width, channels in ``NDHWC``).
        num_classes: the width of the last layer.
        layout: ``NCDHW`` or ``NDHWC``. As in the reference, normalisation is along dimension 1 in both.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.

    Raises:
        ValueError: there is no network of so many layers, or in this layout.
    """
    height = image_shape[2] if layout == "NCDHW" else image_shape[1]
    plan = _plan(num_layers, height)
    layers = Layers(layer_names)
    net = _Residual(layers, layout, 1)
    data: Expr = layers.input((batch_size, *image_shape), dtype)
    data = net.stem(data, plan.filters[0], height, (3, 7, 7), (1, 2, 2))
    data = net.norm_relu("", "1", net.stages(data, plan))
    data = layers.apply("pool1", "nn.adaptive_avg_pool3d", data, output_size=(1, 1, 1), layout=layout)
    return typed_module(net.classifier(data, num_classes))
