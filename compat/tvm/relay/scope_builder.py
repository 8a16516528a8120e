"""``tvm.relay.scope_builder``: bindings and branches, one statement after another.

Source of the rule: ``python/tvm/relay/scope_builder.py``.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from relay_lsp.ir.builder import ScopeBuilder as _Bindings
from relay_lsp.ir.expressions import Expr, If, Var
from relay_lsp.ir.types import IncompleteType, Type

from .expr import var as _var

__all__ = ["ScopeBuilder", "TvmScopeBuilder"]


class _Scope:
    """The bindings of a body, and what it gives once that is said; a condition that still lacks its other branch."""

    def __init__(self) -> None:
        self.bindings = _Bindings()
        self.value: Expr | None = None
        self.waiting: tuple[Expr, Expr] | None = None

    @property
    def is_said(self) -> bool:
        """Whether it is said what the scope gives, or a branch of it."""
        return self.value is not None or self.waiting is not None

    def result(self) -> Expr:
        if self.waiting is not None:
            raise RuntimeError("a branch has no else_scope")
        if self.value is None:
            raise RuntimeError("a scope gives no value: ret was not called in it")
        return self.bindings.result(self.value)


class TvmScopeBuilder:
    """``tvm.relay.ScopeBuilder``: ``let`` binds a value, and ``ret`` says what the scope gives.

    ``if_scope`` and ``else_scope`` are branches of it; ``get`` gives the expression.
    """

    def __init__(self) -> None:
        self._scopes = [_Scope()]

    def let(self, var: Var | str | tuple[Any, ...] | list[Any], value: Expr) -> Var:
        """Bind ``value`` to a variable, or to a new one: a name, or a name and a type.

        Raises:
            ValueError: the tuple has more than a name and a type.
        """
        if isinstance(var, (tuple, list)):
            if len(var) > 2:
                raise ValueError("a variable is given by its name, or by its name and its type")
            var = _var(*var)
        elif isinstance(var, str):
            var = _var(var)
        return self._scopes[-1].bindings.bind(var, value)

    def type_of(self, expr: Expr) -> Type | None:
        """The type of ``expr``: of a variable the declared one, else one that inference will tell."""
        if isinstance(expr, Var):
            return expr.type_annotation
        unknown = IncompleteType()
        self.let(("unify", unknown), expr)
        return unknown

    def ret(self, value: Expr) -> None:
        """Say what the scope gives.

        Raises:
            RuntimeError: it is said already.
        """
        scope = self._scopes[-1]
        if scope.is_said:
            raise RuntimeError("what this scope gives is said already")
        scope.value = value

    @contextmanager
    def if_scope(self, cond: Expr) -> Generator[None]:
        """The branch that is taken where ``cond`` holds; an ``else_scope`` must follow.

        Raises:
            RuntimeError: what the scope around it gives is said already, or the branch gives nothing.
        """
        made = yield from self._inner()
        scope = self._scopes[-1]
        if scope.is_said:
            raise RuntimeError("what the scope around this branch gives is said already")
        scope.waiting = cond, made

    @contextmanager
    def else_scope(self) -> Generator[None]:
        """The branch that is taken elsewhere.

        Raises:
            RuntimeError: no ``if_scope`` stands before it, or it gives nothing.
        """
        made = yield from self._inner()
        scope = self._scopes[-1]
        if scope.waiting is None:
            raise RuntimeError("no if_scope stands before this else_scope")
        cond, true_branch = scope.waiting
        scope.waiting, scope.value = None, If(cond, true_branch, made)

    def get(self) -> Expr:
        """What was built.

        Raises:
            RuntimeError: it gives nothing, or a branch is missing.
        """
        return self._scopes[-1].result()

    def _inner(self) -> Generator[None, None, Expr]:
        self._scopes.append(_Scope())
        try:
            yield
        except BaseException:
            self._scopes.pop()
            raise
        return self._scopes.pop().result()


ScopeBuilder = TvmScopeBuilder
