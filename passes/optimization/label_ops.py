"""``LabelOps``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_hash

from ..infrastructure import FunctionPass, PassContext, declare_pass
from ..provenance import ExprMutator
from ..provenance.mutator import Descent


@declare_pass(opt_level=1)
class LabelOps(FunctionPass):
    """Write a hash of each function, and the layouts of the operators in it, into the function's attributes.

    A profiler reads them. Functions that are structurally equal have the same ``hash``; the number is not the one that
    TVM computes. Of operators that have an attribute in common the last one counts.

    Source of the rule: ``src/relay/transforms/label_ops.cc``.

    Before::

        def @main(%x: Tensor[(1, 3, 8, 8), float32], hash="0") {
          let %f = fn (%y: Tensor[(1, 3, 8, 8), float32], Primitive=1, hash="1") {
            nn.max_pool2d(%y, pool_size=[2, 2])
          };
          %f(%x)
        }

    After::

        def @main(%x: Tensor[(1, 3, 8, 8), float32], hash="0") {
          let %f = fn (%y: Tensor[(1, 3, 8, 8), float32], Primitive=1, hash="1") {
            nn.max_pool2d(%y, pool_size=[2, 2])
          };
          %f(%x)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with its labels; one that has a hash keeps the labels that it has."""
        return _Labeler().visit_function(function)


_PLAIN_STRINGS: Final = frozenset(
    {
        "image.dilation2d",
        "nn.bitserial_conv2d",
        "nn.contrib_conv3d_winograd_without_weight_transform",
        "nn.conv1d_transpose",
        "nn.conv2d_transpose",
        "nn.deformable_conv2d",
        "qnn.conv2d_transpose",
    }
)
_LAYOUT_OBJECTS: Final = frozenset(
    {
        "dyn.nn.upsampling",
        "image.grid_sample",
        "nn.avg_pool2d",
        "nn.avg_pool2d_grad",
        "nn.correlation",
        "nn.global_avg_pool2d",
        "nn.global_max_pool2d",
        "nn.max_pool2d",
        "nn.max_pool2d_grad",
        "nn.upsampling",
    }
)
"""TVM sees the layouts that its C++ code declares as objects: ``layout`` of these operators alone, ``src_layout`` and
``dst_layout`` of none, the others of all but those above."""


def _is_seen(operator: str, attribute: str) -> bool:
    if attribute == "layout":
        return operator in _LAYOUT_OBJECTS
    return attribute not in ("src_layout", "dst_layout") and operator not in _PLAIN_STRINGS


@dataclass
class _Labels:
    """The layouts seen since the walk entered a function, whichever: what follows a nested function adds to its.

    ``hashes`` has the hash of each function so far.
    """

    layouts: dict[str, object] = field(default_factory=dict[str, object])
    hashes: dict[object, tuple[object, ...]] = field(default_factory=dict[object, "tuple[object, ...]"])


class _Labeler(ExprMutator):
    def __init__(self) -> None:
        super().__init__()
        self.labels = _Labels()

    def descend(self, expr: Expr) -> Descent | None:
        """A function starts with no layouts."""
        return self._function(expr) if isinstance(expr, Function) and "hash" not in expr.attrs else None

    def _function(self, function: Function) -> Descent:
        self.labels.layouts = {}
        body = yield function.body
        label = f"{structural_hash(function, self.labels.hashes):016x}"
        # What encloses this function takes its hash for the whole of it: nested functions would cost their square.
        self.labels.hashes[function] = (label,)
        attrs = {**function.attrs, "hash": label, **self.labels.layouts}
        return Function(
            function.params,
            body,
            function.ret_type,
            function.type_params,
            attrs,
            function.span,
            function.virtual_device,
        )

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Note the layouts of an operator."""
        if isinstance(pre.op, Op) and pre.attrs is not None:
            for name in pre.attrs.fields():
                if "layout" in name and _is_seen(pre.op.name, name):
                    self.labels.layouts[name] = getattr(pre.attrs, name)
        return post
