"""Inception v3. Source of the network: ``python/tvm/relay/testing/inception_v3.py`` (Szegedy et al.)."""

from __future__ import annotations

from dataclasses import dataclass

from ..builder import function
from ..expressions import Expr
from ..module import IRModule
from .layers import Layers, typed_module

__all__ = ["inception_v3"]


@dataclass(frozen=True)
class _Conv:
    """A convolution: channels, kernel, the suffix of its name, and its strides; the padding keeps the size."""

    channels: int
    kernel: tuple[int, int]
    suffix: str = "_conv"
    stride: int = 1

    @property
    def padding(self) -> tuple[int, int]:
        return (0, 0) if self.stride == 2 else (self.kernel[0] // 2, self.kernel[1] // 2)


_ONE, _THREE, _FIVE = (1, 1), (3, 3), (5, 5)
_ROW, _COLUMN = (1, 7), (7, 1)


class _Inception:
    """The blocks of the network; each joins several towers of convolutions and one of pooling."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers

    def conv(
        self,
        name: str,
        data: Expr,
        channels: int,
        kernel: tuple[int, int] = _ONE,
        *,
        stride: int = 1,
        padding: tuple[int, int] = (0, 0),
    ) -> Expr:
        """A convolution, normalised and rectified."""
        layers = self.layers
        data = layers.conv(f"{name}_conv1", data, channels, kernel, strides=(stride, stride), padding=padding)
        data = layers.batch_norm(f"{name}_bn", data, epsilon=2e-5, scale=False)
        return layers.relu(f"{name}_relu", data)

    def pool(self, name: str, kind: str, data: Expr, size: int = 3, stride: int = 1, padding: int = 1) -> Expr:
        """Pooling over squares."""
        attributes = {"count_include_pad": True} if kind == "avg" else {}
        return self.layers.pool(
            name, kind, data, (size, size), strides=(stride, stride), padding=(padding, padding), **attributes
        )

    def tower(self, name: str, data: Expr, *convolutions: _Conv) -> Expr:
        """Convolutions one after the other."""
        for conv in convolutions:
            data = self.conv(
                f"{name}{conv.suffix}", data, conv.channels, conv.kernel, stride=conv.stride, padding=conv.padding
            )
        return data

    def projection(self, name: str, kind: str, data: Expr, channels: int) -> Expr:
        """Pooling that keeps the size, and a convolution to the wanted channels."""
        return self.conv(f"{name}_tower_2_conv", self.pool(f"{kind}_pool_{name}_pool", kind, data), channels)

    def block_a(self, name: str, data: Expr, projected: int) -> Expr:
        towers = (
            self.conv(f"{name}_conv", data, 64),
            self.tower(f"{name}_tower", data, _Conv(48, _ONE), _Conv(64, _FIVE, "_conv_1")),
            self.tower(
                f"{name}_tower_1", data, _Conv(64, _ONE), _Conv(96, _THREE, "_conv_1"), _Conv(96, _THREE, "_conv_2")
            ),
            self.projection(name, "avg", data, projected),
        )
        return self.layers.concatenate(f"{name}_concat", towers)

    def block_b(self, name: str, data: Expr) -> Expr:
        towers = (
            self.conv(f"{name}_conv", data, 384, _THREE, stride=2),
            self.tower(
                f"{name}_tower", data, _Conv(64, _ONE), _Conv(96, _THREE, "_conv_1"), _Conv(96, _THREE, "_conv_2", 2)
            ),
            self.pool(f"max_pool_{name}_pool", "max", data, stride=2, padding=0),
        )
        return self.layers.concatenate(f"{name}_concat", towers)

    def block_c(self, name: str, data: Expr, width: int) -> Expr:
        towers = (
            self.conv(f"{name}_conv", data, 192),
            self.tower(
                f"{name}_tower", data, _Conv(width, _ONE), _Conv(width, _ROW, "_conv_1"), _Conv(192, _COLUMN, "_conv_2")
            ),
            self.tower(
                f"{name}_tower_1",
                data,
                _Conv(width, _ONE),
                _Conv(width, _COLUMN, "_conv_1"),
                _Conv(width, _ROW, "_conv_2"),
                _Conv(width, _COLUMN, "_conv_3"),
                _Conv(192, _ROW, "_conv_4"),
            ),
            self.projection(name, "avg", data, 192),
        )
        return self.layers.concatenate(f"{name}_concat", towers)

    def block_d(self, name: str, data: Expr) -> Expr:
        towers = (
            self.tower(f"{name}_tower", data, _Conv(192, _ONE), _Conv(320, _THREE, "_conv_1", 2)),
            self.tower(
                f"{name}_tower_1",
                data,
                _Conv(192, _ONE),
                _Conv(192, _ROW, "_conv_1"),
                _Conv(192, _COLUMN, "_conv_2"),
                _Conv(192, _THREE, "_conv_3", 2),
            ),
            self.pool(f"max_pool_{name}_pool", "max", data, stride=2, padding=0),
        )
        return self.layers.concatenate(f"{name}_concat", towers)

    def block_e(self, name: str, data: Expr, pooling: str) -> Expr:
        wide = self.conv(f"{name}_conv", data, 320)
        split = self.tower(f"{name}_tower", data, _Conv(384, _ONE))
        deeper = self.tower(f"{name}_tower_1", data, _Conv(448, _ONE), _Conv(384, _THREE, "_conv_1"))
        halves = [
            self.tower(tower, source, _Conv(384, kernel, suffix))
            for tower, source in ((f"{name}_tower", split), (f"{name}_tower_1", deeper))
            for kernel, suffix in (((1, 3), "_mixed_conv"), ((3, 1), "_mixed_conv_1"))
        ]
        towers = (wide, *halves, self.projection(name, pooling, data, 192))
        return self.layers.concatenate(f"{name}_concat", towers)


def inception_v3(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: tuple[int, int, int] = (3, 299, 299),
    dtype: str = "float32",
    layer_names: bool = False,
) -> IRModule:
    """Blocks of towers of small convolutions, joined; typed.

    Args:
        batch_size: how many images at once.
        num_classes: the width of the last layer.
        image_shape: channels, height, width.
        dtype: of the input and so of everything.
        layer_names: whether every expression has its layer's name as its span.
    """
    layers = Layers(layer_names)
    net = _Inception(layers)
    data: Expr = layers.input((batch_size, *image_shape), dtype)
    data = net.conv("conv", data, 32, _THREE, stride=2)
    data = net.conv("conv_1", data, 32, _THREE)
    data = net.conv("conv_2", data, 64, _THREE, padding=(1, 1))
    data = net.pool("pool", "max", data, stride=2, padding=0)
    data = net.conv("conv_3", data, 80)
    data = net.conv("conv_4", data, 192, _THREE)
    data = net.pool("pool1", "max", data, stride=2, padding=0)
    for name, projected in (("mixed", 32), ("mixed_1", 64), ("mixed_2", 64)):
        data = net.block_a(name, data, projected)
    data = net.block_b("mixed_3", data)
    for name, width in (("mixed_4", 128), ("mixed_5", 160), ("mixed_6", 160), ("mixed_7", 192)):
        data = net.block_c(name, data, width)
    data = net.block_d("mixed_8", data)
    data = net.block_e("mixed_9", data, "avg")
    data = net.block_e("mixed_10", data, "max")
    data = net.pool("global_pool", "avg", data, size=8, padding=0)
    data = layers.apply("flatten", "nn.batch_flatten", data)
    # The bias is called after a second layer that does not exist; the name is the reference's.
    data = layers.dense("fc1", data, num_classes, bias=layers.weight("fc2", "bias"))
    return typed_module(function(layers.apply("softmax", "nn.softmax", data)))
