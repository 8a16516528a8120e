"""A function cut into statements: what is evaluated in one go, in which order, and what depends on what.

A statement is the value of a ``let``, or what a function, a branch, an arm or a ``let`` gives. An expression belongs to
the first statement that needs it of the innermost scope that all its uses share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

from relay_lsp.ir.expressions import Constant, Constructor, Expr, Function, GlobalVar, If, Let, Match, Var
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, pattern_vars, post_order

from ..normal_form.scopes import BindingScope, BindingScopes

__all__ = ["Body", "OutlinedStatement", "is_opaque"]

LEAVES = (Var, Op, GlobalVar, Constructor, Constant)
"""What has no parts, and needs no order."""


@dataclass(eq=False)
class OutlinedStatement:
    """Expressions in order of evaluation; the value of ``root`` is the statement's, bound by ``let`` if it has one."""

    root: Expr
    let: Let | None = None
    nodes: list[Expr] = field(default_factory=list[Expr])


def is_opaque(function: Function) -> bool:
    """Whether what is inside is a kernel, or another compiler's, and therefore left as it is."""
    attrs = function.attrs
    return function.is_primitive or any(attrs.get(name) for name in ("Compiler", "Composite", "Extern"))


class Body:
    """The statements of a function and of everything inside it."""

    def __init__(self, function: Function) -> None:
        self.order: Sequence[Expr] = post_order(function)
        self.index: dict[Expr, int] = {expr: number for number, expr in enumerate(self.order)}
        self.users: dict[Expr, list[Expr]] = {}
        """For each expression, those that it is a part of."""
        binding_scopes = BindingScopes.of(function)
        self._scope_of: dict[Expr, BindingScope] = {
            expr: scope for expr, scope in binding_scopes.scope_of.items() if isinstance(expr, Expr)
        }
        self._opened = binding_scopes.opened
        for match in binding_scopes.opened:
            if isinstance(match, Match):
                # What a pattern binds belongs to its arm, however far inside it is used.
                for clause, scope in zip(match.clauses, binding_scopes.opened[match], strict=True):
                    self._scope_of.update(dict.fromkeys(pattern_vars(clause.lhs), scope))
        self._opener: dict[BindingScope, Expr] = {
            scope: expr for expr, scopes in binding_scopes.opened.items() for scope in scopes
        }
        self._captured: dict[Expr, list[Expr]] = {}
        self._blocks: dict[BindingScope, BindingScope] = {}
        self._opaque: dict[BindingScope, bool] = {self._scope_of[function]: False}
        for expr in self.order:
            if not isinstance(expr, LEAVES):
                for part, scope in self._uses(expr):
                    self.users.setdefault(part, []).append(expr)
                    self._note_capture(part, scope)
        self._values, self._results = self._statements()

    def chains(self) -> Iterator[Sequence[OutlinedStatement]]:
        """The statements that follow one another: those of a chain of ``let`` with its result, or a single one."""
        for expr, scopes in self._opened.items():
            if not isinstance(expr, Let):
                yield from ([self._results[scope]] for scope in scopes if scope in self._results)
            elif not self._continues_a_chain(expr):
                chain: list[OutlinedStatement] = []
                rest: Expr = expr
                scope = self._opened[expr][0]
                while isinstance(rest, Let) and (rest is expr or self._continues_a_chain(rest)):
                    scope = self._opened[rest][0]
                    if scope not in self._results:
                        break
                    chain.append(self._values[scope])
                    rest = rest.body
                if scope in self._results:
                    chain.append(self._results[scope])
                yield chain

    def needs(self, expr: Expr) -> Iterator[Expr]:
        """What ``expr`` uses, and where it opens scopes, what is used inside of the statements that it stands among."""
        scope = self._scope_of[expr]
        yield from (part for part, used_in in self._uses(expr) if used_in is scope)
        yield from self._captured.get(expr, ())

    def inside(self, expr: Expr) -> Set[Expr]:
        """``expr``, and what belongs to the scopes that it opens."""
        if expr not in self._opened:
            return {expr}
        own = set(self._opened[expr])
        level = self._scope_of[expr].level + 1
        inner = {expr}
        for below in post_order(expr):
            scope = self._scope_of.get(below)
            if scope is not None and scope.level >= level and scope.ancestor(level) in own:
                inner.add(below)
        return inner

    def scope_of(self, expr: Expr) -> BindingScope:
        """The scope that ``expr`` belongs to."""
        return self._scope_of[expr]

    def opened(self, expr: Expr) -> Sequence[BindingScope]:
        """The scopes that ``expr`` opens."""
        return self._opened.get(expr, ())

    def _uses(self, expr: Expr) -> Iterator[tuple[Expr, BindingScope]]:
        """The parts of ``expr``, each with the scope in which it is used."""
        opened = self._opened.get(expr)
        scope = self._scope_of[expr]
        if opened is None:
            yield from ((part, scope) for part in children(expr))
        elif isinstance(expr, If):
            yield expr.cond, scope
            yield expr.true_branch, opened[0]
            yield expr.false_branch, opened[1]
        elif isinstance(expr, Match):
            yield expr.data, scope
            yield from ((clause.rhs, inner) for clause, inner in zip(expr.clauses, opened, strict=True))
        else:
            yield from ((part, opened[0]) for part in children(expr))

    def _note_capture(self, part: Expr, used_in: BindingScope) -> None:
        """Note what ``part`` flows into, deep inside, of the statements that can see it."""
        owner = self._scope_of[part]
        if owner is used_in or isinstance(part, (Op, GlobalVar, Constructor, Constant)):
            return
        block = self._block_of(owner)
        above, inside = owner.level, used_in.level
        if self._block_of(used_in) is block:
            return
        # The outermost scope around the use that is not of the same chain of bindings.
        while inside - above > 1:
            middle = (above + inside) // 2
            if self._block_of(used_in.ancestor(middle)) is block:
                above = middle
            else:
                inside = middle
        self._captured.setdefault(self._opener[used_in.ancestor(inside)], []).append(part)

    def _block_of(self, scope: BindingScope) -> BindingScope:
        """The scope that a chain of bindings begins with; any other scope is a block of its own."""
        path: list[BindingScope] = []
        while scope not in self._blocks:
            opener = self._opener.get(scope)
            if not isinstance(opener, Let) or not self._continues_a_chain(opener):
                self._blocks[scope] = scope
                break
            path.append(scope)
            scope = scope.parent
        block = self._blocks[scope]
        self._blocks.update(dict.fromkeys(path, block))
        return block

    def _is_opaque(self, scope: BindingScope) -> bool:
        path: list[BindingScope] = []
        while scope not in self._opaque:
            path.append(scope)
            scope = scope.parent
        for inner in reversed(path):
            opener = self._opener[inner]
            closed = isinstance(opener, Function) and is_opaque(opener)
            self._opaque[inner] = self._opaque[inner.parent] or closed
        return self._opaque[path[0] if path else scope]

    def _continues_a_chain(self, let: Let) -> bool:
        opener = self._opener.get(self._scope_of[let])
        return isinstance(opener, Let) and opener.body is let

    def _statements(self) -> tuple[dict[BindingScope, OutlinedStatement], dict[BindingScope, OutlinedStatement]]:
        """For each scope the statement that gives its result; for that of a ``let``, also the one of its value."""
        index = self.index
        values: dict[BindingScope, OutlinedStatement] = {}
        results: dict[BindingScope, OutlinedStatement] = {}
        for scope, opener in self._opener.items():
            if self._is_opaque(scope):
                continue
            if isinstance(opener, Let):
                values[scope] = OutlinedStatement(opener.value, opener)
                results[scope] = OutlinedStatement(opener.body)
            elif isinstance(opener, Function):
                results[scope] = OutlinedStatement(opener.body)
            elif isinstance(opener, If):
                first = scope is self._opened[opener][0]
                results[scope] = OutlinedStatement(opener.true_branch if first else opener.false_branch)
            elif isinstance(opener, Match):
                results[scope] = OutlinedStatement(opener.clauses[self._opened[opener].index(scope)].rhs)
        for expr in self.order:
            scope = self._scope_of[expr]
            if isinstance(expr, LEAVES) or scope not in results:
                continue
            if isinstance(expr, Let) and self._continues_a_chain(expr):
                continue
            value = values.get(scope)
            if value is not None and index[expr] <= index[value.root]:
                value.nodes.append(expr)
            else:
                results[scope].nodes.append(expr)
        return values, results
