"""Mutators and visitors as TVM has them: ``visit_call(call)`` is asked before the parts of the call are visited.

A method that is not overridden costs no Python stack. One that is overridden visits the parts itself, by
``super().visit_call(call)`` or ``self.visit(part)``, and so is nested in itself; below :data:`DEEPEST` levels the parts
are visited first, so that these calls find them done, and expressions may be as deep as memory allows. Where ``visit``
itself is overridden, it is called for every part, as if each method were overridden.

Source of the rule: ``python/tvm/relay/expr_functor.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, with_children
from relay_lsp.passes.infrastructure import did_you_mean
from relay_lsp.passes.provenance import Descent, ExprMutator

__all__ = ["DEEPEST", "TvmExprFunctor", "TvmExprMutator", "TvmExprVisitor"]

DEEPEST: Final = 40
"""How deep overridden methods are nested in themselves before the parts are visited first."""

_METHODS: Final[dict[type[Expr], str]] = {
    Call: "visit_call",
    Constant: "visit_constant",
    Constructor: "visit_constructor",
    Function: "visit_function",
    GlobalVar: "visit_global_var",
    If: "visit_if",
    Let: "visit_let",
    Match: "visit_match",
    Op: "visit_op",
    RefCreate: "visit_ref_create",
    RefRead: "visit_ref_read",
    RefWrite: "visit_ref_write",
    Tuple: "visit_tuple",
    TupleGetItem: "visit_tuple_getitem",
    Var: "visit_var",
}


def _overridden(cls: type, base: type) -> dict[type[Expr], str]:
    """The methods that ``cls`` has of its own, by the kind of expression; all of them where ``visit`` is its own.

    Raises:
        TypeError: a method is called ``visit_…``, and nothing calls it.
    """
    for name in vars(cls):
        if name.startswith("visit_") and not hasattr(base, name):
            raise TypeError(
                f"{cls.__name__}.{name} is never called: there is no such method{did_you_mean(name, _METHODS.values())}"
            )
    every = getattr(cls, "visit") is not getattr(base, "visit")  # noqa: B009 - both kinds of base class have one
    return {kind: name for kind, name in _METHODS.items() if every or getattr(cls, name) is not getattr(base, name)}


class TvmExprFunctor:
    """``tvm.relay.ExprFunctor``: ``visit_KIND(expr)`` gives what stands for ``expr``, which is asked once for each.

    A subclass says all of them that it meets and visits the parts itself, so it calls itself as deep as these are.
    """

    memo_map: dict[Expr, Any]
    """What was given for each expression."""

    def __init_subclass__(cls) -> None:
        """Refuse a method that nothing calls.

        Raises:
            TypeError: there is one.
        """
        super().__init_subclass__()
        _overridden(cls, TvmExprFunctor)

    def __init__(self) -> None:
        self.memo_map = {}

    def visit(self, expr: Expr) -> Any:
        """What stands for ``expr``.

        Raises:
            NotImplementedError: the class has no method for expressions of this kind.
        """
        if "memo_map" not in self.__dict__:
            TvmExprFunctor.__init__(self)  # A subclass for TVM need not call the constructor.
        if expr not in self.memo_map:
            name = next((name for kind, name in _METHODS.items() if isinstance(expr, kind)), None)
            if name is None:
                raise NotImplementedError(f"{type(self).__name__} cannot visit {expr!r}")
            self.memo_map[expr] = getattr(self, name)(expr)
        return self.memo_map[expr]

    def visit_type(self, typ: Any) -> Any:
        """A type, as it is."""
        return typ

    def _is_missing(self, expr: Expr) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {_METHODS[type(expr)]}")

    visit_call = visit_constant = visit_constructor = visit_function = visit_global_var = visit_if = _is_missing
    visit_let = visit_match = visit_op = visit_ref_create = visit_ref_read = visit_ref_write = _is_missing
    visit_tuple = visit_tuple_getitem = visit_var = _is_missing


class TvmExprMutator(ExprMutator):
    """``tvm.relay.ExprMutator``: each ``visit_KIND(expr)`` gives what stands in the place of ``expr``.

    What is new in a result is recorded as made from ``expr``, as with our own mutator.
    """

    _own: dict[type[Expr], str] = {}  # noqa: RUF012 - replaced for each subclass, never changed

    def __init_subclass__(cls) -> None:
        """Refuse a method that nothing calls.

        Raises:
            TypeError: there is one.
        """
        super().__init_subclass__()
        cls._own = _overridden(cls, TvmExprMutator)

    @classmethod
    def is_hook(cls, name: str) -> bool:
        """The methods of TVM; :func:`_overridden` says which of them there are."""
        return name.startswith("visit_")

    def __init__(self) -> None:
        super().__init__()
        self._depth = 0

    def visit(self, root: Expr) -> Expr:
        """What ``root`` becomes. An expression that was visited before is not visited again."""
        if "record" not in self.__dict__:
            TvmExprMutator.__init__(self)  # A subclass for TVM need not call the constructor.
        self._depth += 1
        try:
            return super().visit(root)
        finally:
            self._depth -= 1

    def descend(self, expr: Expr) -> Descent | None:
        """Ask the method of the subclass, where it has one for this kind."""
        name = self._own.get(type(expr))
        return None if name is None else self._ask(expr, getattr(self, name))

    def _ask(self, expr: Expr, method: Callable[[Expr], Expr]) -> Descent:
        if self._depth > DEEPEST:
            for part in children(expr):
                _ = yield part
        made: Any = method(expr)
        if not isinstance(made, Expr):
            raise TypeError(f"{type(self).__name__}.{method.__name__} gave {made!r}, and must give an expression")
        return made

    def _rebuilt(self, expr: Any) -> Any:
        return with_children(expr, [self.visit(part) for part in children(expr)])

    visit_call = visit_constant = visit_constructor = visit_global_var = visit_if = visit_let = _rebuilt
    visit_match = visit_op = visit_ref_create = visit_ref_read = visit_ref_write = visit_tuple = _rebuilt
    visit_tuple_getitem = visit_var = _rebuilt

    def visit_function(self, function: Function) -> Any:
        """The function with its parameters and body rewritten."""
        return self._rebuilt(function)


class TvmExprVisitor:
    """``tvm.relay.ExprVisitor``: each expression is visited once, before its parts."""

    _own: dict[type[Expr], str] = {}  # noqa: RUF012 - replaced for each subclass, never changed

    def __init_subclass__(cls) -> None:
        """Refuse a method that nothing calls.

        Raises:
            TypeError: there is one.
        """
        super().__init_subclass__()
        cls._own = _overridden(cls, TvmExprVisitor)

    def visit(self, expr: Expr) -> None:
        """Visit ``expr`` and what is below it, unless that is done."""
        seen: dict[Expr, bool] = self.__dict__.setdefault("_seen", {})
        depth: int = self.__dict__.get("_depth", 0)
        self._depth = depth + 1
        stack: list[tuple[Expr, bool]] = [(expr, False)]
        try:
            while stack:
                current, parts_done = stack.pop()
                if not parts_done and current in seen:
                    continue
                seen[current] = True
                method = self._own.get(type(current))
                if method is not None and (parts_done or depth < DEEPEST):
                    getattr(self, method)(current)
                    continue
                if method is not None:
                    stack.append((current, True))
                stack.extend((part, False) for part in reversed(children(current)))
        finally:
            self._depth = depth

    def _visit_parts(self, expr: Any) -> None:
        for part in children(expr):
            self.visit(part)

    visit_call = visit_constant = visit_constructor = visit_function = visit_global_var = visit_if = _visit_parts
    visit_let = visit_match = visit_op = visit_ref_create = visit_ref_read = visit_ref_write = _visit_parts
    visit_tuple = visit_tuple_getitem = visit_var = _visit_parts
