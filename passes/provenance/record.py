"""The record of one run of a pass: which old expressions each new one was made from.

A pass never writes into the record by hand for what is plain: the :class:`~.mutator.ExprMutator` and the pattern
rewriter attribute everything that a hook returns for an old expression to that expression. The walk that does so stops
at what is known already, so that it costs one visit per new expression.

``Op`` and ``Constructor`` are no one's work: they belong to the registry and to the type definitions.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from relay_lsp.ir.expressions import Call, Constructor, Expr, Function, GlobalVar, Let, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.spans import AnySpan, SequentialSpan
from relay_lsp.ir.visitor import children, post_order

from .remarks import Remark, Remarks

__all__ = ["Record", "current_record", "expressions_of", "is_rebuilt", "recording"]


@dataclass(frozen=True, slots=True)
class _Walk:
    module: IRModule
    order: tuple[Expr, ...]
    members: frozenset[Expr]


class _ThreadState(threading.local):
    def __init__(self) -> None:
        self.records: list[Record] = []
        self.walks: list[_Walk] = []


_state = _ThreadState()
_CACHED_WALKS = 4


def _walk(module: IRModule) -> _Walk:
    for known in _state.walks:
        if known.module is module:
            return known
    below = post_order(*module.functions.values())
    order = [expr for expr in below if not isinstance(expr, (Op, Constructor))]
    members = frozenset(order)
    order.extend(var for var in module.functions if var not in members)
    walk = _Walk(module, tuple(order), members.union(module.functions))
    # One run of a pass looks at the same few modules again and again; what is older would only hold memory.
    _state.walks = [walk, *_state.walks[: _CACHED_WALKS - 1]]
    return walk


def expressions_of(module: IRModule) -> Sequence[Expr]:
    """Every expression of ``module`` that needs an origin, each once, children first, then unused global names."""
    return _walk(module).order


class Record:
    """Where the expressions come from that a pass makes out of ``before``.

    ``sources`` may name old expressions, or new ones that are recorded already: what is kept is always in terms of
    ``before``. A new expression without a span takes that of its sources, a ``SequentialSpan`` where they have several.
    """

    __slots__ = ("_joined", "_open", "_origins", "before", "members", "remarks", "unexplained")

    def __init__(self, before: IRModule | None = None, remarks: Remarks | None = None) -> None:
        self.before = before
        self.remarks = remarks
        """What the pass says about its decisions; ``None`` where nothing listens."""
        self.members: frozenset[Expr] = _walk(before).members if before is not None else frozenset()
        self.unexplained: list[Expr] = []
        self._origins: dict[Expr, tuple[Expr, ...]] = {}
        self._open: set[Expr] = set()
        self._joined: dict[Expr, dict[Expr, None]] = {}

    def origins(self, expr: Expr) -> tuple[Expr, ...]:
        """The expressions of ``before`` that ``expr`` stems from: itself if it is one, none where nothing is known."""
        return (expr,) if expr in self.members else self._origins.get(expr, ())

    def record(self, new: Expr, *sources: Expr) -> None:
        """Say what ``new`` itself was made from; what lies below it is attributed with what it ends up in."""
        if new in self.members:
            return
        origin = self._resolve(sources)
        if origin:
            if new not in self._origins:
                self._open.add(new)
            self._origins[new] = origin
            _give_span(new, origin, replacing=True)

    def attribute(self, new: Expr, *sources: Expr) -> None:
        """Say what ``new``, and everything below it that is not yet known, was made from."""
        members, origins, still_open = self.members, self._origins, self._open
        if new in members or (new in origins and new not in still_open):
            return
        origin = self._resolve(sources)
        if not origin:
            return
        stack = [new]
        while stack:
            expr = stack.pop()
            if expr in members:
                continue
            if expr in origins:
                if expr not in still_open:
                    continue
                still_open.discard(expr)
            elif isinstance(expr, (Op, Constructor)):
                continue
            else:
                origins[expr] = origin
                if expr.span is None:
                    _give_span(expr, origin)
            stack.extend(children(expr))

    def replace(self, pre: Expr, new: Expr) -> None:
        """Say that ``new`` stands where ``pre`` stood: made from it, or, if it was there already, joined by it.

        A ``let`` that gives way to its body joins nothing: the binding is gone.
        """
        if new in self.members or (new in self._origins and new not in self._open):
            if not isinstance(pre, Let):
                self.join(new, pre)
        else:
            self.attribute(new, pre)

    def join(self, kept: Expr, *absorbed: Expr) -> None:
        """Say that ``kept``, which has its own origin or is old, now also stands for what ``absorbed`` stood for."""
        own = self._origins.get(kept, ())
        for source in self._resolve(absorbed):
            if source is not kept and source not in own:
                self._joined.setdefault(kept, {})[source] = None

    def settle(self, after: IRModule) -> None:
        """Give what a pass has left without an origin that of the function it stands in, and note it as unexplained."""
        if self.is_settled(after):
            return
        for var, function in after.functions.items():
            old = self._counterpart(var, function)
            if function not in self.members and function not in self._origins and old is not None:
                self._origins[function] = (old,)
            for source in self.origins(function) or ((old,) if old is not None else ()):
                self._explain(post_order(function), source)
            if var not in self.members and var not in self._origins and self.origins(function):
                self._origins[var] = self.origins(function)

    def new_expressions(self, after: IRModule) -> dict[Expr, tuple[Expr, ...]]:
        """Every expression of ``after`` that ``before`` does not have, with the old ones that it was made from."""
        members, origins = self.members, self._origins
        return {expr: origins.get(expr, ()) for expr in _walk(after).order if expr not in members}

    def joined(self, after: IRModule) -> dict[Expr, tuple[Expr, ...]]:
        """The expressions of ``after`` that others were joined to, each with those."""
        living = _walk(after).members
        return {kept: tuple(absorbed) for kept, absorbed in self._joined.items() if kept in living}

    def gone(self, after: IRModule) -> frozenset[Expr]:
        """Every expression of ``before`` that ``after`` does not have."""
        return self.members - _walk(after).members

    def is_settled(self, after: IRModule) -> bool:
        """Whether every expression of ``after`` has an origin."""
        members, origins = self.members, self._origins
        return all(expr in members or expr in origins for expr in _walk(after).order)

    def absorb(self, sources: Mapping[Expr, tuple[Expr, ...]], joined: Mapping[Expr, tuple[Expr, ...]]) -> None:
        """Take over what a pass that ran inside this one has recorded."""
        members, origins = self.members, self._origins
        for new, old in sources.items():
            if new not in members and new not in origins:
                origin = self._resolve(old)
                if origin:
                    origins[new] = origin
        for kept, absorbed in joined.items():
            self.join(kept, *absorbed)

    def settled_remarks(self) -> tuple[Remark, ...]:
        """The remarks in terms of ``before``."""
        return () if self.remarks is None else self.remarks.in_terms_of(self.origins)

    def _resolve(self, sources: Sequence[Expr]) -> tuple[Expr, ...]:
        members = self.members
        if len(sources) == 1:
            source = sources[0]
            return (source,) if source in members else self._origins.get(source, ())
        resolve: dict[Expr, None] = {}
        for source in sources:
            if source in members:
                resolve[source] = None
            else:
                resolve.update(dict.fromkeys(self._origins.get(source, ())))
        return tuple(resolve)

    def _counterpart(self, var: GlobalVar, function: Function) -> Expr | None:
        if self.before is None:
            return None
        if var in self.before.functions:
            return self.before.functions[var]
        if var.name_hint in self.before:
            return self.before[var.name_hint]
        if self.origins(function):
            return self.origins(function)[0]
        return next(iter(self.before.functions.values()), None)

    def _explain(self, exprs: Iterable[Expr], source: Expr) -> None:
        for expr in exprs:
            if expr in self.members or expr in self._origins or isinstance(expr, (Op, Constructor)):
                continue
            self._origins[expr] = (source,)
            self.unexplained.append(expr)
            _give_span(expr, (source,))


def _give_span(expr: Expr, origin: tuple[Expr, ...], replacing: bool = False) -> None:
    own = expr.span
    if own is not None and not (replacing and any(source.span == own for source in origin)):
        return
    span: AnySpan | None
    span = origin[0].span if len(origin) == 1 else SequentialSpan.of([source.span for source in origin])
    if span != own:
        expr.span = span


def current_record() -> Record:
    """The record of the pass that is running in this thread; outside of any, one that is never read."""
    return _state.records[-1] if _state.records else Record()


@contextmanager
def recording(before: IRModule, remarks: Remarks | None = None) -> Generator[Record]:
    """Make a record for a pass over ``before`` the current one. When it is done, the outer one absorbs it."""
    record = Record(before, remarks)
    _state.records.append(record)
    try:
        yield record
    finally:
        _state.records.pop()


def is_rebuilt(expr: Expr, sources: Sequence[Expr]) -> bool:
    """Whether an expression is what it was made from, but for what it is applied to: that its inputs are new is
    nothing that a pass did to it."""
    if len(sources) != 1 or type(sources[0]) is not type(expr):
        return False
    (source,) = sources
    if isinstance(expr, Call) and isinstance(source, Call):
        return _have_equal_attributes(expr, source) and len(expr.args) == len(source.args)
    if isinstance(expr, TupleGetItem) and isinstance(source, TupleGetItem):
        return expr.index == source.index
    return True


def _have_equal_attributes(call: Call, source: Call) -> bool:
    return call.op is source.op and (call.attrs is source.attrs or call.attrs == source.attrs)
