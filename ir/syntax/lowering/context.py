"""What every part of the lowering shares: where it reads, the names in scope, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from ...diagnostics import Diagnostic, Fix, Related, Severity
from ...expressions import ErrorExpr, Expr
from ...metadata import Unreadable
from ...ops.operator import Op
from ...spans import Span
from ...text.text_span import TextSpan
from ...types import Type
from ..blocks import Statement
from ..positions import Position, Positions, span_between
from ..scopes import Definition, Names, Scope, SymbolKind
from ..shapes import ShapeNode
from ..suggestions import replacement
from ..tokens import BLOCK, CLAUSES
from ..units import SyntaxOrigin, Unit

__all__ = ["FAILED", "LoweringContext", "graph_rebound"]


class LoweringFailed:
    """An attribute value that could not be read, and has been reported."""


FAILED: Final = LoweringFailed()

_LONGEST_NAME: Final = 200
"""Of a longer name a message shows so much."""


def graph_rebound(name: str, span: TextSpan, first: TextSpan | None) -> Diagnostic:
    """The warning that a graph variable is bound a second time at ``span``."""
    return Diagnostic(
        "graph-variable-rebound",
        Severity.WARNING,
        f"{name} is bound already, and TVM keeps the first value",
        span,
        related=(Related("the binding that stays", first),) if first else (),
    )


class LoweringContext:
    """The state of a :class:`Lowering`, which its parts by grammar rule extend with actions."""

    def __init__(self, names: Names, positions: Positions | None) -> None:
        self.names: Final = names
        self.positions: Final = positions
        self.scope: Scope[Definition] = Scope()
        self.type_scope: Scope[Definition] = Scope()
        self.graph: dict[int, Definition] = {}
        self.diagnostics: list[Diagnostic] = []
        self.origins: dict[Expr, SyntaxOrigin] = {}
        self.definitions: list[Definition] = []
        self.uses: list[tuple[Unit, int, Definition]] = []
        self.unresolved: list[tuple[Unit, int]] = []
        self.let_values: dict[Expr, Expr] = {}
        """What is bound to the variable of each ``let``."""
        self.container: Definition | None = None
        self.unit: Unit
        self.statement: Statement
        self._texts: list[str] = []

    def enter(self, unit: Unit) -> None:
        """Go on with the tokens of ``unit``."""
        self.unit = unit
        self._texts = unit.segment.tokens[1]

    def _text(self, position: int) -> str:
        return self._texts[self.statement.token(position)]

    def _last_token(self, position: int) -> int:
        """The last token of what stands at a position: of a block its closing brace."""
        token = self.statement.token(position)
        if self.statement.kinds[position] in (BLOCK, CLAUSES):
            return self.statement.blocks[position].close
        return token

    def _range(self, node: ShapeNode) -> TextSpan:
        return self.unit.range(self.statement.token(node.first), self._last_token(node.last))

    def _is_mended(self, node: ShapeNode) -> bool:
        """Whether a token is left out of what stands at a node, or one is added, since something is wrong."""
        index = self.statement.index
        return any(index[at] != index[at - 1] + 1 for at in range(node.first + 1, node.last + 1))

    def _place(self, token: int) -> Position:
        if self.positions is None:
            return (0, 0, 0, 0)
        return self.unit.positions(self.positions)[token]

    def _span(self, first: int, last: int) -> Span | None:
        if self.positions is None:
            return None
        return span_between(self.positions.source, self._place(first), self._place(last))

    def _node_span(self, node: ShapeNode) -> Span | None:
        if self.positions is None:
            return None
        return self._span(self.statement.token(node.first), self._last_token(node.last))

    def _mark(self, expr: Expr, node: ShapeNode) -> Expr:
        """Note where ``expr`` was written, and set the span that TVM gives it there."""
        if expr not in self.origins:
            self.origins[expr] = SyntaxOrigin(self.unit, self.statement, node)
        if self.positions is not None and type(expr) is not Op:
            expr.span = self._node_span(node)
        return expr

    def report(
        self,
        code: str,
        message: str,
        span: TextSpan,
        fixes: Iterable[Fix] = (),
        related: Iterable[Related] = (),
    ) -> None:
        """Add an error."""
        self.diagnostics.append(
            Diagnostic(code, Severity.ERROR, message, span, related=tuple(related), fixes=tuple(fixes))
        )

    def _report_unknown(
        self,
        code: str,
        what: str,
        name: str,
        token: int,
        candidates: Callable[[], Iterable[str]],
        related: Iterable[Related] = (),
        *,
        is_of_module: bool = False,
        otherwise: str = "",
    ) -> None:
        """Report a name that means nothing here, with those that may have been meant, or ``otherwise`` a hint."""
        span = self.unit.span(token)
        near = self.names.nearest.closest(name, candidates, count=3, is_of_module=is_of_module)
        hint = f"; did you mean {near[0]}?" if near else otherwise and f"; {otherwise}"
        self.unresolved.append((self.unit, token))
        shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}… ({len(name)} characters)"
        self.report(code, f"{what} {shown}{hint}", span, [replacement(span, other) for other in near], related)

    def _define(self, kind: SymbolKind, name: str, token: int, value: Expr | Type) -> Definition:
        definition = Definition(kind, name, self.unit, token, value, self.container)
        self.definitions.append(definition)
        return definition

    def _use(self, token: int, definition: Definition) -> None:
        self.uses.append((self.unit, token, definition))

    def _bind_graph(self, token: int, value: Expr) -> Definition:
        name = self._texts[token]
        number = int(name[1:])
        definition = self._define(SymbolKind.GRAPH, name, token, value)
        first = self.graph.get(number)
        if first is None:
            self.graph[number] = definition
        else:
            stays = first.unit.span(first.token) if first.unit else None
            self.diagnostics.append(graph_rebound(name, self.unit.span(token), stays))
        return definition

    def _find_graph(self, number: int) -> Definition | None:
        return self.graph.get(number) or self.names.earlier_graph.get(number)

    def _metadata(self, token: int) -> object:
        text = self._texts[token]
        key, _, index = text[5:-1].partition("][")
        entries = self.names.metadata.get(key)
        span = self.unit.span(token)
        if entries is None:
            self.report("missing-metadata", f"the metadata section has no {key}", span)
            return FAILED
        digits = index.strip()
        if not (digits.isdecimal() and len(digits) < 10) or int(digits) >= len(entries):
            count = len(entries)
            self.report("missing-metadata", f"the metadata section has {count} of {key}, there is no {index}", span)
            return FAILED
        entry = entries[int(digits)]
        if isinstance(entry, Unreadable):
            self.report("invalid-metadata", f"{text} cannot be read: {entry.reason}", span)
            return FAILED
        return entry

    def _as_expr(self, value: Any) -> Expr:
        return value if isinstance(value, Expr) else ErrorExpr()
