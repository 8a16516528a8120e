"""The comments behind a statement that say where it comes from.

Three forms are read: ``/* ty=… span=model.relay:4:16 */`` as TVM prints it, ``/* si=[torch.relu_9, torch.add_2] */`` as
TVM Explorer writes it, and a bare name as importers leave it, ``/* torch.batch_norm_8 */``. The second is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ...ir.diagnostics import Place
from ...ir.expressions import Call, Expr, Tuple, TupleGetItem
from ...ir.spans import AnySpan, SequentialSpan, SourceName, Span
from ...ir.syntax.parsing import Parsed
from ...ir.visitor import post_order
from ..provenance import Trace
from ..text_edits.layout import layout_of

__all__ = ["COMMENT", "layer_annotation", "layers_in", "span_text"]

_SPAN = re.compile(r"span=([^\s*,]+(?:, [^\s*,]+)*)")
_SEQUENCE = re.compile(r"si=\[([^\]]*)\]|si=([^\s*]+)")
_NAME = re.compile(r"[\w.:/-]+\Z")
_POSITION = re.compile(r"(?P<name>.+):(?P<line>\d+):(?P<column>\d+)\Z")
COMMENT = re.compile(r"/\*(.*?)\*/")


def layers_in(parsed: Parsed) -> Mapping[Expr, AnySpan]:
    """For each value of a text that a comment speaks of, the layers or positions that it came from."""
    text = parsed.reading.text
    by_start: dict[int, AnySpan] = {}
    for function in layout_of(text).functions:
        for statement in function.statements:
            spans = [
                _read(found[1].strip()) for found in COMMENT.finditer(text, statement.value_end, statement.line_end)
            ]
            span = SequentialSpan.of(spans)
            if span is not None:
                by_start[statement.value_start] = span
    found: dict[Expr, AnySpan] = {}
    furthest: dict[int, tuple[int, Expr]] = {}
    for function in parsed.module.functions.values():
        for expr in post_order(function.body):
            place = parsed.locate(Place(expr)) if isinstance(expr, (Call, Tuple, TupleGetItem)) else None
            if place is not None and place.start in by_start:
                furthest[place.start] = max(furthest.get(place.start, (-1, expr)), (place.end, expr), key=_end)
    for start, (_, expr) in furthest.items():
        found[expr] = by_start[start]
    return found


def _end(entry: tuple[int, Expr]) -> int:
    return entry[0]


def _read(comment: str) -> AnySpan | None:
    sequence = _SEQUENCE.search(comment)
    if sequence is not None:
        return _spans(sequence[1] if sequence[1] is not None else sequence[2])
    span = _SPAN.search(comment)
    if span is not None:
        return _spans(span[1])
    return _spans(comment) if _NAME.match(comment) else None


def _spans(names: str) -> AnySpan | None:
    return SequentialSpan.of([_span(name.strip()) for name in names.split(",") if name.strip()])


def _span(name: str) -> Span:
    position = _POSITION.match(name)
    if position is None:
        return Span(SourceName(name))
    line, column = int(position["line"]), int(position["column"])
    return Span(SourceName(position["name"]), line, line, column, column)


def layer_annotation(layers: Mapping[Expr, AnySpan], trace: Trace | None = None) -> Callable[[Expr], str]:
    """What ``to_text(…, annotate=…)`` writes behind each value: the layers that it came from, through all steps.

    ``layers`` are those of the text that the trace began with, as :func:`layers_in` reads them.
    """

    def annotate(expr: Expr) -> str:
        if not isinstance(expr, (Call, Tuple, TupleGetItem)):
            return ""
        origins = trace.origins(expr) if trace is not None else (expr,)
        span = SequentialSpan.of([layers.get(origin) for origin in origins])
        if span is None:
            return ""
        names = [span_text(part) for part in (span.spans if isinstance(span, SequentialSpan) else (span,))]
        return f" /* si=[{', '.join(names)}] */"

    return annotate


def span_text(span: Span) -> str:
    """A span as a comment has it: a layer by its name alone."""
    return span.source_name.name if span.line == 0 and span.column == 0 else str(span)
