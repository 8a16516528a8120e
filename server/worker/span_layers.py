"""The layers that values came from: of expressions, which stay in the worker, and of ranges of its text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from .pass_changes import Places, SpanLayers

if TYPE_CHECKING:
    from relay_lsp.ir.expressions import Expr
    from relay_lsp.ir.module import IRModule
    from relay_lsp.ir.spans import AnySpan
    from relay_lsp.passes import TraceStep

__all__ = ["ModuleLayers", "layers_at_spans"]


def layers_at_spans(module: IRModule, places: Places, known: SpanLayers) -> Mapping[Expr, AnySpan]:
    """The values of a module that stand where layers are known."""
    from relay_lsp.ir.expressions import Call, Constant, If, Match, Tuple, TupleGetItem
    from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
    from relay_lsp.ir.visitor import post_order

    by_span = {(start, end): sources for start, end, sources in known}
    layers: dict[Expr, AnySpan] = {}
    for expr in post_order(*module.functions.values()) if known else ():
        place = places(expr) if isinstance(expr, (Call, Constant, If, Match, Tuple, TupleGetItem)) else None
        if place is not None and (sources := by_span.get((place.start, place.end))):
            span = SequentialSpan.of(Span(SourceName(name), line, line, at, at) for name, line, at in sources)
            if span is not None:
                layers[expr] = span
    return layers


class ModuleLayers:
    """The layers of the expressions of a module, carried through the steps of a pipeline."""

    def __init__(self, layers: Mapping[Expr, AnySpan]) -> None:
        self._layers = dict(layers)

    def follow(self, step: TraceStep) -> None:
        """Take over what a step made of what, and what it joined."""
        from relay_lsp.ir.spans import SequentialSpan

        layers = self._layers
        if not layers:
            return
        for new, sources in step.sources.items():
            span = SequentialSpan.of(layers.get(source) for source in sources)
            if span is not None:
                layers[new] = span
        for kept, absorbed in step.joined.items():
            span = SequentialSpan.of(layers.get(source) for source in (kept, *absorbed))
            if span is not None:
                layers[kept] = span

    def in_text(self, exprs: Iterable[Expr], places: Places) -> SpanLayers:
        """The layers of those of some values that stand in a text."""
        from relay_lsp.ir.expressions import Call, Constant, If, Match, Tuple, TupleGetItem
        from relay_lsp.ir.spans import SequentialSpan

        plain: dict[AnySpan, tuple[tuple[str, int, int], ...]] = {}
        values: list[tuple[int, int, tuple[tuple[str, int, int], ...]]] = []
        for expr in exprs if self._layers else ():
            span = self._layers.get(expr)
            if span is None or not isinstance(expr, (Call, Constant, If, Match, Tuple, TupleGetItem)):
                continue
            place = places(expr)
            if place is None:
                continue
            if span not in plain:
                parts = span.spans if isinstance(span, SequentialSpan) else (span,)
                plain[span] = tuple((part.source_name.name, part.line, part.column) for part in parts)
            values.append((place.start, place.end, plain[span]))
        return tuple(values)
