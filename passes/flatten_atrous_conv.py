"""``FlattenAtrousConv``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import attrs_of, is_call_to
from relay_lsp.ir.ops.nn.convolution_attributes import Conv2DAttrs
from relay_lsp.ir.types import Dim, TensorType

from .infrastructure import FunctionPass, PassContext, declare_pass
from .provenance import ExprMutator


@declare_pass(opt_level=0, required=("InferType",))
class FlattenAtrousConv(FunctionPass):
    """Turn ``space_to_batch_nd``, a convolution and ``batch_to_space_nd`` into one dilated convolution.

    The block becomes the dilation, and the padding is what keeps the size. Only ``NHWC`` convolutions over sizes that
    are known are turned; others stay. Source of the rule: ``src/relay/transforms/flatten_atrous_conv.cc``.

    Before::

        def @main(%x: Tensor[(1, 4, 4, 1), float32], %w: Tensor[(3, 3, 1, 1), float32]) {
          %0 = nn.space_to_batch_nd(%x, block_shape=[2, 2], paddings=[[2, 2], [2, 2]]);
          %1 = nn.conv2d(%0, %w, padding=[0, 0, 0, 0], kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWIO");
          nn.batch_to_space_nd(%1, block_shape=[2, 2], crops=[[0, 0], [0, 0]])
        }

    After::

        def @main(%x: Tensor[(1, 4, 4, 1), float32], %w: Tensor[(3, 3, 1, 1), float32]) {
          nn.conv2d(%x, %w, padding=[2, 2, 2, 2], dilation=[2, 2], kernel_size=[3, 3], data_layout="NHWC",
                    kernel_layout="HWIO")
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with every such chain replaced."""
        return _AtrousFlattener().visit_function(function)


class _AtrousFlattener(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if not is_call_to(post, "nn.batch_to_space_nd"):
            return post
        conv, old_conv = post.args[0], pre.args[0]
        if not isinstance(conv, Call) or not isinstance(old_conv, Call):
            return post
        if not is_call_to(conv, "nn.conv2d", "qnn.conv2d") or not is_call_to(conv.args[0], "nn.space_to_batch_nd"):
            return post
        space, old_space = conv.args[0], old_conv.args[0]
        if not isinstance(space, Call) or not isinstance(old_space, Call):
            return post
        attrs = attrs_of(conv, Conv2DAttrs)
        data = old_space.args[0].checked_type
        block: tuple[Dim, ...] = getattr(post.attrs, "block_shape", ())
        if attrs.data_layout != "NHWC" or not isinstance(data, TensorType) or not attrs.kernel_size:
            return post
        padding = _padding(data.shape[1:3], attrs.kernel_size, block[:2])
        if padding is None:
            return post
        flattened = attrs.replace(strides=(1, 1), padding=padding, dilation=tuple(block[:2]))
        new = Call(conv.op, (space.args[0], *conv.args[1:]), flattened, (), post.span)
        return self.derive(new, pre, old_conv, old_space)


def _padding(sizes: tuple[Dim, ...], kernel: tuple[Dim, ...], dilation: tuple[Dim, ...]) -> tuple[int, ...] | None:
    """What to add before and after the rows and columns so that a convolution of stride 1 keeps their number."""
    before: list[int] = []
    after: list[int] = []
    for size, extent, step in zip(sizes, kernel, dilation, strict=False):
        if not (isinstance(size, int) and isinstance(extent, int) and isinstance(step, int)):
            return None
        pad = max((size - 1) + ((extent - 1) * step + 1) - size, 0)
        before.append(pad // 2)
        after.append(pad - pad // 2)
    return (*before, *after) if len(before) == 2 else None
