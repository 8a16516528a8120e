"""``LambdaLift``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from relay_lsp.ir.expressions import Call, Constructor, Expr, Function, GlobalVar, Let, Var, VirtualDevice
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.ops.device import OnDeviceAttrs
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.types import FuncType, Type, TypeVar
from relay_lsp.ir.visitor import with_children

from ..binding import Renamer, bind
from ..building import de_duplicate
from ..infer_type import InferType
from ..infrastructure import ModulePass, PassContext, declare_pass
from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept
from .closures import LiftedClosure, closures


@declare_pass(opt_level=1)
class LambdaLift(ModulePass):
    """Turn every function inside another into a function of the module.

    One that uses variables around it becomes a function of those, marked ``Closure=1``, which returns it. The names are
    ``lifted_name`` and a hash of the function; the hash is ours, so that the digits differ from TVM's. A function that
    is marked so already stays as it is, where TVM makes it call itself for ever. Source of the rule:
    ``src/relay/backend/vm/lambda_lift.cc``, ``src/relay/transforms/device_aware_visitors.cc``.

    Before::

        def @main(%x: int32) {
          let %double = fn (%y: int32) -> int32 {
            add(%y, %y)
          };
          %double(%x)
        }

    After::

        def @lifted_name5025679062903189841(%y: int32) -> int32 {
          add(%y, %y)
        }

        def @main(%x: int32) -> int32 {
          let %double = @lifted_name5025679062903189841;
          %double(%x)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module without functions inside functions, but for those that fused operators are."""
        typed = InferType()(module, context)
        lifter = _Lifter(typed)
        functions = {
            var: function if "Compiler" in function.attrs else lifter.lift(function)
            for var, function in typed.functions.items()
        }
        if not lifter.lifted and all(typed[var] is function for var, function in functions.items()):
            return module
        return typed.with_functions({**functions, **{lifter.names[name]: new for name, new in lifter.lifted.items()}})


class _Lifter(ExprMutator):
    def __init__(self, module: IRModule) -> None:
        super().__init__()
        self.outer: Function | None = None
        self.inside_closure: Expr | None = None
        self.lifted: dict[str, Function] = {}
        self.names = {var.name_hint: var for var in module.functions}
        self.existing = {var.name_hint: function for var, function in module.functions.items()}
        self.recursive: dict[Var, Expr] = {}
        self.letrec: list[Var] = []
        # The number of each kind of function that captures the same, who has each number, and what to try next.
        self.numbers: dict[tuple[int, tuple[Var, ...]], int] = {}
        self.next_number: dict[int, int] = {}
        self.taken: set[int] = set()
        self.closures: dict[Function, LiftedClosure] = {}
        # Where each variable lives, and the devices of the scopes around, innermost last.
        self.devices: dict[Var, VirtualDevice | None] = {}
        self.scopes: list[VirtualDevice | None] = [None]

    def lift(self, function: Function) -> Function:
        self.outer = function
        # What a closure gives was lifted already: a second function of the same body would be the closure itself.
        self.inside_closure = function.body if function.attrs.get("Closure") else None
        self.scopes = [function.virtual_device]
        self.devices.update((param, param.virtual_device) for param in function.params)
        return self.visit_function(function)

    def descend(self, expr: Expr) -> Descent | None:
        if isinstance(expr, Let):
            return self._let(expr)
        if isinstance(expr, Function) and expr is not self.outer and expr is not self.inside_closure:
            return kept(expr) if expr.is_primitive else self._lift(expr)
        if isinstance(expr, Call) and _fixed_device(expr) is not None:
            return self._on_device(expr)
        return None

    def _on_device(self, call: Call) -> Descent:
        self.scopes.append(_fixed_device(call))
        body = yield call.args[0]
        self.scopes.pop()
        # What is bound elsewhere lives where its binding says.
        return (
            body
            if isinstance(body, (Var, GlobalVar, Op, Constructor, Function))
            else with_children(call, (call.op, body))
        )

    def _let(self, let: Let) -> Descent:
        self.devices[let.var] = _fixed_device(let.value) or self.scopes[-1]
        is_lambda = isinstance(let.value, Function) and not let.value.is_primitive
        if is_lambda:
            self.letrec.append(let.var)
        value = yield let.value
        if is_lambda:
            self.letrec.pop()
        body = yield let.body
        return let if value is let.value and body is let.body else Let(let.var, value, body, let.span)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        callee = pre.op
        if isinstance(callee, Var) and self.letrec and callee is self.letrec[-1] and callee in self.recursive:
            return Call(self.recursive[callee], post.args, pre.attrs, pre.type_args, pre.span)
        return post

    def _lift(self, function: Function) -> Descent:
        if function not in self.closures and self.outer is not None:
            self.closures = closures(self.outer)
        closure = self.closures[function]
        binder = self.letrec[-1] if self.letrec else None
        captured = tuple(var for var in closure.free if var is not binder)
        number = self.numbers.get((closure.number, captured))
        if number is None:
            # Those alike that capture other variables get names of their own.
            number = self.numbers[closure.number, captured] = self._free_number(closure.number)
        var = self._global_var(number, function)
        is_closure = bool(captured or closure.type_vars)
        if binder is not None and len(captured) < len(closure.free):
            self.recursive[binder] = self.derive(Call(var, captured), function) if is_closure else var
        self.devices.update((param, param.virtual_device) for param in function.params)
        self.scopes.append(function.virtual_device)
        body = yield function.body
        self.scopes.pop()
        lifted = self._lifted(function, body, captured, closure.type_vars)
        self.derive(lifted, function)
        while (existing := self._function_called(var)) is not None and not structural_equal(existing, lifted):
            # Functions alike may have closures with names of their own inside, or share other values with what is
            # around them. The next name is for this one.
            number = self._free_number(closure.number)
            other = self._global_var(number, function)
            lifted = Renamer({var: other}).visit_function(lifted)
            var = other
        if existing is None:
            self.lifted[var.name_hint] = lifted
        # A function of type variables around it is wrapped as a closure even where it captures no value.
        return Call(var, captured) if is_closure else var

    def _free_number(self, first: int) -> int:
        number = self.next_number.get(first, first)
        while number in self.taken:
            number += 1
        self.taken.add(number)
        self.next_number[first] = number + 1
        return number

    def _global_var(self, number: int, function: Function) -> GlobalVar:
        name = f"lifted_name{number}"
        if name not in self.names:
            var = self.names[name] = GlobalVar(name)
            self.derive(var, function)
        return self.names[name]

    def _function_called(self, var: GlobalVar) -> Function | None:
        return self.lifted.get(var.name_hint) or self.existing.get(var.name_hint)

    def _lifted(
        self, function: Function, body: Expr, captured: Sequence[Var], type_vars: Sequence[TypeVar]
    ) -> Function:
        if not captured and not type_vars:
            return Function(
                function.params,
                body,
                function.ret_type,
                function.type_params,
                function.attrs,
                function.span,
                function.virtual_device,
            )
        fresh = {
            var: Var(var.name_hint, var.checked_type or var.type_annotation, None, self.devices.get(var))
            for var in captured
        }
        inner = Function(
            function.params,
            bind(body, fresh),
            function.ret_type,
            function.type_params,
            function.attrs,
            function.span,
            function.virtual_device,
        )
        closure = Function(
            tuple(fresh.values()),
            inner,
            _annotation(function),
            tuple(type_vars),
            {"Closure": 1},
            function.span,
            _fixed_device(function.body) or function.virtual_device,
        )
        # A type variable is bound by one function of a module, for TVM's printer too: it calls others malformed.
        return cast("Function", de_duplicate(closure)) if type_vars else closure


def _fixed_device(expr: Expr) -> VirtualDevice | None:
    """The device that ``expr`` is fixed to by an ``on_device`` around it."""
    attrs = expr.attrs if isinstance(expr, Call) and is_call_to(expr, "on_device") else None
    if isinstance(attrs, OnDeviceAttrs) and attrs.constrain_result and attrs.constrain_body:
        return attrs.virtual_device
    return None


def _annotation(function: Function) -> Type | None:
    """The type of ``function`` as its annotations say it; ``None`` where one is missing."""
    arguments = tuple(param.type_annotation for param in function.params if param.type_annotation is not None)
    if function.ret_type is None or len(arguments) != len(function.params):
        return function.checked_type
    return FuncType(arguments, function.ret_type, function.type_params)
