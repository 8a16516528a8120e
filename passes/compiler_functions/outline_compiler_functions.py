"""``OutlineCompilerFunctionsWithExistingGlobalSymbols``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, Let
from relay_lsp.ir.module import IRModule

from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, option
from ..infrastructure.pass_kinds import is_optimizable
from ..provenance import Descent, ExprMutator
from .mark_compiler_functions_as_extern import is_compiler_function


@declare_pass(opt_level=0, name="OutlineCompilerFunctions")
class OutlineCompilerFunctionsWithExistingGlobalSymbols(ModulePass):
    """Move functions for an external compiler out of line, under the name of their attribute ``global_symbol``.

    A function is moved where it is called, directly or by a variable that ``let`` binds to it; functions of the same
    name are the same. Source of the rule: ``src/relay/transforms/compiler_function_utils.cc``.

    Before (compiler_filter="cutlass")::

        def @main(%x: Tensor[(4), float32]) {
          %0 = fn (%y: Tensor[(4), float32], Compiler="cutlass", global_symbol="kernel") -> Tensor[(4), float32] {
            nn.relu(%y)
          };
          %0(%x)
        }

    After::

        def @kernel(%y: Tensor[(4), float32], Compiler="cutlass", global_symbol="kernel") -> Tensor[(4), float32] {
          nn.relu(%y)
        }

        def @main(%x: Tensor[(4), float32]) {
          @kernel(%x)
        }
    """

    compiler_filter: str = option(default="", doc="Name of the compiler; every one where it is empty.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with these functions among its own.

        Raises:
            PassError: a function has no ``global_symbol``.
        """
        outliner = _Outliner(module, self.compiler_filter)
        changed = dict(module.functions)
        for var, function in module.functions.items():
            if is_optimizable(function):
                changed[var] = outliner.visit_function(function)
        if changed == module.functions and not outliner.made:
            return module
        return module.with_functions({**changed, **outliner.made})


class _Outliner(ExprMutator):
    def __init__(self, module: IRModule, compiler_filter: str) -> None:
        super().__init__()
        self.made: dict[GlobalVar, Function] = {}
        self._filter = compiler_filter
        self._names = {var.name_hint: var for var in module.functions}

    def descend(self, expr: Expr) -> Descent | None:
        """A binding of such a function gives way to the function itself."""
        return self._let(expr) if isinstance(expr, Let) else None

    def _let(self, let: Let) -> Descent:
        value = yield let.value
        if is_compiler_function(value, self._filter):
            self.memo[let.var] = value
            return (yield let.body)
        body = yield let.body
        return let if value is let.value and body is let.body else Let(let.var, value, body, let.span)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        callee = post.op
        if not is_compiler_function(callee, self._filter):
            return post
        symbol = callee.attrs.get("global_symbol")
        if not isinstance(symbol, str):
            raise PassError("a function that is moved out of line needs the attribute global_symbol", place=pre.op)
        var = self._names.get(symbol)
        if var is None:
            var = self._names[symbol] = GlobalVar(symbol)
            self.record.record(var, pre.op)
            self.made[var] = callee
        return Call(var, post.args, post.attrs, post.type_args, post.span)
