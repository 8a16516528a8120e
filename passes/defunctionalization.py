"""``Defunctionalization``."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import cast

from relay_lsp.ir.expressions import (
    Call,
    Clause,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Match,
    Pattern,
    PatternConstructor,
    PatternVar,
    Var,
)
from relay_lsp.ir.module import IRModule, TypeData
from relay_lsp.ir.type_visitor import distinct_parts, same_type, substitute
from relay_lsp.ir.types import FuncType, GlobalTypeVar, Type, TypeCall, TypeVar
from relay_lsp.ir.visitor import free_vars, type_vars

from .binding import bind
from .building import de_duplicate
from .infrastructure import ModulePass, PassContext, PassError, declare_pass
from .main_function import main_of
from .provenance import Descent, ExprMutator


@declare_pass(opt_level=0, required=("InferType",))
class Defunctionalization(ModulePass):
    """Turn ``@main``, and what it calls, into first-order functions: functions that are passed on become data.

    Each function that is passed to a global one becomes a constructor of a new data type, which holds what the function
    captures. The global function is copied for the types that it is called with; where it called its parameter it calls
    ``@applyFuncType``, which matches on the constructor. A function literal that is called on the spot is replaced by
    its body.

    Functions cannot be returned, stored in data, or bound by ``let`` and then called: these are refused. Functions of
    different types get data types of their own (``DefuncFuncType``, ``DefuncFuncType_1``, …), where TVM mixes them in
    one; and constructors, which TVM calls ``1``, ``2``, …, have a name that can be read back. Source of the rule:
    ``src/relay/transforms/defunctionalization.cc``.

    Before::

        def @apply_to[A, B](%f: fn (A) -> B, %x: A) -> B {
          %f(%x)
        }

        def @main(%y: float32) -> float32 {
          %0 = fn (%z: float32) -> float32 {
            negative(%z)
          };
          @apply_to(%0, %y)
        }

    After::

        type DefuncFuncType {
          Function1,
        }

        def @applyFuncType(%x: DefuncFuncType, %y: float32) -> float32 {
          match (%x) {
            Function1 => {
              %0 = fn (%z: float32) -> float32 {
                negative(%z)
              };
              %0(%y)
            },
          }
        }

        def @apply_to[A, B](%f: fn (A) -> B, %x: A) -> B {
          %f(%x)
        }

        def @apply_toFuncType(%f: DefuncFuncType, %x: float32) -> float32 {
          @applyFuncType(%f, %x)
        }

        def @main(%y: float32) -> float32 {
          %1 = Function1;
          @apply_toFuncType(%1, %y)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with a first-order ``@main``, and the data types and functions that this takes.

        Raises:
            PassError: there is no ``@main``, it is polymorphic or of higher order itself, or it uses functions in a way
                that is refused.
        """
        var, function = main_of(module)
        if function.type_params:
            raise PassError("the type parameters of @main must be gone before", place=function)
        for param in function.params:
            if param.checked_type is not None and _has_function(param.checked_type):
                raise PassError("@main cannot take functions", place=param)
        if function.ret_type is not None and _has_function(function.ret_type):
            raise PassError("@main cannot return functions", place=function)
        mutator = _Defunctionalizer(module)
        new = mutator.visit_function(function)
        if new is function:
            return module
        functions = {**module.functions, var: new, **mutator.made_functions()}
        return IRModule(functions, {**module.type_definitions, **mutator.made_types()}, module.attrs)


def _has_function(root: Type) -> bool:
    return any(isinstance(part, FuncType) for part in distinct_parts(root))


class _Encoding:
    """The data that stands for functions of one type: its constructors, and the cases of the function that applies it.

    ``suffix`` tells it from the encodings of other types.
    """

    def __init__(self, type: FuncType, suffix: str) -> None:
        self.type = type
        self.data_type = GlobalTypeVar(f"DefuncFuncType{suffix}")
        self.apply = GlobalVar(f"applyFuncType{suffix}")
        self.constructors: list[Constructor] = []
        self.clauses: list[Clause] = []
        self.param = Var("x", TypeCall(self.data_type, ()))
        self.args = tuple(Var("y", argument) for argument in type.arg_types)

    def add(self, constructor: Constructor, function: Expr, captured: tuple[Pattern, ...]) -> None:
        self.constructors.append(constructor)
        self.clauses.append(Clause(PatternConstructor(constructor, captured), Call(function, self.args)))

    def function(self) -> Function:
        return Function((self.param, *self.args), Match(self.param, tuple(self.clauses)), self.type.ret_type)


class _Defunctionalizer(ExprMutator):
    def __init__(self, module: IRModule) -> None:
        super().__init__()
        self.module = module
        self._specialized: dict[str, list[tuple[FuncType, GlobalVar]]] = {}
        self._functions: dict[GlobalVar, Function] = {}
        self._encodings: list[_Encoding] = []
        self._sources: dict[_Encoding, list[Expr]] = {}
        self._counter = 0

    def made_functions(self) -> Mapping[GlobalVar, Function]:
        """The specialised functions, and those that apply what stands for functions."""
        made = dict(self._functions)
        for encoding in self._encodings:
            if encoding.constructors:
                made[encoding.apply] = encoding.function()
                for new in (encoding.apply, made[encoding.apply]):
                    self.derive(new, *self._sources[encoding])
        return made

    def made_types(self) -> Mapping[GlobalTypeVar, TypeData]:
        """The data types that stand for functions."""
        return {
            encoding.data_type: TypeData(encoding.data_type, (), tuple(encoding.constructors))
            for encoding in self._encodings
        }

    def descend(self, expr: Expr) -> Descent | None:
        if not isinstance(expr, Call):
            return None
        if isinstance(expr.op, GlobalVar):
            return self._global_call(expr, expr.op)
        if isinstance(expr.op, Function):
            return self._beta(expr, expr.op)
        return self._encoded_call(expr, expr.op) if isinstance(expr.op, Var) else None

    def _beta(self, call: Call, function: Function) -> Descent:
        """A function literal that is called is its body."""
        body = bind(function.body, dict(zip(function.params, call.args, strict=True)))
        self.record.attribute(body, call)
        return (yield body)

    def _encoded_call(self, call: Call, callee: Var) -> Descent:
        """A call of a parameter applies what stands for the function."""
        encoding = self._encoding_of(callee)
        args: list[Expr] = []
        for arg in call.args:
            args.append((yield arg))
        return Call(encoding.apply, (callee, *args), span=call.span)

    def _encoding_of(self, var: Var) -> _Encoding:
        type = var.type_annotation
        if isinstance(type, TypeCall):
            for encoding in self._encodings:
                if type.func is encoding.data_type:
                    return encoding
        raise PassError(f"{var!r} is called, and no parameter: bind no functions by let", place=var)

    def _global_call(self, call: Call, callee: GlobalVar) -> Descent:
        function = self.module[callee]
        declared = function.checked_type or callee.checked_type
        if not isinstance(declared, FuncType) or len(declared.type_params) != len(call.type_args):
            raise PassError(f"the type arguments of {callee!r} must be known", place=call)
        instance = _instantiated(declared, call.type_args)
        if type_vars(instance):
            raise PassError(f"{callee!r} is called with types that are not known", place=call)
        if _has_function(instance.ret_type):
            raise PassError(f"{callee!r} returns a function, which no data stands for", place=call)
        args: list[Expr] = []
        higher_order = False
        for arg, type in zip(call.args, instance.arg_types, strict=True):
            if _has_function(type):
                higher_order = True
                args.append((yield from self._encode(arg, type)))
            else:
                args.append((yield arg))
        if not higher_order:
            if all(new is old for new, old in zip(args, call.args, strict=True)):
                return call
            return Call(callee, tuple(args), call.attrs, call.type_args, call.span)
        var = self._specialization(callee, instance)
        if var not in self._functions:
            # The name stands before the body is examined, which may call it again.
            copy = de_duplicate(function)
            assert isinstance(copy, Function)
            self._functions[var] = copy
            self.record.record(var, callee)
            self._functions[var] = yield from self._first_order(_specialized(copy, call.type_args), copy)
        return Call(var, tuple(args), span=call.span)

    def _specialization(self, callee: GlobalVar, instance: FuncType) -> GlobalVar:
        known = self._specialized.setdefault(callee.name_hint, [])
        for type, var in known:
            if same_type(type, instance):
                return var
        var = GlobalVar(f"{callee.name_hint}FuncType{f'_{len(known)}' if known else ''}")
        known.append((instance, var))
        return var

    def _first_order(self, function: Function, source: Function) -> Generator[Expr, Expr, Function]:
        """``function`` with data for those of its parameters that are functions."""
        replaced: dict[Var, Expr] = {}
        params: list[Var] = []
        for param in function.params:
            type = param.type_annotation or param.checked_type
            if isinstance(type, FuncType):
                new = Var(param.name_hint, TypeCall(self._encoding(type).data_type, ()))
                self.record.record(new, param)
                replaced[param] = new
                params.append(new)
            elif type is not None and _has_function(type):
                raise PassError(f"{param!r} holds a function inside other data", place=param)
            else:
                params.append(param)
        body = bind(function.body, replaced)
        self.record.attribute(body, source)
        body = yield body
        new = Function(tuple(params), body, function.ret_type, (), function.attrs, function.span)
        self.record.attribute(new, source)
        return new

    def _encoding(self, type: FuncType) -> _Encoding:
        for encoding in self._encodings:
            if same_type(encoding.type, type):
                return encoding
        encoding = _Encoding(type, f"_{len(self._encodings)}" if self._encodings else "")
        self._encodings.append(encoding)
        self._sources[encoding] = []
        return encoding

    def _encode(self, arg: Expr, type: Type) -> Descent:
        """The data that stands for the function ``arg``."""
        if not isinstance(type, FuncType):
            raise PassError("a function inside other data cannot be passed on", place=arg)
        if isinstance(arg, Var):
            return arg
        encoding = self._encoding(type)
        self._sources[encoding].append(arg)
        if isinstance(arg, GlobalVar):
            # TVM counts after naming a global function, and before naming a literal.
            constructor = Constructor(f"Function{self._counter}", (), encoding.data_type)
            self._counter += 1
            encoding.add(constructor, arg, ())
            return Call(constructor, ())
        if not isinstance(arg, Function):
            raise PassError(
                "a function that is passed on must be a literal, a global function or a parameter", place=arg
            )
        self._counter += 1
        number = self._counter
        captured = free_vars(arg)
        inside: dict[Var, Var] = {}
        for var in captured:
            inside[var] = Var(var.name_hint, var.type_annotation)
            self.record.record(inside[var], var)
        types = tuple(cast("Type", var.type_annotation or var.checked_type) for var in captured)
        constructor = Constructor(f"Function{number}", types, encoding.data_type)
        body = bind(arg.body, inside)
        self.record.attribute(body, arg)
        body = yield body
        function = Function(arg.params, body, arg.ret_type, arg.type_params, arg.attrs, arg.span)
        self.record.attribute(function, arg)
        encoding.add(constructor, function, tuple(PatternVar(var) for var in inside.values()))
        return Call(constructor, tuple(captured))


def _instantiated(type: FuncType, arguments: tuple[Type, ...]) -> FuncType:
    replacements = dict(zip(type.type_params, arguments, strict=True))
    instance = substitute(FuncType(type.arg_types, type.ret_type), replacements)
    assert isinstance(instance, FuncType)
    return instance


def _specialized(function: Function, arguments: tuple[Type, ...]) -> Function:
    """``function``, whose variables are its own, with its type parameters replaced."""
    replacements: dict[TypeVar, Type] = dict(zip(function.type_params, arguments, strict=True))
    return _TypeReplacer(replacements).visit_function(function) if replacements else function


class _TypeReplacer(ExprMutator):
    def __init__(self, replacements: Mapping[TypeVar, Type]) -> None:
        super().__init__()
        self._replacements = replacements

    def _replaced(self, type: Type | None) -> Type | None:
        return None if type is None else substitute(type, self._replacements)

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        annotation = self._replaced(pre.type_annotation)
        new = pre if annotation is pre.type_annotation else Var(pre.name_hint, annotation, pre.span, pre.virtual_device)
        if new is not pre:
            new.checked_type = self._replaced(pre.checked_type)
        return new

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        type_args = tuple(substitute(type, self._replacements) for type in post.type_args)
        if all(new is old for new, old in zip(type_args, post.type_args, strict=True)):
            return post
        return Call(post.op, post.args, post.attrs, type_args, post.span)

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        type_params = tuple(var for var in post.type_params if var not in self._replacements)
        ret_type = self._replaced(post.ret_type)
        if ret_type is post.ret_type and len(type_params) == len(post.type_params):
            return post
        return Function(post.params, post.body, ret_type, type_params, post.attrs, post.span, post.virtual_device)
