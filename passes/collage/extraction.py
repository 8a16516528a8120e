"""Parts of a function as functions of their own, nested as sub-graphs say.

Source of the rule: ``src/relay/collage/sub_graph.cc`` (``Extractor``, ``Rewriter``).
"""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple, TupleGetItem, Var
from relay_lsp.ir.types import TupleType

from ..provenance import ExprMutator
from ..provenance.mutator import Descent, kept
from .graph import CollageGraph, Nested, SubGraph, can_inline, members

__all__ = ["extracted", "rewritten"]


def rewritten(graph: CollageGraph, function: Function, parts: Sequence[SubGraph]) -> Function:
    """``function`` with the nested parts of disjoint ``parts`` called as functions."""
    nested = [each for part in parts for each in part.nested]
    return _Context(graph, None, nested).visit_function(function)


def extracted(graph: CollageGraph, part: SubGraph, **attrs: str | int) -> Function:
    """``part`` as a function of what flows into it, with its nested parts called as functions."""
    return _Extracted(graph, Nested(part, tuple(attrs.items()))).function


class _Extracted:
    """A part as a function: ``inputs`` are what its parameters stand for, ``outputs`` what it gives."""

    def __init__(self, graph: CollageGraph, nested: Nested) -> None:
        part = nested.part
        context = _Context(graph, part.inside, part.nested)
        outputs: list[Expr] = []
        exits = part.border(graph).exits
        covered = 0
        for each in part.nested:
            covered |= each.part.inside
        # From the last to the first: what leads to an exit is part of it, whatever else uses it.
        for number in reversed(list(members(part.inside))):
            expr = graph.order[number]
            if exits >> number & 1 or not (covered >> number & 1 or expr in context.memo):
                context.visit(expr)
                outputs.append(expr)
        outputs.reverse()
        types = [each.checked_type for each in outputs]
        bodies = [context.memo[each] for each in outputs]
        body = bodies[0] if len(bodies) == 1 else Tuple(tuple(bodies))
        known = tuple(type for type in types if type is not None)
        result = known[0] if len(known) == 1 else TupleType(known)
        self.function = Function(tuple(context.params.values()), body, result, (), dict(nested.attrs))
        self.inputs = tuple(context.params)
        self.outputs = outputs
        context.record.attribute(body, *outputs)
        context.record.record(self.function, *outputs)


class _Context(ExprMutator):
    """Rewrites what is inside of a set, or everything, with the nested parts called as functions."""

    def __init__(self, graph: CollageGraph, inside: int | None, nested: Sequence[Nested]) -> None:
        super().__init__()
        self._graph = graph
        self._inside = inside
        self.params: dict[Expr, Var] = {}
        self._nested: dict[Expr, _Extracted] = {}
        self._calls: dict[_Extracted, Call] = {}
        for each in nested:
            made = _Extracted(graph, each)
            self._nested.update(dict.fromkeys(made.outputs, made))

    def descend(self, expr: Expr) -> Descent | None:
        """What is outside becomes a parameter; what a nested part gives, a call of it."""
        if self._inside is not None and not self._inside >> self._graph.index[expr] & 1:
            return kept(expr) if can_inline(expr) else kept(self._param(expr))
        part = self._nested.get(expr)
        if part is not None:
            return self._result(expr, part)
        return kept(expr) if isinstance(expr, Function) and expr.is_primitive else None

    def _param(self, expr: Expr) -> Var:
        if expr not in self.params:
            var = self.params[expr] = Var(f"FunctionVar_{len(self.params)}", expr.checked_type)
            self.record.record(var, expr)
        return self.params[expr]

    def _result(self, expr: Expr, part: _Extracted) -> Descent:
        args: list[Expr] = []
        for each in part.inputs:
            args.append((yield each))
        if part not in self._calls:
            self._calls[part] = Call(part.function, args)
            self.record.record(self._calls[part], *part.outputs)
        call = self._calls[part]
        if len(part.outputs) == 1:
            return call
        place = next(place for place, each in enumerate(part.outputs) if each is expr)
        field = TupleGetItem(call, place)
        self.record.record(field, expr)
        return field
