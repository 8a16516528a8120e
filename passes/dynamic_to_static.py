"""``DynamicToStatic``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Constant, Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.static_forms import is_dynamic, known_arguments, static_form

from .fold_constant import ConstantFolder
from .infrastructure import FunctionPass, PassContext, declare_pass
from .patterns.rewriting import infer_locally, infer_with_record
from .provenance import ExprMutator


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
        if not is_dynamic(post):
            return post
        needed = known_arguments(post)
        folded = [self._folded(arg) if index in needed else arg for index, arg in enumerate(post.args)]
        static = static_form(post, folded)
        return post if static is None else self.derive(static, pre, *(pre.args[index] for index in needed))

    def _folded(self, argument: Expr) -> Expr:
        if isinstance(argument, Constant):
            return argument
        for _ in range(2):
            argument = self.folder.visit(infer_locally(argument, self.module))
        return argument
