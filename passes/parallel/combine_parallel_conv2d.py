"""``CombineParallelConv2D``."""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.data_layout import Layout, convert_shape
from relay_lsp.ir.ops.nn.convolution_attributes import Conv2DAttrs
from relay_lsp.ir.types import Shape

from ..construction import tensor_type
from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass, option
from .combiner import Branch, ParallelOpCombiner


@declare_pass(opt_level=4, name="CombineParallelConv2d", required=("InferType",))
class CombineParallelConv2D(FunctionPass):
    """Join convolutions of one input into one with more filters, and cut its result apart.

    The convolutions must have one group and agree in strides, padding, dilation, layouts, dtype and kernel size.
    Elementwise operators that follow each of them alike are joined too. Source of the rule:
    ``src/relay/transforms/combine_parallel_conv2d.cc``.

    Before (min_num_branches=2)::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %v: Tensor[(2, 4, 1, 1), float32],
                  %w: Tensor[(3, 4, 1, 1), float32]) {
          (nn.conv2d(%x, %v, padding=[0, 0, 0, 0]), nn.conv2d(%x, %w, padding=[0, 0, 0, 0]))
        }

    After::

        def @main(%x: Tensor[(1, 4, 8, 8), float32], %v: Tensor[(2, 4, 1, 1), float32],
                  %w: Tensor[(3, 4, 1, 1), float32]) {
          %0 = (%v, %w);
          %1 = concatenate(%0);
          %2 = nn.conv2d(%x, %1, padding=[0, 0, 0, 0], channels=5);
          %3 = strided_slice(%2, begin=[0, 0], end=[-1, 2], strides=[1, 1], slice_mode="size", axes=None);
          %4 = strided_slice(%2, begin=[0, 2], end=[-1, 3], strides=[1, 1], slice_mode="size", axes=None);
          (%3, %4)
        }
    """

    min_num_branches: int = option(default=3, doc="Join only where there are at least so many convolutions.", lower=1)

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with parallel convolutions joined.

        Raises:
            PassError: a convolution to be joined has a number of filters that is not known.
        """
        return _Conv2DCombiner("nn.conv2d", self.min_num_branches).combine(function)


def _filters(conv: Call) -> int:
    axis = attrs_of(conv, Conv2DAttrs).kernel_layout.index("O")
    channels = tensor_type(conv.args[1]).shape[axis]
    if not isinstance(channels, int):
        raise PassError("the number of filters is not known", place=conv)
    return channels


def _kernel_size(conv: Call, attrs: Conv2DAttrs) -> Shape:
    weight = tensor_type(conv.args[1]).shape
    return convert_shape(weight, Layout.parse(attrs.kernel_layout), Layout.parse("OIHW"))[2:]


class _Conv2DCombiner(ParallelOpCombiner):
    channel_axis = 1

    def is_supported(self, call: Call) -> bool:
        return attrs_of(call, Conv2DAttrs).groups == 1

    def can_combine(self, lhs: Call, rhs: Call) -> bool:
        a, b = attrs_of(lhs, Conv2DAttrs), attrs_of(rhs, Conv2DAttrs)
        if a.replace(channels=None, kernel_size=None) != b.replace(channels=None, kernel_size=None):
            return False
        return _kernel_size(lhs, a) == _kernel_size(rhs, b)

    def combined_op(self, branches: Sequence[Branch]) -> Call:
        first = branches[0][0]
        attrs = attrs_of(first, Conv2DAttrs)
        self.channel_axis = (attrs.out_layout or attrs.data_layout).index("C")
        weights = Tuple(tuple(branch[0].args[1] for branch in branches))
        weight = apply("concatenate", weights, axis=attrs.kernel_layout.index("O"))
        channels = sum(_filters(branch[0]) for branch in branches)
        return Call(first.op, (first.args[0], weight), attrs.replace(channels=channels))

    def is_argument_compatible(self, lhs: Call, rhs: Call, index: int) -> bool:
        a, b = tensor_type(lhs.args[index]), tensor_type(rhs.args[index])
        out_a, out_b = tensor_type(lhs).shape, tensor_type(rhs).shape
        axis = self.channel_axis - len(out_a) + a.ndim
        if a.dtype != b.dtype or a.ndim != b.ndim or axis < 0:
            return False
        # The channels must be there, not broadcast.
        if a.shape[axis] != out_a[self.channel_axis] or b.shape[axis] != out_b[self.channel_axis]:
            return False
        return a.shape[:axis] + a.shape[axis + 1 :] == b.shape[:axis] + b.shape[axis + 1 :]

    def combined_following(self, data: Expr, branches: Sequence[Branch], depth: int, parent: int) -> Call:
        call = branches[0][depth]
        rank = tensor_type(call).ndim
        args: list[Expr] = []
        for index, arg in enumerate(call.args):
            if index == parent:
                args.append(data)
                continue
            axis = self.channel_axis - rank + tensor_type(arg).ndim
            parts = Tuple(tuple(branch[depth].args[index] for branch in branches))
            args.append(apply("concatenate", parts, axis=axis))
        return Call(call.op, tuple(args), call.attrs)

    def outputs(self, data: Expr, branches: Sequence[Branch], depth: int) -> list[Expr]:
        outputs: list[Expr] = []
        start = 0
        leading = self.channel_axis
        for branch in branches:
            channels = _filters(branch[0])
            outputs.append(
                apply(
                    "strided_slice",
                    data,
                    begin=(0,) * leading + (start,),
                    end=(-1,) * leading + (channels,),
                    strides=(1,) * (leading + 1),
                    slice_mode="size",
                    axes=None,
                )
            )
            start += channels
        return outputs
