"""``DynamicToStatic``."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Constant, Expr, Function, NDArray
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op

from .fold_constant import ConstantFolder
from .infrastructure import FunctionPass, PassContext, declare_pass
from .patterns.rewriting import infer_locally, infer_with_record
from .provenance import ExprMutator


class _Kind(enum.Enum):
    """How an argument that turns out constant becomes an attribute."""

    INTEGERS = 1
    FLOATS = 2
    INTEGER = 3
    FLOAT = 4
    PAIRS = 5


@dataclass(frozen=True, slots=True)
class _Static:
    """The static operator for a dynamic one: which arguments become which attributes, and which stay."""

    name: str
    attributes: dict[int, tuple[str, _Kind]]
    arguments: tuple[int, ...] = (0,)


_STATIC = {
    "dyn.reshape": _Static("reshape", {1: ("newshape", _Kind.INTEGERS)}),
    "dyn.squeeze": _Static("squeeze", {1: ("axis", _Kind.INTEGERS)}),
    "dyn.tile": _Static("tile", {1: ("reps", _Kind.INTEGERS)}),
    "dyn.topk": _Static("topk", {1: ("k", _Kind.INTEGER)}),
    "dyn.broadcast_to": _Static("broadcast_to", {1: ("shape", _Kind.INTEGERS)}),
    "dyn.zeros": _Static("zeros", {0: ("shape", _Kind.INTEGERS)}, ()),
    "dyn.ones": _Static("ones", {0: ("shape", _Kind.INTEGERS)}, ()),
    "dyn.full": _Static("full", {1: ("shape", _Kind.INTEGERS)}),
    "dyn.one_hot": _Static("one_hot", {3: ("depth", _Kind.INTEGER)}, (0, 1, 2)),
    "dyn.image.resize2d": _Static("image.resize2d", {1: ("size", _Kind.INTEGERS), 2: ("roi", _Kind.FLOATS)}),
    "dyn.nn.upsampling": _Static("nn.upsampling", {1: ("scale_h", _Kind.FLOAT), 2: ("scale_w", _Kind.FLOAT)}),
    "dyn.nn.upsampling3d": _Static(
        "nn.upsampling3d",
        {1: ("scale_d", _Kind.FLOAT), 2: ("scale_h", _Kind.FLOAT), 3: ("scale_w", _Kind.FLOAT)},
    ),
    "dyn.nn.pad": _Static("nn.pad", {1: ("pad_width", _Kind.PAIRS)}, (0, 2)),
    "dyn.strided_slice": _Static(
        "strided_slice",
        {1: ("begin", _Kind.INTEGERS), 2: ("end", _Kind.INTEGERS), 3: ("strides", _Kind.INTEGERS)},
    ),
    "dyn.sparse_to_dense": _Static("sparse_to_dense", {3: ("output_shape", _Kind.INTEGERS)}, (0, 1, 2)),
}


@declare_pass(opt_level=2)
class DynamicToStatic(FunctionPass):
    """Replace operators with computed shapes by static ones, where folding constants finds the shapes.

    What the function has of constants is folded afterwards. Source of the rule:
    ``src/relay/transforms/dynamic_to_static.cc``.

    Before::

        def @main(%x: Tensor[(2, 6), float32], %y: Tensor[(3, 4), float32]) {
          %0 = shape_of(%y, dtype="int64");
          dyn.reshape(%x, %0, newshape=[])
        }

    After::

        def @main(%x: Tensor[(2, 6), float32], %y: Tensor[(3, 4), float32]) -> Tensor[(3, 4), float32] {
          reshape(%x, newshape=[3, 4])
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function with shapes as static as they can be."""
        static = _DynamicToStatic(module).visit_function(function)
        # What has become static may make more constant: once for what the rewriting found, once for what types tell.
        for _ in range(2):
            folded = ConstantFolder(fold_qnn=False).visit(infer_with_record(static, module))
            static = folded if isinstance(folded, Function) else static
        return static


class _DynamicToStatic(ExprMutator):
    def __init__(self, module: IRModule) -> None:
        super().__init__()
        self.module = module
        self.folder = ConstantFolder(fold_qnn=False)

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        if post is pre:
            return pre
        # The result may be known better than it was declared.
        return Function(post.params, post.body, None, post.type_params, post.attrs, post.span, post.virtual_device)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        static = _STATIC.get(post.op.name) if isinstance(post.op, Op) else None
        if static is None:
            return post
        values: dict[str, object] = {}
        for index, (name, kind) in static.attributes.items():
            argument = self._folded(post.args[index])
            if not isinstance(argument, Constant):
                return post
            values[name] = _attribute(argument.data, kind)
        args = [post.args[index] for index in static.arguments]
        if static.name == "nn.pad":
            args[1] = self._folded(args[1])
            if not isinstance(args[1], Constant):
                return post
        op = ops.get(static.name)
        assert op.attrs_type is not None
        same = isinstance(post.attrs, op.attrs_type)
        attrs = post.attrs.replace(**values) if same and post.attrs is not None else op.attrs_type(**values)
        return self.derive(Call(op, tuple(args), attrs), pre, *(pre.args[index] for index in static.attributes))

    def _folded(self, argument: Expr) -> Expr:
        if isinstance(argument, Constant):
            return argument
        for _ in range(2):
            argument = self.folder.visit(infer_locally(argument, self.module))
        return argument


def _attribute(data: NDArray, kind: _Kind) -> object:
    if kind is _Kind.INTEGERS:
        return tuple(int(value) for value in data.reshape(-1))
    if kind is _Kind.FLOATS:
        return tuple(float(value) for value in data.reshape(-1))
    if kind is _Kind.PAIRS:
        return tuple(tuple(int(value) for value in row) for row in data)
    return int(data.reshape(-1)[0]) if kind is _Kind.INTEGER else float(data.reshape(-1)[0])
