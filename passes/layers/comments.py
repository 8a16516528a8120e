"""The comments behind a value that say where it comes from.

Of the forms that are read (:mod:`relay_lsp.ir.span_comments`), ``/* si=[torch.relu_9, torch.add_2] */`` is written.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

from relay_lsp.ir.diagnostics import Place
from relay_lsp.ir.expressions import Call, Expr, Tuple, TupleGetItem
from relay_lsp.ir.span_comments import may_name_sources, source_text, sources_in
from relay_lsp.ir.spans import AnySpan, SequentialSpan
from relay_lsp.ir.syntax.parsing import Parsed
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.visitor import children, post_order

from ..provenance import Trace
from .places import VALUES, value_ends, values_by_end

__all__ = ["layer_annotation", "layers_in"]


def layers_in(parsed: Parsed) -> Mapping[Expr, AnySpan]:
    """For each value of a text that a comment speaks of, the layers or positions that it came from.

    What is written inside of a value, as constants are, and has no comment of its own comes from where that does; an
    element of a tuple that stands elsewhere, from where the tuple does.
    """

    def place_of(expr: Expr) -> TextSpan | None:
        return parsed.locate(Place(expr))

    if not may_name_sources(parsed.reading.text):
        return {}
    spans = [
        (end.offset, SequentialSpan.of(source.span for comment in end.comments for source in sources_in(comment.text)))
        for end in value_ends(parsed.reading.text)
        if end.comments
    ]
    spans = [(offset, span) for offset, span in spans if span is not None]
    if not spans:
        return {}
    values = values_by_end(post_order(*parsed.module.functions.values()), place_of)
    layers: dict[Expr, AnySpan] = {values[offset]: span for offset, span in spans if span and offset in values}
    for expr, span in list(layers.items()):
        inside = _written_inside(expr, place_of, layers)
        for part in inside:
            producer = part.tuple_value if isinstance(part, TupleGetItem) else part
            layers[part] = span if producer in inside else layers.get(producer, span)
    return layers


def _written_inside(root: Expr, place_of: Callable[[Expr], TextSpan | None], known: Container[Expr]) -> list[Expr]:
    """The values that are written inside of ``root``, outside of blocks, and of which nothing is known yet."""
    around = place_of(root)
    inside: list[Expr] = []
    stack = [root]
    while stack and around is not None:
        expr = stack.pop()
        for part in children(expr) if isinstance(expr, (Call, Tuple, TupleGetItem)) else ():
            place = place_of(part) if isinstance(part, VALUES) and part not in known else None
            if place is not None and around.start <= place.start and place.end <= around.end:
                inside.append(part)
                stack.append(part)
    return inside


def layer_annotation(layers: Mapping[Expr, AnySpan], trace: Trace | None = None) -> Callable[[Expr], str]:
    """What ``to_text(…, annotate=…)`` writes behind each value: the layers that it came from, through all steps.

    ``layers`` are those of the text that the trace began with, as :func:`layers_in` reads them.
    """

    def annotate(expr: Expr) -> str:
        if not isinstance(expr, VALUES):
            return ""
        origins = trace.origins(expr) if trace is not None else (expr,)
        span = SequentialSpan.of([layers.get(origin) for origin in origins])
        if span is None:
            return ""
        names = [source_text(part) for part in (span.spans if isinstance(span, SequentialSpan) else (span,))]
        return f" /* si=[{', '.join(names)}] */"

    return annotate
