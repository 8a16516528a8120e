"""Writing where values come from into a text, behind each statement.

``/* si=[torch.batch_norm_8] from=model.relay:4:8, model.relay:5:8 output=torch.batch_norm_8 */``: the layers and places
that a value came from through everything that is known; where the expressions that it was made from stood in the text
before; and the layers whose result it is. Reading the text back (:func:`.comments.layers_in`) continues the chain.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence

from relay_lsp.ir.diagnostics import Place, TextEdit
from relay_lsp.ir.expressions import Expr, Function
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.span_comments import SOURCES_PATTERN, source_text, sources_in
from relay_lsp.ir.spans import AnySpan, SequentialSpan, SourceName, Span
from relay_lsp.ir.syntax.parsing import Parsed
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.visitor import post_order

from ..provenance import Trace
from .comments import layers_in
from .outputs import layer_outputs
from .places import VALUES, ValueEnd, value_ends, values_by_end

__all__ = ["completing_edits", "layer_edits", "provenance_edits"]

Places = Callable[[Expr], TextSpan | None]

_LISTED = re.compile(SOURCES_PATTERN)


def provenance_edits(
    before: Parsed, trace: Trace, after: IRModule, text: str, place_in_text: Places
) -> tuple[TextEdit, ...]:
    """The edits of ``text`` that write behind each of its statements where its value comes from.

    ``text`` says what ``after`` is, and ``place_in_text`` where its expressions stand there; ``before`` is what the
    ``trace`` began with. Comments that said so before are replaced. Behind a function inside of another, such as what
    ``FuseOps`` makes, stand the layers of all values inside.
    """
    comments = _Comments(before, trace, after)
    exprs = list(post_order(*after.functions.values()))
    values = values_by_end(exprs, place_in_text)
    closures = _closures_by_end(exprs, after, place_in_text)
    edits: list[TextEdit] = []
    for end in value_ends(text):
        expr = values.get(end.offset, closures.get(end.offset)) if end.ends_statement else None
        comment = comments.of(expr) if expr is not None else ""
        if not comment:
            continue
        old = [comment.span for comment in end.comments if comment.text.startswith(("/* si=", "/*si="))]
        if old:
            edits.append(TextEdit(old[0], comment))
            edits.extend(TextEdit(span, "") for span in old[1:])
        else:
            edits.append(TextEdit(TextSpan(end.offset, end.offset), f" {comment}"))
    return tuple(edits)


def layer_edits(
    trace: Trace, after: IRModule, text: str, place_in_text: Places, written: Sequence[TextSpan]
) -> tuple[TextEdit, ...]:
    """The edits of ``text`` that name the layers of statements that are new and whose comments name none.

    ``text`` says what ``after`` is, and ``place_in_text`` where its expressions stand there. ``written`` are the spans
    of the text, in order and without overlap, in which a value that is new ends. What stands beside them stays as it
    is, also where layers of it are known.
    """
    layers = trace.layers
    if not layers or not written:
        return ()
    exprs = list(post_order(*after.functions.values()))
    values = values_by_end(exprs, place_in_text)
    closures = _closures_by_end(exprs, after, place_in_text)
    edits: list[TextEdit] = []
    for end in value_ends(text):
        expr = values.get(end.offset, closures.get(end.offset)) if end.ends_statement else None
        if expr is None or not _ends_within(end.offset, written):
            continue
        if any(True for comment in end.comments for _ in sources_in(comment.text)):
            continue
        span = _layers_of(expr, trace, layers)
        if span is not None:
            edits.append(TextEdit(TextSpan(end.offset, end.offset), f" /* si=[{_listed(span)}] */"))
    return tuple(edits)


def _ends_within(offset: int, written: Sequence[TextSpan]) -> bool:
    """Whether what ends at ``offset`` ends in one of some spans, which are in order and without overlap."""
    number = bisect_left(written, offset, key=lambda span: span.start) - 1
    return number >= 0 and offset <= written[number].end


def completing_edits(trace: Trace, after: IRModule, text: str, place_in_text: Places) -> tuple[TextEdit, ...]:
    """The edits of ``text`` after which comments that name layers name all that passes joined in their values.

    What a comment names comes first. A comment stays as it is where passes made its value of one alone.
    """
    if not any(step.joined or any(len(sources) > 1 for sources in step.sources.values()) for step in trace.steps):
        return ()
    layers = trace.layers
    if not layers:
        return ()
    values = values_by_end(post_order(*after.functions.values()), place_in_text)
    edits: list[TextEdit] = []
    for end in value_ends(text):
        expr = values.get(end.offset) if end.comments else None
        stated = [source.span for comment in end.comments for source in sources_in(comment.text)]
        if expr is None or not stated:
            continue
        known = SequentialSpan.of(layers.get(origin) for origin in trace.origins(expr))
        if missing := [span for span in _parts(known) if span not in stated]:
            edits.append(_completed(end, missing))
    return tuple(edits)


def _completed(end: ValueEnd, missing: Iterable[Span]) -> TextEdit:
    """The edit that adds sources to the list behind a value; where its comments have none, a comment with one."""
    added = ", ".join(map(source_text, missing))
    for comment in end.comments:
        listed = _LISTED.search(comment.text)
        if listed is not None:
            start = comment.span.start + listed.start()
            inside = listed["list"] if listed["list"] is not None else listed["one"]
            names = f"{inside.rstrip()}, {added}" if inside.strip() else added
            return TextEdit(TextSpan(start, comment.span.start + listed.end()), f"si=[{names}]")
    last = end.comments[-1].span.end
    return TextEdit(TextSpan(last, last), f" /* si=[{added}] */")


def _layers_of(expr: Expr, trace: Trace, layers: Mapping[Expr, AnySpan]) -> AnySpan | None:
    """The layers that a value came from; a function came from those of all values inside, parameters apart."""
    values = (expr,)
    if isinstance(expr, Function):
        values = tuple(each for each in post_order(expr.body) if isinstance(each, VALUES))
    return SequentialSpan.of(layers.get(origin) for value in values for origin in trace.origins(value))


def _closures_by_end(exprs: Iterable[Expr], module: IRModule, place_of: Places) -> Mapping[int, Expr]:
    """The functions inside of others, such as what ``FuseOps`` makes, by where they end."""
    top = set(module.functions.values())
    closures = [expr for expr in exprs if isinstance(expr, Function) and expr not in top]
    return {place.end: closure for closure in closures if (place := place_of(closure)) is not None}


class _Comments:
    def __init__(self, before: Parsed, trace: Trace, after: IRModule) -> None:
        self._before = before
        self._lines = LineIndex(before.reading.text)
        self._layers = {**layers_in(before), **trace.layers}
        self._trace = trace
        self._source = SourceName(before.reading.name)
        self._layers_of = {expr: self._named_layers(expr) for expr in post_order(*after.functions.values())}
        self._outputs = layer_outputs(after, self._layers_of)

    def of(self, expr: Expr) -> str:
        """The comment behind a value, or a function inside of another; empty where nothing is known of it."""
        if isinstance(expr, Function):
            inside = _layers_of(expr, self._trace, self._layers)
            return "" if inside is None else f"/* si=[{_listed(inside)}] */"
        origins = self._trace.origins(expr)
        places = [self._place(origin) for origin in origins]
        span = SequentialSpan.of(self._layers.get(origin, place) for origin, place in zip(origins, places, strict=True))
        if span is None:
            return ""
        parts = [f"si=[{_listed(span)}]"]
        came_from = SequentialSpan.of(places)
        if came_from is not None:
            parts.append(f"from={_listed(came_from)}")
        if outputs := self._outputs.get(expr):
            parts.append(f"output={', '.join(source_text(Span(SourceName(name))) for name in outputs)}")
        return f"/* {' '.join(parts)} */"

    def _place(self, origin: Expr) -> Span | None:
        span = self._before.locate(Place(origin)) if isinstance(origin, VALUES) else None
        if span is None:
            return None
        line, column = self._lines.line_and_column(span.start)
        return Span(self._source, line + 1, line + 1, column + 1, column + 1)

    def _named_layers(self, expr: Expr) -> frozenset[str]:
        span = SequentialSpan.of(self._layers.get(origin) for origin in self._trace.origins(expr))
        return frozenset(part.source_name.name for part in _parts(span) if not part.line)


def _parts(span: AnySpan | None) -> tuple[Span, ...]:
    return () if span is None else span.spans if isinstance(span, SequentialSpan) else (span,)


def _listed(span: AnySpan) -> str:
    return ", ".join(map(source_text, _parts(span)))
