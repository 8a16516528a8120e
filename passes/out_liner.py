"""``OutLiner``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from ..ir.expressions import Call, Constant, Constructor, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from ..ir.module import IRModule
from ..ir.ops.operator import Op
from ..ir.spans import AnySpan, SequentialSpan
from ..ir.visitor import children, with_children
from .infrastructure import ModulePass, PassContext, declare_pass
from .outlined import OUTLINED
from .provenance import Descent, ExprMutator, active_trace


@declare_pass(opt_level=0, required=("InferType",))
class OutLiner(ModulePass):
    """Gather what each source expression became into a function of its own.

    Inside a trace, a group is what came from the same expressions of the trace's first module; outside of one, what
    carries the same spans. Where a group is more than one call, the calls become a function ``@outlined_NAME_N`` with
    the attribute ``Outlined``, which names the operator that they came from; a group with several results returns a
    tuple. A group whose values leave it and come back stays where it is, as does what stands inside nested functions,
    branches and ``let``. ``InlineOutlined`` is the inverse.

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
        for var, function in module.functions.items():
            if OUTLINED in function.attrs or function.is_primitive or "Compiler" in function.attrs:
                functions[var] = function
                continue
            groups = [group for group in _groups(function, source_of) if _is_convex(group)]
            outliner = _Outliner(groups, names)
            functions[var] = outliner.visit_function(function)
            added.update(outliner.functions)
        return module.with_functions({**functions, **added}) if added else module


Source = tuple[Hashable, str]
"""What the members of a group have in common, and the operator that they came from."""


@dataclass(eq=False)
class _Group:
    name: str
    members: dict[Expr, None]
    order: Sequence[Expr]
    """The function's flat dataflow, in which the members are numbered."""
    index: dict[Expr, int]
    uses: dict[Expr, set[Expr]]
    root: Expr
    outputs: list[Expr] = field(default_factory=list[Expr])
    inputs: list[Expr] = field(default_factory=list[Expr])


def _source_of(module: IRModule) -> Callable[[Expr], Source | None]:
    trace = active_trace()
    if trace is not None and trace.steps and trace.steps[-1].after is module:
        traced = trace

        def from_trace(expr: Expr) -> Source | None:
            origins = tuple(origin for origin in traced.origins(expr) if origin is not expr)
            name = _operator_of(origins)
            return (origins, name) if origins and name else None

        return from_trace

    def from_span(expr: Expr) -> Source | None:
        return None if expr.span is None else (expr.span, _name_of(expr.span))

    return from_span


def _operator_of(origins: Iterable[Expr]) -> str:
    return next((o.op.name for o in origins if isinstance(o, Call) and isinstance(o.op, Op)), "")


def _name_of(span: AnySpan) -> str:
    first = span.spans[0] if isinstance(span, SequentialSpan) else span
    return first.source_name.name


def _groups(function: Function, source_of: Callable[[Expr], Source | None]) -> list[_Group]:
    order = _flat_order(function.body)
    index = {expr: number for number, expr in enumerate(order)}
    uses: dict[Expr, set[Expr]] = {}
    for expr in order:
        for part in _flat_children(expr):
            uses.setdefault(part, set()).add(expr)
    found: dict[Hashable, _Group] = {}
    for expr in order:
        source = source_of(expr) if isinstance(expr, (Call, Tuple, TupleGetItem)) else None
        if source is not None:
            key, name = source
            group = found.setdefault(key, _Group(name, {}, order, index, uses, function.body))
            group.members[expr] = None
    groups = [group for group in found.values() if sum(isinstance(member, Call) for member in group.members) > 1]
    for group in groups:
        _find_borders(group)
    return groups


def _find_borders(group: _Group) -> None:
    inputs: dict[Expr, None] = {}
    for member in group.members:
        if member is group.root or not group.uses.get(member, set()) <= group.members.keys():
            group.outputs.append(member)
        for part in children(member):
            if part not in group.members and not isinstance(part, (Op, Constant, GlobalVar, Constructor)):
                inputs[part] = None
    group.inputs = list(inputs)


def _is_convex(group: _Group) -> bool:
    """Whether nothing flows out of the group and back into it."""
    numbers = [group.index[member] for member in group.members]
    outside: set[Expr] = set()
    for expr in group.order[min(numbers) : max(numbers) + 1]:
        parts = _flat_children(expr)
        if expr in group.members:
            if not outside.isdisjoint(parts):
                return False
        elif any(part in group.members or part in outside for part in parts):
            outside.add(expr)
    return True


def _flat_children(expr: Expr) -> Sequence[Expr]:
    """What flows into ``expr`` in the same scope."""
    return children(expr) if isinstance(expr, (Call, Tuple, TupleGetItem)) else ()


def _flat_order(body: Expr) -> list[Expr]:
    order: list[Expr] = []
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(body, False)]
    while stack:
        expr, finished = stack.pop()
        if finished:
            order.append(expr)
        elif expr not in seen:
            seen.add(expr)
            stack.append((expr, True))
            stack.extend((part, False) for part in reversed(_flat_children(expr)) if part not in seen)
    return order


class _Outliner(ExprMutator):
    def __init__(self, groups: Sequence[_Group], names: set[str]) -> None:
        super().__init__()
        self.functions: dict[GlobalVar, Function] = {}
        self._names = names
        self._group_of = {output: group for group in groups for output in group.outputs}
        self._calls: dict[_Group, Call] = {}

    def descend(self, expr: Expr) -> Descent | None:
        """A result of a group is what the group's function returns."""
        group = self._group_of.get(expr)
        return None if group is None else self._outlined(expr, group)

    def _outlined(self, expr: Expr, group: _Group) -> Descent:
        inputs: list[Expr] = []
        for part in group.inputs:
            inputs.append((yield part))
        call = self._calls.get(group)
        if call is None:
            var = GlobalVar(self._free_name(group.name))
            self.functions[var] = self._function(group)
            call = self._calls[group] = Call(var, tuple(inputs))
            self.record.attribute(var, *group.members)
            self.record.attribute(call, *group.members)
        if len(group.outputs) == 1:
            return call
        return TupleGetItem(call, group.outputs.index(expr))

    def _free_name(self, name: str) -> str:
        plain = "".join(character if character.isalnum() else "_" for character in name.rpartition(".")[2])
        number = 0
        while f"outlined_{plain}_{number}" in self._names:
            number += 1
        found = f"outlined_{plain}_{number}"
        self._names.add(found)
        return found

    def _function(self, group: _Group) -> Function:
        made: dict[Expr, Expr] = {}
        params: list[Var] = []
        for number, part in enumerate(group.inputs):
            param = Var(f"i{number}", part.checked_type)
            self.record.record(param, part)
            params.append(param)
            made[part] = param
        for member in sorted(group.members, key=group.index.__getitem__):
            made[member] = with_children(member, [made.get(part, part) for part in children(member)])
            self.record.attribute(made[member], member)
        results = tuple(made[output] for output in group.outputs)
        body = results[0] if len(results) == 1 else Tuple(results)
        function = Function(tuple(params), body, attrs={OUTLINED: group.name})
        self.record.attribute(function, *group.members)
        return function
