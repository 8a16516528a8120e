"""Layers: an operator with its weights, which become variables named after the layer.

Source of the names and defaults: ``python/tvm/relay/testing/layers.py`` and the Python functions of the operators in
``python/tvm/relay/op/nn/nn.py``, which write paddings out for both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..builder import call, set_span, var
from ..expressions import Expr, Function, Tuple, TupleGetItem, Var
from ..inference import infer_types
from ..module import IRModule
from ..types import Shape

__all__ = ["Layers", "both_sides", "depthwise_kernel_layout", "kernel_layout", "typed_module"]

ExprKind = TypeVar("ExprKind", bound=Expr)


def kernel_layout(data_layout: str) -> str:
    """The layout of a convolution's weight that goes with the layout of its data.

    Raises:
        ValueError: the layout is none of those that the networks are built in.
    """
    layouts = {"NCHW": "OIHW", "NHWC": "HWIO", "NCDHW": "OIDHW", "NDHWC": "DHWIO"}
    if data_layout not in layouts:
        raise ValueError(f"a network in the layout {data_layout} is not offered; there are {', '.join(layouts)}")
    return layouts[data_layout]


def depthwise_kernel_layout(data_layout: str) -> str:
    """The same for a convolution of each channel by itself."""
    return "HWOI" if data_layout == "NHWC" else kernel_layout(data_layout)


def typed_module(network: Function) -> IRModule:
    """The network as ``@main`` of a module, with the types of its weights inferred.

    Raises:
        ValueError: the sizes do not fit together.
    """
    inferred = infer_types(IRModule.from_expr(network))
    if inferred.diagnostics:
        raise ValueError(f"the network cannot be typed: {inferred.diagnostics[0].message}")
    return inferred.module


class Layers:
    """Builds layers; with ``names``, every expression of a layer has the layer's name as its span."""

    def __init__(self, names: bool = False) -> None:
        self.names = names

    def input(self, shape: Shape, dtype: str, name: str = "data") -> Var:
        """The network's input."""
        return self.named(var(name, shape, dtype), name)

    def weight(self, layer: str, role: str, shape: Shape | None = None, dtype: str = "float32") -> Var:
        """A weight of ``layer``: ``fc1_bias``. Without a shape, inference finds its type."""
        return self.named(var(f"{layer}_{role}", shape, dtype), layer)

    def apply(self, layer: str, operator: str, *args: Expr, **attributes: object) -> Expr:
        """An operator as the layer ``layer``."""
        return self.named(call(operator, *args, **attributes), layer)

    def first(self, layer: str, operator: str, *args: Expr, **attributes: object) -> Expr:
        """The first of the results of an operator that has several."""
        return self.named(TupleGetItem(call(operator, *args, **attributes), 0), layer)

    def batch_norm(self, layer: str, data: Expr, *, axis: int = 1, epsilon: float = 1e-5, scale: bool = True) -> Expr:
        """Batch normalisation with its four weights."""
        weights = [self.weight(layer, role) for role in ("gamma", "beta", "moving_mean", "moving_var")]
        return self.first(layer, "nn.batch_norm", data, *weights, axis=axis, epsilon=epsilon, scale=scale)

    def conv(
        self,
        layer: str,
        data: Expr,
        channels: int,
        kernel_size: Sequence[int],
        *,
        strides: Sequence[int] | None = None,
        padding: Sequence[int] | None = None,
        groups: int = 1,
        layout: str = "NCHW",
        weight_layout: str | None = None,
        weight: Expr | None = None,
    ) -> Expr:
        """A convolution over as many dimensions as ``kernel_size`` has; ``padding`` is per dimension, on both sides."""
        rank = len(kernel_size)
        return self.apply(
            layer,
            f"nn.conv{rank}d",
            data,
            self.weight(layer, "weight") if weight is None else weight,
            channels=channels,
            kernel_size=tuple(kernel_size),
            strides=tuple(strides or (1,) * rank),
            padding=both_sides(padding or (0,) * rank),
            groups=groups,
            data_layout=layout,
            kernel_layout=weight_layout or kernel_layout(layout),
        )

    def dense(
        self, layer: str, data: Expr, units: int, *, weight: Expr | None = None, bias: Expr | None = None
    ) -> Expr:
        """A dense layer with a bias."""
        product = self.apply(
            layer, "nn.dense", data, self.weight(layer, "weight") if weight is None else weight, units=units
        )
        return self.bias(layer, product, axis=-1, bias=bias)

    def bias(self, layer: str, data: Expr, axis: int = 1, bias: Expr | None = None) -> Expr:
        """Add a bias along ``axis``."""
        return self.apply(layer, "nn.bias_add", data, self.weight(layer, "bias") if bias is None else bias, axis=axis)

    def relu(self, layer: str, data: Expr) -> Expr:
        """A rectifier."""
        return self.apply(layer, "nn.relu", data)

    def pool(
        self,
        layer: str,
        kind: str,
        data: Expr,
        pool_size: Sequence[int],
        *,
        strides: Sequence[int] = (1, 1),
        padding: Sequence[int] = (0, 0),
        **attributes: object,
    ) -> Expr:
        """Two-dimensional pooling; ``kind`` is ``max`` or ``avg``."""
        return self.apply(
            layer,
            f"nn.{kind}_pool2d",
            data,
            pool_size=tuple(pool_size),
            strides=tuple(strides),
            padding=both_sides(padding),
            **attributes,
        )

    def concatenate(self, layer: str, parts: Sequence[Expr], axis: int = 1) -> Expr:
        """Join tensors along ``axis``."""
        return self.apply(layer, "concatenate", Tuple(tuple(parts)), axis=axis)

    def named(self, expr: ExprKind, layer: str) -> ExprKind:
        """``expr`` with the layer's name as its span, and that of everything below it that has none."""
        return set_span(expr, layer) if self.names else expr


def both_sides(padding: Sequence[int]) -> tuple[int, ...]:
    """The padding of each dimension, written out for its beginning and its end."""
    return (*padding, *padding)
