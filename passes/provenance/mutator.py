"""``ExprMutator``: rebuild an expression bottom-up, without recursion, and without losing where anything comes from.

Source of the rule: ``src/relay/ir/expr_functor.cc`` (``ExprMutator``: every shared expression is visited once, and kept
where nothing below it changed).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeAlias, cast

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
from relay_lsp.ir.syntax.suggestions import closest
from relay_lsp.ir.visitor import children, with_children

from .record import current_record

__all__ = ["Descent", "ExprMutator", "kept"]

Descent: TypeAlias = Generator[Expr, Expr, Expr]
"""``new = yield old`` asks for what an expression becomes; the generator returns what its own expression becomes."""


def kept(expr: Expr) -> Descent:
    """The descent that leaves ``expr`` as it is and does not enter it."""
    return expr
    yield  # What makes this a generator.


_HOOKS: dict[type[Expr], str] = {
    Call: "rewrite_call",
    Constant: "rewrite_constant",
    Constructor: "rewrite_constructor",
    Function: "rewrite_function",
    GlobalVar: "rewrite_global_var",
    If: "rewrite_if",
    Let: "rewrite_let",
    Match: "rewrite_match",
    Op: "rewrite_op",
    RefCreate: "rewrite_ref_create",
    RefRead: "rewrite_ref_read",
    RefWrite: "rewrite_ref_write",
    Tuple: "rewrite_tuple",
    TupleGetItem: "rewrite_tuple_get_item",
    Var: "rewrite_var",
}


class ExprMutator:
    """Override a hook to change expressions of one kind.

    A hook ``rewrite_KIND(pre, post)`` gets the old expression and the same with its parts already rewritten (``pre``
    itself where none changed), and returns what stands in its place. Everything new in what it returns is recorded as
    made from ``pre``; where it was made from more than that, the hook says so with :meth:`derive`. Where it returns
    what is there already, ``pre`` is recorded as joined to that.

    To decide whether and in which order the parts are visited, override :meth:`descend`.
    """

    def __init_subclass__(cls) -> None:
        """Refuse a hook that nothing calls.

        Raises:
            TypeError: a method is called ``visit_…`` or ``rewrite_…``, and no such hook is there.
        """
        super().__init_subclass__()
        for name in vars(cls):
            kind = name.removeprefix("rewrite_").removeprefix("visit_")
            if kind != name and not hasattr(ExprMutator, name) and not cls.is_hook(name):
                known = sorted(_HOOKS.values())
                rewriting = f"rewrite_{kind}" if f"rewrite_{kind}" in known else None
                near = rewriting or next(iter(closest(name, known)), None)
                hint = f"; did you mean {near}?" if near else f"; the hooks are {', '.join(known)}"
                raise TypeError(f"{cls.__name__}.{name} is never called: ExprMutator has no such hook{hint}")

    @classmethod
    def is_hook(cls, name: str) -> bool:
        """Whether a subclass calls methods of this name itself, besides the hooks that are here."""
        del name
        return False

    def __init__(self) -> None:
        self.record = current_record()
        self.memo: dict[Expr, Expr] = {}
        self._hooks: dict[type[Expr], Callable[[Any, Any], Expr]] = {}
        general = type(self).rewrite is not ExprMutator.rewrite
        for kind, hook in _HOOKS.items():
            if general:
                self._hooks[kind] = self.rewrite
            elif getattr(type(self), hook) is not getattr(ExprMutator, hook):
                self._hooks[kind] = getattr(self, hook)
        self._descends = type(self).descend is not ExprMutator.descend

    def visit(self, root: Expr) -> Expr:
        """What ``root`` becomes. An expression that was visited before is not visited again."""
        memo = self.memo
        if root in memo:
            return memo[root]
        hooks = self._hooks
        stack: list[Expr | tuple[Expr] | _Paused] = [root]
        while stack:
            item = stack.pop()
            if type(item) is tuple:
                expr = item[0]
                post = with_children(expr, [memo[part] for part in children(expr)])
                self._finish(expr, post, hooks.get(type(expr)))
                continue
            if type(item) is _Paused:
                self._resume(item, stack)
                continue
            expr = cast("Expr", item)
            if expr in memo:
                continue
            if self._descends:
                descent = self.descend(expr)
                if descent is not None:
                    self._resume(_Paused(expr, descent), stack)
                    continue
            parts = children(expr)
            if not parts:
                self._finish(expr, expr, hooks.get(type(expr)))
                continue
            stack.append((expr,))
            for part in reversed(parts):
                if part not in memo:
                    stack.append(part)
        return memo[root]

    def visit_function(self, function: Function) -> Function:
        """What a whole function becomes.

        Raises:
            TypeError: a hook put something else in the place of a function of the module.
        """
        new = self.visit(function)
        if not isinstance(new, Function):
            raise TypeError(f"{type(self).__name__} made {new!r} of a function of the module")
        return new

    def descend(self, expr: Expr) -> Descent | None:
        """Take the visit of ``expr`` into one's own hands by returning a generator; ``None`` visits every part."""
        del expr
        return None

    def derive(self, new: Expr, *sources: Expr) -> Expr:
        """``new``, with everything in it that is not yet known recorded as made from all of ``sources``."""
        self.record.attribute(new, *sources)
        return new

    def _finish(self, pre: Expr, post: Expr, hook: Callable[[Any, Any], Expr] | None) -> None:
        new = post if hook is None else hook(pre, post)
        if new is not pre:
            self.record.replace(pre, new)
        self.memo[pre] = new

    def _resume(self, paused: _Paused, stack: list[Expr | tuple[Expr] | _Paused]) -> None:
        memo = self.memo
        wanted = paused.wanted
        try:
            while True:
                if wanted is None:
                    wanted = next(paused.descent)
                elif wanted in memo:
                    wanted = paused.descent.send(memo[wanted])
                else:
                    paused.wanted = wanted
                    stack.append(paused)
                    stack.append(wanted)
                    return
        except StopIteration as done:
            new: Expr = done.value
            if new is not paused.expr:
                self.record.replace(paused.expr, new)
            memo[paused.expr] = new

    def rewrite(self, pre: Expr, post: Expr) -> Expr:
        """Every kind at once: override this instead of the hooks below where the kind does not matter."""
        del pre
        return post

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """A call, after its callee and arguments."""
        del pre
        return post

    def rewrite_constant(self, pre: Constant, post: Constant) -> Expr:
        """A constant."""
        del pre
        return post

    def rewrite_constructor(self, pre: Constructor, post: Constructor) -> Expr:
        """A constructor that is called or passed."""
        del pre
        return post

    def rewrite_function(self, pre: Function, post: Function) -> Expr:
        """A function, after its parameters and body."""
        del pre
        return post

    def rewrite_global_var(self, pre: GlobalVar, post: GlobalVar) -> Expr:
        """The name of a function of the module."""
        del pre
        return post

    def rewrite_if(self, pre: If, post: If) -> Expr:
        """A condition, after both its branches."""
        del pre
        return post

    def rewrite_let(self, pre: Let, post: Let) -> Expr:
        """A binding, after its variable, value and body."""
        del pre
        return post

    def rewrite_match(self, pre: Match, post: Match) -> Expr:
        """A match, after its data and arms."""
        del pre
        return post

    def rewrite_op(self, pre: Op, post: Op) -> Expr:
        """An operator that is called or passed."""
        del pre
        return post

    def rewrite_ref_create(self, pre: RefCreate, post: RefCreate) -> Expr:
        """The making of a cell."""
        del pre
        return post

    def rewrite_ref_read(self, pre: RefRead, post: RefRead) -> Expr:
        """The reading of a cell."""
        del pre
        return post

    def rewrite_ref_write(self, pre: RefWrite, post: RefWrite) -> Expr:
        """The writing of a cell."""
        del pre
        return post

    def rewrite_tuple(self, pre: Tuple, post: Tuple) -> Expr:
        """A tuple, after its fields."""
        del pre
        return post

    def rewrite_tuple_get_item(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """A projection, after its tuple."""
        del pre
        return post

    def rewrite_var(self, pre: Var, post: Var) -> Expr:
        """A variable where it is bound and where it is used: one object, visited once."""
        del pre
        return post


class _Paused:
    """A descent that waits for what ``wanted`` becomes."""

    __slots__ = ("descent", "expr", "wanted")

    def __init__(self, expr: Expr, descent: Descent) -> None:
        self.expr = expr
        self.descent = descent
        self.wanted: Expr | None = None
