"""``InlineCompilerFunctionsBoundTo``."""

from __future__ import annotations

from collections.abc import Mapping

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar
from relay_lsp.ir.module import IRModule

from ..binding import bind
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from ..infrastructure.pass_kinds import is_optimizable
from ..provenance import ExprMutator


@declare_pass(opt_level=0)
class InlineCompilerFunctionsBoundTo(ModulePass):
    """Put functions for an external compiler back where they are called, and with them the composites inside.

    The functions that ``global_vars`` names leave the module. Source of the rule:
    ``src/relay/transforms/compiler_function_utils.cc``.

    Before (global_vars=("kernel",))::

        def @kernel(%x: Tensor[(4), float32], Compiler="cutlass") -> Tensor[(4), float32] {
          %0 = fn (%y: Tensor[(4), float32], Composite="cutlass.relu") -> Tensor[(4), float32] {
            nn.relu(%y)
          };
          %0(%x)
        }

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          @kernel(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          nn.relu(%x)
        }
    """

    global_vars: tuple[str, ...] = option(default=(), doc="Names of the functions; where it is empty, nothing changes.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module without these functions.

        Raises:
            PassError: one that is called is not for an external compiler, or holds a function that is no composite.
        """
        chosen = {var: body for var, body in module.functions.items() if var.name_hint in self.global_vars}
        if not chosen:
            return module
        inliner = _OuterInliner(chosen)
        kept: dict[GlobalVar, Function] = {}
        for var, function in module.functions.items():
            if var not in chosen:
                kept[var] = inliner.visit_function(function) if is_optimizable(function) else function
        return module.with_functions(kept)


class _OuterInliner(ExprMutator):
    def __init__(self, chosen: Mapping[GlobalVar, Function]) -> None:
        super().__init__()
        self._chosen = chosen

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        function = self._chosen.get(post.op) if isinstance(post.op, GlobalVar) else None
        if function is None:
            return post
        if "Compiler" not in function.attrs:
            raise PassError(f"{post.op!r} is no function for an external compiler", place=pre)
        body = _InnerInliner().visit(function.body)
        return bind(body, dict(zip(function.params, post.args, strict=True)))


class _InnerInliner(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        function = post.op
        if not isinstance(function, Function):
            return post
        if "Composite" not in function.attrs:
            raise PassError("a function that is called inside one for an external compiler is no composite", place=pre)
        return bind(function.body, dict(zip(function.params, post.args, strict=True)))
