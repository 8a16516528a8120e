"""``DynamicToStatic``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, GlobalVar
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.static_forms import is_dynamic, known_arguments, static_form
from relay_lsp.ir.type_visitor import distinct_parts
from relay_lsp.ir.types import GlobalTypeVar
from relay_lsp.ir.visitor import post_order

from .fold_constant import ConstantFolder
from .infrastructure import FunctionPass, PassContext, PassError, declare_pass
from .patterns.rewriting import infer_locally, infer_with_record
from .provenance import ExprMutator


@declare_pass(opt_level=2)
class DynamicToStatic(FunctionPass):
    """Replace operators with computed shapes by static ones, where folding constants finds the shapes.

    What the function has of constants is folded afterwards. A function that then still uses another function of the
    module, or a data type, is refused, as TVM refuses it: there, each function is typed alone. Source of the rule:
    ``src/relay/transforms/dynamic_to_static.cc``, and ``InferTypeLocal`` of ``src/relay/transforms/type_infer.cc``.

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
        """The function with shapes as static as they can be.

        Raises:
            PassError: the function uses a definition of the module.
        """
        static = _DynamicToStatic(module).visit_function(function)
        # What has become static may make more constant: once for what the rewriting found, once for what types tell.
        static = _folded(infer_with_record(static, module))
        typed = infer_with_record(static, module)
        _refuse_definitions_outside(typed)
        return _folded(typed)


def _folded(function: Expr) -> Function:
    folded = ConstantFolder(fold_qnn=False).visit(function)
    assert isinstance(folded, Function)
    return folded


def _refuse_definitions_outside(function: Expr) -> None:
    """Make sure that a typed function can be typed without the module that it stands in.

    Alone, a function is called as its attribute ``global_symbol`` says, or else ``main``: a call of that name is one of
    itself.
    """
    assert isinstance(function, Function)
    own_name = function.attrs.get("global_symbol", "main")
    for expr in post_order(function):
        name = None
        if isinstance(expr, GlobalVar) and expr.name_hint != own_name:
            name = f"@{expr.name_hint}"
        elif not isinstance(expr, GlobalVar) and expr.checked_type is not None:
            data_types = (part for part in distinct_parts(expr.checked_type) if isinstance(part, GlobalTypeVar))
            name = next((f"the data type {data_type.name}" for data_type in data_types), None)
        if name is not None:
            raise PassError(
                f"each function is typed alone, and this one uses {name} of the module: bring the bodies of called "
                "functions in before, by Inline or PartialEvaluate",
                place=expr,
            )


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
