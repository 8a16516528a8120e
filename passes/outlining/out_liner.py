"""``OutLiner``."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import AnySpan, SequentialSpan
from relay_lsp.ir.types import TupleType, Type

from ..infrastructure import ModulePass, PassContext, declare_pass
from ..provenance import Descent, ExprMutator, active_trace
from .effects import Effects
from .parts import OUTLINED, OutlinedPart, Source, parts_of
from .statements import is_opaque


@declare_pass(opt_level=0, required=("InferType",))
class OutLiner(ModulePass):
    """Gather what each source expression became into a function of its own.

    Inside a trace, a group is what came from the same expressions of the trace's first module, or from the same layers
    where comments of its text name them; outside of one, what carries the same spans. Where a group is more than one
    call, it becomes a function ``@outlined_NAME_N`` with the attribute ``Outlined``, which names the operator or layer
    that it came from. What flows in, free variables of closures included, are its parameters; a group with several
    results returns a tuple. ``InlineOutlined`` is the exact inverse. The provenance of the function's name tells which
    source it stands for.

    A group lies within one scope: in a function's body, a closure's, a branch, a match arm. One that cannot be a single
    call is split into several functions, as large as they can be: where a value flows out of it and back into it, where
    ``let`` bindings of other sources or effects stand between its own, and where it reaches over several scopes.
    Bindings and effects keep their order. These stay where they are:

    - a group, or what is left of it after splitting, that has only one call;
    - an effect that is neither bound by ``let`` nor the result of its scope;
    - what is inside fused functions and those for other compilers;
    - a group whose types speak of a type parameter of the function around it.

    A value that became nothing but itself stays where it is.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          %0 = exp(%x);
          nn.relu(%0)
        }

    After::

        def @main(%x: Tensor[(4), float32]) {
          %0 = exp(%x);
          nn.relu(%0)
        }
    """

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module with its groups as functions."""
        names = {var.name_hint for var in module.functions}
        functions: dict[GlobalVar, Function] = {}
        added: dict[GlobalVar, Function] = {}
        source_of = _source_of(module)
        effects = Effects(module)
        for var, function in module.functions.items():
            functions[var] = function
            if OUTLINED not in function.attrs and not is_opaque(function):
                parts = parts_of(function, source_of, effects)
                if parts:
                    outliner = _Outliner(parts, names)
                    functions[var] = outliner.visit_function(function)
                    added.update(outliner.functions)
        return module.with_functions({**functions, **added}) if added else module


def _source_of(module: IRModule) -> Callable[[Expr], Source | None]:
    trace = active_trace()
    if trace is not None and trace.steps and trace.steps[-1].after is module:
        traced = trace

        def from_trace(expr: Expr) -> Source | None:
            origins = traced.origins(expr)
            operator = _operator_of(origin for origin in origins if origin is not expr)
            layer = SequentialSpan.of(traced.layers.get(origin) for origin in origins)
            if layer is not None:
                became = operator if operator != _operator_of((expr,)) else ""
                return Source(layer, _name_of(layer, became))
            return Source(frozenset(origins), operator) if operator else None

        return from_trace

    def from_span(expr: Expr) -> Source | None:
        return None if expr.span is None else Source(expr.span, _name_of(expr.span))

    return from_span


def _operator_of(origins: Iterable[Expr]) -> str:
    return next((o.op.name for o in origins if isinstance(o, Call) and isinstance(o.op, Op)), "")


def _name_of(span: AnySpan, operator: str = "") -> str:
    """The name of a layer; where it is a place in a file, the operator that stood there, or else the place."""
    first = span.spans[0] if isinstance(span, SequentialSpan) else span
    name = first.source_name.name
    return name if not first.line else operator or f"{name.partition('.')[0]}_{first.line}"


class _Outliner(ExprMutator):
    def __init__(self, parts: Sequence[OutlinedPart], names: set[str]) -> None:
        super().__init__()
        self.functions: dict[GlobalVar, Function] = {}
        self._names = names
        self._next_number: dict[str, int] = {}
        self._part_of = {output: part for part in parts for output in part.outputs if not isinstance(output, Var)}
        self._run_at = {part.lets[0]: part for part in parts if part.lets}
        self._calls: dict[OutlinedPart, Call] = {}

    def descend(self, expr: Expr) -> Descent | None:
        """A result of a part is what its function returns; bindings that belong to one give way to a call."""
        part = self._part_of.get(expr)
        if part is not None:
            return self._result(part, expr)
        if isinstance(expr, Let) and self._run_at:
            return self._chain(expr)
        return None

    def _chain(self, head: Let) -> Descent:
        kept: list[tuple[Let, Expr]] = []
        rest: Expr = head
        result: Expr | None = None
        while isinstance(rest, Let) and result is None:
            part = self._run_at.get(rest)
            if part is None:
                kept.append((rest, (yield rest.value)))
                rest = rest.body
                continue
            for let in part.lets:
                if let.var in part.outputs:
                    kept.append((let, (yield from self._result(part, let.var))))
            rest = part.lets[-1].body
            if part.result is not None:
                result = yield from self._result(part, part.result)
        if result is None:
            result = yield rest
        for let, value in reversed(kept):
            if value is let.value and result is let.body:
                result = let
            else:
                result = Let(let.var, value, result, let.span)
                self.record.replace(let, result)
        return result

    def _result(self, part: OutlinedPart, output: Expr) -> Descent:
        call = yield from self._call(part)
        if len(part.outputs) == 1:
            return call
        projection = TupleGetItem(call, part.outputs.index(output))
        return self.derive(projection, output)

    def _call(self, part: OutlinedPart) -> Generator[Expr, Expr, Call]:
        call = self._calls.get(part)
        if call is None:
            inputs: list[Expr] = []
            for needed in part.inputs:
                inputs.append((yield needed))
            var = GlobalVar(self._free_name(part.source.name))
            self.functions[var] = self._function(part)
            call = self._calls[part] = Call(var, tuple(inputs))
            sources = (*part.members, *part.lets)
            self.record.attribute(var, *sources)
            self.record.attribute(call, *sources)
        return call

    def _free_name(self, name: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9]", "_", name.rpartition(".")[2])
        number = self._next_number.get(plain, 0)
        while f"outlined_{plain}_{number}" in self._names:
            number += 1
        self._next_number[plain] = number + 1
        free_name = f"outlined_{plain}_{number}"
        self._names.add(free_name)
        return free_name

    def _function(self, part: OutlinedPart) -> Function:
        inside = ExprMutator()
        params: list[Var] = []
        for number, needed in enumerate(part.inputs):
            param = Var(f"i{number}", _type_of(needed))
            self.record.record(param, needed)
            params.append(param)
            inside.memo[needed] = param
        bound: list[tuple[Let, Var, Expr]] = []
        for let in part.lets:
            var = let.var
            if var in part.outputs:
                # The variable stays where it is used; inside, another one has the value.
                var = Var(let.var.name_hint, let.var.type_annotation, let.var.span, let.var.virtual_device)
                self.record.record(var, let.var)
                inside.memo[let.var] = var
            bound.append((let, var, inside.visit(let.value)))
        results = tuple(inside.visit(output) for output in part.outputs)
        body = results[0] if len(results) == 1 else Tuple(results)
        if bound and body is bound[-1][1]:
            body = bound.pop()[2]
        for let, var, value in reversed(bound):
            body = Let(var, value, body, let.span)
            self.record.attribute(body, let)
        function = Function(tuple(params), body, _result_type(part), attrs={OUTLINED: part.source.name})
        self.record.attribute(function, *part.members, *part.lets)
        return function


def _result_type(part: OutlinedPart) -> Type | None:
    types = [known_type for output in part.outputs if (known_type := _type_of(output)) is not None]
    if len(types) < len(part.outputs):
        return None
    return types[0] if len(types) == 1 else TupleType(tuple(types))


def _type_of(expr: Expr) -> Type | None:
    return expr.checked_type or (expr.type_annotation if isinstance(expr, Var) else None)
