"""``FoldExplicitPadding``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.expressions import Call, Constant, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import attrs_of, is_call_to
from relay_lsp.ir.ops.nn.convolution_attributes import ConvolutionAttrs
from relay_lsp.ir.ops.nn.padding import PadAttrs
from relay_lsp.ir.ops.nn.pooling_attributes import AveragePoolAttrs, PoolAttrs
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.ops.shapes import add
from relay_lsp.ir.types import Dim

from .construction import is_equal_scalar
from .infrastructure import FunctionPass, PassContext, declare_pass
from .provenance import ExprMutator

_CONVOLUTIONS = ("nn.conv1d", "nn.conv2d", "nn.conv3d")
_SPATIAL = "DHW"


@declare_pass(opt_level=0, name=" FoldExplicitPadding", required=("InferType",))
class FoldExplicitPadding(FunctionPass):
    """Take an ``nn.pad`` before a convolution or pool into the padding of that operator.

    Only spatial axes may be padded, and only with what the operator itself pads with: 0, the input's zero point for
    ``qnn.conv2d``, the least value of the dtype for a maximum pool. TVM compares the pad value of a float maximum pool
    with the least finite number; so does this. Source of the rule: ``src/relay/transforms/fold_explicit_padding.cc``.

    Before::

        def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
          %0 = nn.pad(%x, 0, pad_width=[[0, 0], [0, 0], [1, 1], [1, 1]]);
          nn.conv2d(%0, %w, padding=[0, 0, 0, 0], kernel_size=[3, 3])
        }

    After::

        def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
          nn.conv2d(%x, %w, padding=[1, 1, 1, 1], kernel_size=[3, 3])
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with every such padding taken in."""
        return _PaddingFolder().visit_function(function)


class _PaddingFolder(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        # An operator that took a padding in may stand on another one.
        current = post
        while True:
            folded = _fold(current)
            if folded is None:
                return current
            self.derive(folded, pre, current.args[0])
            current = folded


def _fold(call: Call) -> Call | None:
    if not isinstance(call.op, Op) or not call.args:
        return None
    pad = call.args[0]
    if not isinstance(pad, Call) or not is_call_to(pad, "nn.pad"):
        return None
    attrs = _folded_attrs(call, attrs_of(pad, PadAttrs), pad.args[1])
    if attrs is None:
        return None
    return Call(call.op, (pad.args[0], *call.args[1:]), attrs, call.type_args, call.span)


def _folded_attrs(call: Call, pad: PadAttrs, value: Expr) -> Attrs | None:
    attrs = call.attrs
    if pad.pad_mode != "constant":
        # TVM does not ask this for qnn.conv2d, and then pads with the zero point what was reflected.
        return None
    if is_call_to(call, "qnn.conv2d"):
        if isinstance(attrs, ConvolutionAttrs) and is_equal_scalar(call.args[2], value):
            return _with_padding(attrs, pad, attrs.data_layout)
        return None
    if not isinstance(value, Constant):
        return None
    zero = bool(value.data.reshape(-1)[0] == 0)
    if is_call_to(call, *_CONVOLUTIONS) and isinstance(attrs, ConvolutionAttrs):
        return _with_padding(attrs, pad, attrs.data_layout) if zero else None
    if isinstance(attrs, AveragePoolAttrs) and is_call_to(call, "nn.avg_pool1d", "nn.avg_pool2d", "nn.avg_pool3d"):
        # The divisor counts the padding from now on, which is right only where the pool added none of its own.
        if not zero or (not attrs.count_include_pad and any(size != 0 for size in attrs.padding)):
            return None
        folded = _with_padding(attrs, pad, attrs.layout)
        return None if folded is None else folded.replace(count_include_pad=True)
    if isinstance(attrs, PoolAttrs) and is_call_to(call, "nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d"):
        return _with_padding(attrs, pad, attrs.layout) if _is_least(value) else None
    return None


def _is_least(value: Constant) -> bool:
    number = value.data.reshape(-1)[0]
    if value.dtype.is_float:
        return bool(number == np.finfo(value.data.dtype).min)
    if value.dtype.is_int or value.dtype.is_uint:
        return value.dtype != "bool" and bool(number == np.iinfo(value.data.dtype).min)
    return False


def _with_padding(attrs: ConvolutionAttrs | PoolAttrs, pad: PadAttrs, layout: str) -> Attrs | None:
    """``attrs`` with the spatial part of ``pad`` added to its padding; ``None`` where another axis is padded."""
    if len(layout) != len(pad.pad_width) or any(
        size != 0 for axis, widths in zip(layout, pad.pad_width, strict=True) if axis not in _SPATIAL for size in widths
    ):
        return None
    added = [
        widths[side] for side in (0, 1) for axis, widths in zip(layout, pad.pad_width, strict=True) if axis in _SPATIAL
    ]
    own: Sequence[Dim] = attrs.padding
    if len(own) != len(added):
        return None
    return attrs.replace(padding=tuple(add(old, new) for old, new in zip(own, added, strict=True)))
