"""Rewriting forwards: what a call becomes may stay pending until it is known what takes it in.

A pending value is an expression with something known about it, such as integers and their scale. A rule gets the
arguments of a call as they are pending and says what the call becomes; whatever has no rule gets them settled, as plain
expressions.

Source of the rule: ``src/relay/transforms/forward_rewrite.cc``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

from relay_lsp.ir.expressions import Call, Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, post_order

from ..provenance import ExprMutator

__all__ = ["Argument", "ForwardRewriter", "Pending", "PendingTuple", "Rule", "forwarded"]


class Pending:
    """An expression with something known about it."""

    def __init__(self) -> None:
        self._settled: Expr | None = None

    @property
    def settled(self) -> Expr:
        """The plain expression that stands for it, the same one each time."""
        if self._settled is None:
            self._settled = self.settle()
        return self._settled

    def settle(self) -> Expr:
        """A plain expression that stands for it, made anew."""
        raise NotImplementedError


PendingValue = TypeVar("PendingValue", bound=Pending)


class PendingTuple(Generic[PendingValue]):
    """A tuple of which a field is pending."""

    def __init__(self, fields: Sequence[PendingValue | Expr]) -> None:
        self.fields = tuple(fields)


Argument: TypeAlias = PendingValue | PendingTuple[PendingValue] | Expr
Rule: TypeAlias = Callable[[Call, Sequence[Argument[PendingValue]]], PendingValue | Expr | None]
"""``rule(old_call, new_args)``: what the call becomes, pending or not; ``None`` leaves it with settled arguments."""


class ForwardRewriter(ExprMutator, Generic[PendingValue]):
    """Rewrites by the rules of operators. Override :meth:`used_often` for values that are used more than once."""

    def __init__(self, rules: Mapping[str, Rule[PendingValue]], function: Function) -> None:
        super().__init__()
        self._rules = rules
        self._pending: dict[Expr, PendingValue | PendingTuple[PendingValue]] = {}
        self._uses = Counter(part for expr in post_order(function) for part in children(expr))

    def used_often(self, value: PendingValue) -> PendingValue:
        """What a pending value becomes where it is one of several uses."""
        return value

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """What the operator's rule says."""
        args = [self._argument(arg) for arg in pre.args]
        rule = self._rules.get(pre.op.name) if isinstance(pre.op, Op) else None
        if rule is not None:
            result = rule(pre, args)
            if isinstance(result, Pending):
                self._pending[pre] = result
                return result.settled
            if result is not None:
                return result
        settled = [
            self.memo[arg] if isinstance(new, PendingTuple) else _settled(new)
            for arg, new in zip(pre.args, args, strict=True)
        ]
        if all(new is old for new, old in zip(settled, post.args, strict=True)):
            return post
        return Call(post.op, settled, post.attrs, post.type_args, post.span)

    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:
        """A tuple of what is settled; what is pending stays known."""
        fields = [self._value(field) for field in pre.fields]
        if not any(isinstance(field, Pending) for field in fields):
            return post
        self._pending[pre] = PendingTuple(fields)
        settled = [_settled(field) for field in fields]
        if all(new is old for new, old in zip(settled, post.fields, strict=True)):
            return post
        return Tuple(tuple(settled), post.span)

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """The field itself, where the tuple is there."""
        pending = self._pending.get(pre.tuple_value)
        if isinstance(pending, PendingTuple):
            field = pending.fields[pre.index]
            if isinstance(field, Pending):
                self._pending[pre] = field
            return _settled(field)
        return post.tuple_value.fields[post.index] if isinstance(post.tuple_value, Tuple) else post

    def _argument(self, old: Expr) -> Argument[PendingValue]:
        pending = self._pending.get(old)
        return pending if isinstance(pending, PendingTuple) else self._value(old)

    def _value(self, old: Expr) -> PendingValue | Expr:
        pending = self._pending.get(old)
        if pending is None or isinstance(pending, PendingTuple):
            return self.memo[old]
        return self.used_often(pending) if self._uses[old] > 1 else pending


def _settled(value: Pending | Expr) -> Expr:
    return value.settled if isinstance(value, Pending) else value


def forwarded(call: Call, *args: Expr) -> Call:
    """The same call of other arguments."""
    return Call(call.op, args, call.attrs, call.type_args, call.span)
