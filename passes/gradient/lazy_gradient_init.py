"""``LazyGradientInit``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Match,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.type_visitor import distinct_parts, rewrite_type, same_type
from relay_lsp.ir.types import TensorType, TupleType, Type, TypeCall
from relay_lsp.ir.visitor import children, pattern_vars, post_order, with_children

from ..building import LetList, Steps, run_steps
from ..features import Feature, refuse_features
from ..infrastructure import ModulePass, PassContext, PassError, declare_pass, is_optimizable
from ..provenance import ExprMutator, current_record

_DEFINITIONS = """#[version = "0.0.5"]
type GradCell[T] {
  Raw(T),
  One(fn () -> T),
  Zero(fn () -> T),
}

def @FromGradCell[T](%g: GradCell[T]) -> T {
  match (%g) {
    Raw(%x) => { %x },
    One(%x) => { %x() },
    Zero(%x) => { %x() },
  }
}

def @MultiplyGradCell[T](%multiply: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
  match ((%l, %r)) {
    (Zero(_), _) => { %l },
    (_, Zero(_)) => { %r },
    (One(_), _) => { %r },
    (_, One(_)) => { %l },
    _ => { Raw(%multiply(@FromGradCell(%l), @FromGradCell(%r))) },
  }
}

def @AddGradCell[T](%add: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
  match ((%l, %r)) {
    (Zero(_), _) => { %r },
    (_, Zero(_)) => { %l },
    _ => { Raw(%add(@FromGradCell(%l), @FromGradCell(%r))) },
  }
}
"""
"""A tensor that is there (``Raw``), or ones or zeros that are made when they are asked for; and arithmetic on these,
which makes none where the result is known without (``python/tvm/relay/std/gradient.rly``)."""


@declare_pass(opt_level=2, required=("InferType",))
class LazyGradientInit(ModulePass):
    """Make tensors of ones and zeros, which gradients begin with, only where their elements are needed.

    Inside each function, a tensor becomes a ``GradCell``: a tensor, or a function that makes ones or zeros. Sums and
    products of two of one type ask ``@AddGradCell`` and ``@MultiplyGradCell``, which add no zeros and multiply by no
    ones; every other operator takes the tensors out. The function's own type stays. Values must not be shared but by
    ``let``, nor be tuples that operators give, and each parameter must hold a tensor. A variable of a ``match`` that is
    declared to hold a tensor and used is refused, as TVM refuses it: there, its uses become cells, and the pattern does
    not. Source of the rule:
    ``src/relay/transforms/lazy_gradient_init.cc``, which takes ``zeros_like`` for ones as well; here it gives zeros.

    Before::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          exp(%x)
        }

    After::

        type GradCell[T] {
          Raw(T),
          One(fn () -> T),
          Zero(fn () -> T),
        }

        def @AddGradCell[T](%add: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
          %0 = (%l, %r);
          match (%0) {
            (Zero(_), _) => {
              %r
            },
            (_, Zero(_)) => {
              %l
            },
            _ => {
              %1 = @FromGradCell(%l);
              %2 = @FromGradCell(%r);
              %3 = %add(%1, %2);
              Raw(%3)
            },
          }
        }

        def @FromGradCell[T](%g: GradCell[T]) -> T {
          match (%g) {
            Raw(%x: T) => {
              %x
            },
            One(%x1: fn () -> T) => {
              %x1()
            },
            Zero(%x2: fn () -> T) => {
              %x2()
            },
          }
        }

        def @MultiplyGradCell[T](%multiply: fn (T, T) -> T, %l: GradCell[T], %r: GradCell[T]) -> GradCell[T] {
          %0 = (%l, %r);
          match (%0) {
            (Zero(_), _) => {
              %l
            },
            (_, Zero(_)) => {
              %r
            },
            (One(_), _) => {
              %r
            },
            (_, One(_)) => {
              %l
            },
            _ => {
              %1 = @FromGradCell(%l);
              %2 = @FromGradCell(%r);
              %3 = %multiply(%1, %2);
              Raw(%3)
            },
          }
        }

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          %0 = fn (%x1: GradCell[Tensor[(4), float32]]) -> GradCell[Tensor[(4), float32]] {
            %1 = @FromGradCell(%x1);
            %2 = exp(%1);
            Raw(%2)
          };
          %3 = Raw(%x);
          let %x2 = %0(%3);
          @FromGradCell(%x2)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with its functions computing on such cells, and the definitions that this takes.

        Raises:
            PassError: a value is shared without ``let``, or is of a type that cells do not stand for, or a parameter
                holds no tensor.
        """
        if not module.functions:
            return module  # TVM gives it the functions on cells, which nothing calls.
        what = "a function whose gradients are initialised lazily"
        refuse_features(module.functions.values(), {Feature.fGraph}, what)
        extended, names = _with_definitions(module)
        changed: dict[GlobalVar, Function] = {}
        for var, function in module.functions.items():
            changed[var] = _wrapped(function, extended, names) if is_optimizable(function) else function
        refuse_features(changed.values(), {Feature.fGraph}, what)
        return self.infer_types(extended.with_functions({**extended.functions, **changed}), context)


@cache
def _definitions() -> IRModule:
    return parse(_DEFINITIONS).module


def _with_definitions(module: IRModule) -> tuple[IRModule, Mapping[str, GlobalVar]]:
    """``module`` with the definitions of cells, and the functions on them by name."""
    added = _definitions()
    if any(data.name == "GradCell" for data in module.type_definitions):
        missing = [var.name_hint for var in added if var.name_hint not in module]
        if missing:
            raise PassError(f"the module defines GradCell, but no function @{missing[0]} on it")
        return module, {var.name_hint: module.get_global_var(var.name_hint) for var in added}
    taken = [var for var in added if var.name_hint in module]
    if taken:
        raise PassError(f"the module has a function {taken[0]!r} of its own", place=module[taken[0].name_hint])
    record = current_record()
    for var, function in added.functions.items():
        for expr in (var, function):
            record.attribute(expr, *module.functions.values())
    types = {**module.type_definitions, **added.type_definitions}
    return (
        IRModule({**module.functions, **added.functions}, types, module.attrs),
        {var.name_hint: var for var in added},
    )


def _wrapped(function: Function, module: IRModule, names: Mapping[str, GlobalVar]) -> Function:
    """``function``, computing on cells inside, with the type that it had."""
    _refuse_tensors_of_patterns(function)
    lazy = _Initializer(module, names)
    inner = lazy.visit_function(function)
    if inner is function:
        return function
    for param in function.params:
        if param in inner.params:  # The function around and the one inside would both bind it.
            raise PassError(
                f"the parameter %{param.name_hint} of the type {param.checked_type!r} holds no tensor, so no cell can "
                "stand for it: call the function by what it holds, or inline it first",
                place=param,
            )
    record = current_record()
    lets = LetList()

    def wrap(value: Expr, type: Type | None, place: Expr) -> Steps[Expr]:
        if isinstance(type, TensorType):
            return lazy.cell("Raw", value, type)
        if not isinstance(type, TupleType):
            return value
        fields: list[Expr] = []
        for index, field in enumerate(type.fields):
            part = lets.push(TupleGetItem(value, index), place)
            fields.append((yield wrap(part, field, place)))
        return Tuple(tuple(fields))

    def unwrap(value: Expr, type: Type | None) -> Steps[Expr]:
        if isinstance(type, TypeCall) and type.func is lazy.data_type:
            return Call(names["FromGradCell"], (value,))
        if not isinstance(type, TupleType):
            return value
        fields: list[Expr] = []
        for index, field in enumerate(type.fields):
            part = lets.push(TupleGetItem(value, index), function.body)
            fields.append((yield unwrap(part, field)))
        return Tuple(tuple(fields))

    args: list[Expr] = []
    for param in function.params:
        args.append(run_steps(wrap(param, param.checked_type, param)))
        record.attribute(args[-1], param)
    result = lets.push(Call(inner, tuple(args)), function)
    body = lets.close(run_steps(unwrap(result, inner.ret_type)))
    new = Function(function.params, body, function.ret_type, (), None, function.span, function.virtual_device)
    record.attribute(new, function)
    return new


def _refuse_tensors_of_patterns(function: Function) -> None:
    order = post_order(function)
    matches = [expr for expr in order if isinstance(expr, Match)]
    if not matches:
        return
    used: set[Expr] = set()
    for expr in order:
        used.update(
            (expr.data, *(clause.rhs for clause in expr.clauses)) if isinstance(expr, Match) else children(expr)
        )
    for match in matches:
        for clause in match.clauses:
            for var in pattern_vars(clause.lhs):
                if var in used and _holds_tensor(var.type_annotation):
                    raise PassError(
                        f"TVM makes cells of the uses of {var!r} and not of the pattern that binds it, and then "
                        "refuses the function: take the match away before, as PartialEvaluate does where the value is "
                        "known",
                        place=var,
                    )


def _holds_tensor(type: Type | None) -> bool:
    return type is not None and any(isinstance(part, TensorType) for part in distinct_parts(type))


class _Initializer(ExprMutator):
    """Computes on cells. A constant becomes a cell at each use, so that none is shared."""

    def __init__(self, module: IRModule, names: Mapping[str, GlobalVar]) -> None:
        super().__init__()
        self.data_type = module.get_global_type_var("GradCell")
        self._constructors: Mapping[str, Constructor] = {
            constructor.name_hint: constructor for constructor in module.type_definitions[self.data_type].constructors
        }
        self._names = names

    def cell(self, constructor: str, value: Expr, type: Type) -> Call:
        """A cell for a tensor of ``type``."""
        return Call(self._constructors[constructor], (value,), None, (type,))

    def _type(self, type: Type | None) -> Type | None:
        if type is None:
            return None
        return rewrite_type(
            type, lambda part: TypeCall(self.data_type, (part,)) if isinstance(part, TensorType) else part
        )

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        """Every kind: what it is made of has become cells already, but for constants."""
        parts = [self._used(part) for part in children(post)]
        post = with_children(post, parts) if parts else post
        if isinstance(pre, Var):
            annotation = self._type(pre.type_annotation)
            if annotation is pre.type_annotation:
                return pre
            return Var(pre.name_hint, annotation, pre.span, pre.virtual_device)
        if isinstance(post, Function):
            ret_type = self._type(post.ret_type)
            if ret_type is post.ret_type:
                return post
            return Function(
                post.params, post.body, ret_type, post.type_params, post.attrs, post.span, post.virtual_device
            )
        if isinstance(pre, Call) and isinstance(post, Call):
            if isinstance(post.op, Op):
                return self._operator(pre, post, post.op)
            type_args = tuple(rewritten for type in post.type_args if (rewritten := self._type(type)) is not None)
            if any(new is not old for new, old in zip(type_args, post.type_args, strict=True)):
                return Call(post.op, post.args, post.attrs, type_args, post.span)
        return post

    def _used(self, part: Expr) -> Expr:
        return self.cell("Raw", part, part.tensor_type) if isinstance(part, Constant) else part

    def _operator(self, pre: Call, post: Call, op: Op) -> Expr:
        type = pre.checked_type
        if type is None:
            raise PassError("the type of every value must be known", place=pre)
        if op.name in ("add", "multiply") and len(pre.args) == 2:
            operand = pre.args[0].checked_type
            other = pre.args[1].checked_type
            if operand is not None and other is not None and same_type(operand, other):
                params = (Var("lhs", operand), Var("rhs", operand))
                plain = Function(params, Call(op, params), operand)
                name = "AddGradCell" if op.name == "add" else "MultiplyGradCell"
                return Call(self._names[name], (plain, *post.args), None, (operand,))
        args: list[Expr] = []
        for old, new in zip(pre.args, post.args, strict=True):
            argument = old.tensor_type if isinstance(old, Constant) else old.checked_type
            args.append(Call(self._names["FromGradCell"], (new,), None, () if argument is None else (argument,)))
        result = Call(op, tuple(args), post.attrs, (), post.span)
        if op.name in ("ones", "ones_like"):
            return self.cell("One", Function((), result, type), type)
        if op.name in ("zeros", "zeros_like"):
            return self.cell("Zero", Function((), result, type), type)
        return self.cell("Raw", result, type)
