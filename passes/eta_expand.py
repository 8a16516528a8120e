"""``EtaExpand``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Call, Constructor, Expr, Function, GlobalVar, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.type_visitor import substitute
from relay_lsp.ir.types import TypeCall, TypeVar

from .infrastructure import ModulePass, PassContext, declare_pass, option
from .provenance import ExprMutator
from .provenance.mutator import Descent


@declare_pass(opt_level=1)
class EtaExpand(ModulePass):
    """Wrap a constructor or global function that is used as a value into a function of its own.

    Source of the rule: ``src/relay/transforms/eta_expand.cc``.

    Before (expand_constructor=True)::

        type Box[A] {
          Boxed(A),
        }

        def @main() {
          Boxed
        }

    After::

        type Box[A] {
          Boxed(A),
        }

        def @main() {
          fn [A](%eta_expand_param: A) -> Box[A] {
            Boxed(%eta_expand_param)
          }
        }
    """

    expand_constructor: bool = option(default=False, doc="Wrap constructors that are not called.")
    expand_global_var: bool = option(default=False, doc="Wrap global functions, called or not.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with every such value wrapped; the same module where neither kind is asked for."""
        expander = _EtaExpander(module, self.expand_constructor, self.expand_global_var)
        functions = {var: expander.visit_function(function) for var, function in module.functions.items()}
        if all(module[var] is function for var, function in functions.items()):
            return module
        return module.with_functions(functions)


class _EtaExpander(ExprMutator):
    def __init__(self, module: IRModule, constructors: bool, global_vars: bool) -> None:
        super().__init__()
        self.module = module
        self.constructors = constructors
        self.global_vars = global_vars

    def descend(self, expr: Expr) -> Descent | None:
        # A constructor that is called is no value of its own.
        return self._call(expr) if isinstance(expr, Call) and isinstance(expr.op, Constructor) else None

    def _call(self, call: Call) -> Descent:
        args: list[Expr] = []
        for arg in call.args:
            args.append((yield arg))
        if all(new is old for new, old in zip(args, call.args, strict=True)):
            return call
        return Call(call.op, tuple(args), call.attrs, call.type_args, call.span)

    def rewrite_constructor(self, pre: Constructor, post: Constructor) -> Expr:
        if not self.constructors:
            return post
        definition = self.module.type_definitions[pre.belong_to]
        fresh = {var: TypeVar("A", var.kind) for var in definition.type_vars}
        params = tuple(Var("eta_expand_param", substitute(type, fresh)) for type in pre.inputs)
        type_params = tuple(fresh.values())
        return Function(params, Call(pre, params), TypeCall(pre.belong_to, type_params), type_params)

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:
        if not self.global_vars or pre not in self.module.functions:
            return post
        function = self.module[pre]
        params = tuple(Var("eta_expand_param", param.type_annotation) for param in function.params)
        body = Call(pre, params)
        return Function(params, body, function.ret_type, function.type_params, function.attrs)
