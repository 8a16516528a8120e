"""Collecting ``let`` bindings in order, with what each was made from.

Source of the rule: ``src/relay/transforms/let_list.h``.
"""

from __future__ import annotations

from relay_lsp.ir.expressions import Expr, Let, Var
from relay_lsp.ir.types import Type

from ..provenance import current_record

__all__ = ["LetList"]


class LetList:
    """Bindings, first to last."""

    def __init__(self) -> None:
        self._bindings: list[tuple[Var, Expr, Expr]] = []
        self._record = current_record()

    def push(self, value: Expr, source: Expr, type: Type | None = None, annotation: Type | None = None) -> Var:
        """A new variable that is bound to ``value``, both made from ``source``; ``type`` is what is known of it."""
        var = Var("x", annotation)
        var.checked_type = type if type is not None else value.checked_type
        self._record.record(var, source)
        self.bind(var, value, source)
        return var

    def bind(self, var: Var, value: Expr, source: Expr) -> None:
        """Bind ``value``, made from ``source``, to a variable that is there already."""
        self._record.attribute(value, source)
        self._bindings.append((var, value, source))

    def close(self, body: Expr) -> Expr:
        """``body`` inside the bindings."""
        for var, value, source in reversed(self._bindings):
            body = Let(var, value, body)
            self._record.record(body, source)
        return body
