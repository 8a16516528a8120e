"""What an editor's questions about layers cost: part of ``python -m benchmarks.provenance``.

Two texts of the same chain: one whose comments name the layers, and one without comments, that the history knows them
of. Each came out of 20 steps, of which every one changed a tenth of the values. 2,000 values are of one layer.

A third text has its statements in fused functions of five, with a comment behind the brace of each: after an edit in
one, the layers of all others stay known.

Before the first question, the server reads the layers block by block, in slices of a pause: the row of that tells what
a block costs. Each question is asked in the process, as the server's handlers ask it; times are of the processor.
"After an edit" is the first question after a character was typed in the middle of the text; the last row of a text is
what the history does at the edit itself.
"""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents.positions import Encoding
from relay_lsp.server.features.hover import hover, render
from relay_lsp.server.features.layers.groups import GROUPINGS, group_values
from relay_lsp.server.features.layers.layer_index import LayerIndex
from relay_lsp.server.features.provenance.history import HistoryStep
from relay_lsp.server.features.provenance.provenance import ValuePast, recorded_origins
from relay_lsp.server.features.provenance.span_origins import SpanOriginMap
from relay_lsp.server.features.provenance.values import value_at
from relay_lsp.server.history.followed_buffer import FollowedBuffer, FollowedText, KnownText
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.structures import HighlightEntry

from .report import quantiles

__all__ = ["ANSWERS", "layer_answers"]

ANSWERS = ("question", "layers from", "goal", "median", "p95")

_TYPE = "Tensor[(8, 8), float32]"
_STEPS = 20
_LARGE = "encoder.large"
_SCREEN = 60
_VALUE = re.compile(r"= (?P<value>[^;\n]+?)(?: /\* si=\[.*?\] \*/)?;$", re.MULTILINE)


def _text(statements: int, step: int, comments: bool) -> str:
    """The chain after some steps: each replaced the operator of every tenth value."""
    lines = ['#[version = "0.0.5"]', f"def @main(%x: {_TYPE}) -> {_TYPE} {{"]
    for number in range(statements):
        operator = ("nn.relu", "tanh", "sigmoid")[(step + 9 - number % 10) // 10 % 3]
        comment = f" /* si=[{_layer(number)}] */" if comments else ""
        lines.append(f"  %{number} = {operator}({f'%{number - 1}' if number else '%x'}){comment};")
    return "\n".join([*lines, f"  %{statements - 1}", "}", ""])


def _layer(number: int) -> str:
    return _LARGE if number % 5 == 0 else f"encoder.block_{number // 10}"


def _spans(text: str) -> list[tuple[int, int]]:
    return [match.span("value") for match in _VALUE.finditer(text)]


class _Editor:
    """A buffer whose history is known, and what its server asks."""

    def __init__(self, statements: int, comments: bool) -> None:
        texts = [_text(statements, step, comments) for step in range(_STEPS + 1)]
        spans = [_spans(text) for text in texts]
        assert len(spans[0]) == statements
        steps = [
            HistoryStep(
                f"Pass{number}", texts[number], texts[number + 1], SpanOriginMap(_origins(spans, number)), number
            )
            for number in range(_STEPS)
        ]
        stored = tuple((*span, ((_layer(number), 0, 0),)) for number, span in enumerate(spans[-1]) if not comments)
        self.snapshot = Snapshot.open(texts[-1], "chain.relay")
        self.buffer = FollowedBuffer(KnownText(self.snapshot.lines, tuple(steps), lambda: stored))
        self.statements = statements

    def followed(self) -> FollowedText:
        return self.buffer.at(self.snapshot.lines)

    def index(self) -> LayerIndex:
        return self.followed().index

    def line_start(self, statement: int) -> int:
        return self.snapshot.lines.line_start(2 + statement)

    def operator_start(self, statement: int) -> int:
        return self.snapshot.lines.text.index("= ", self.line_start(statement)) + len("= ")

    def edit(self, number: int) -> None:
        """Type a character, or take it out again, with the history of the text."""
        self.type(number)
        self.follow()

    def type(self, number: int) -> None:
        """Type a character into an operator's name in the middle of the text, or take it out again."""
        start = self.operator_start(self.statements // 2) + len("nn")
        span, inserted = (TextSpan(start, start), "1") if number % 2 == 0 else (TextSpan(start, start + 1), "")
        self.snapshot = self.snapshot.edit(span, inserted)

    def follow(self, number: int = 0) -> None:
        """What the history does when the text was edited."""
        self.buffer.edited(self.snapshot.lines)

    def hover(self, number: int) -> None:
        offset = self.line_start(number * 37 % self.statements) + 3
        value = value_at(self.snapshot, offset)
        assert value is not None
        text = self.followed()
        past = ValuePast(text.events(value), recorded_origins(text.layers_of(value)))
        content = hover(self.snapshot, offset, past)
        assert content is not None
        assert content.events
        assert content.origins
        render(content)

    def highlight(self, number: int) -> None:
        """All values of the large layer, as the protocol has them."""
        converter = ProtocolConverter("file:///chain.relay", self.snapshot.lines, Encoding.UTF_16)
        spans = self.index().spans_of((_LARGE,))
        assert len(spans) == self.statements // 5
        assert msgspec.json.encode([HighlightEntry(place) for place in converter.plain_ranges(spans)])

    def colour(self, by: str, number: int) -> None:
        """The values of a screen by what they have in common."""
        start = self.line_start(number * 61 % (self.statements - _SCREEN))
        end = self.line_start(number * 61 % (self.statements - _SCREEN) + _SCREEN)
        index = self.index() if by == "layer" else LayerIndex()
        groups = group_values(self.snapshot, [TextSpan(start, end)], by, index, self.followed().last_event)
        converter = ProtocolConverter("file:///chain.relay", self.snapshot.lines, Encoding.UTF_16)
        assert msgspec.json.encode([converter.plain_ranges(spans) for spans in groups.values()])


_FUSED = 5
"""Statements of a fused function; three more lines open it, close it and call it."""


class _FusedEditor(_Editor):
    """A buffer of fused functions, whose comments alone name layers."""

    def __init__(self, statements: int) -> None:
        lines = ['#[version = "0.0.5"]', f"def @main(%x: {_TYPE}) -> {_TYPE} {{"]
        for first in range(0, statements, _FUSED):
            lines.append(f"  let %f{first} = fn (%p{first}: {_TYPE}, Primitive=1) -> {_TYPE} {{")
            for number in range(first, first + _FUSED):
                operand = f"%{number - 1}" if number > first else f"%p{first}"
                end = ";" if number < first + _FUSED - 1 else ""
                name = f"%{number} = " if end else ""
                lines.append(f"    {name}nn.relu({operand}) /* si=[{_layer(number)}] */{end}")
            called = f"%c{first - _FUSED}" if first else "%x"
            lines += [
                f"  }} /* si=[fused.{first}] */;",
                f"  let %c{first} = %f{first}({called}) /* si=[call.{first}] */;",
            ]
        self.snapshot = Snapshot.open("\n".join([*lines, f"  %c{statements - _FUSED}", "}", ""]), "fused.relay")
        self.buffer = FollowedBuffer(KnownText(self.snapshot.lines))
        self.statements = statements

    def line_start(self, statement: int) -> int:
        return self.snapshot.lines.line_start(2 + statement // _FUSED * (_FUSED + 3) + 1 + statement % _FUSED)


def _origins(spans: Sequence[Sequence[tuple[int, int]]], step: int) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    for before, after in zip(spans[step], spans[step + 1], strict=True):
        yield (*after, [before])


def layer_answers(statements: int, repeat: int = 100) -> Iterator[Sequence[object]]:
    """A row for each question, in milliseconds."""
    for comments in (True, False):
        editor = _Editor(statements, comments)
        # As the server does: what is there now is there to stay.
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 200, 50)
        source = "comments" if comments else "the history"
        yield "blocks read ahead, once", source, "", *_read_ahead(editor)
        yield "the first question", source, 5, *_milliseconds(editor.hover, lambda number: None, 1)
        yield "hover", source, 5, *_milliseconds(editor.hover, lambda number: None, repeat)
        yield "hover, after an edit", source, 5, *_milliseconds(editor.hover, editor.edit, repeat)
        values = f"highlights of {statements // 5:,} values"
        yield values, source, 20, *_milliseconds(editor.highlight, lambda number: None, repeat)
        yield f"{values}, after an edit", source, 20, *_milliseconds(editor.highlight, editor.edit, repeat)
        for by in GROUPINGS:
            ask = partial(editor.colour, by)
            yield f"colours of a screen by {by}", source, 10, *_milliseconds(ask, lambda number: None, repeat)
            yield f"colours by {by}, after an edit", source, 10, *_milliseconds(ask, editor.edit, repeat)
        yield "an edit, without the history", source, "", *_milliseconds(editor.type, lambda number: None, repeat)
        editor.follow()
        follow = _milliseconds(editor.follow, editor.type, repeat)
        yield "what an edit costs the history", source, "", *follow

    yield from _fused_answers(statements, repeat)


def _fused_answers(statements: int, repeat: int) -> Iterator[Sequence[object]]:
    editor = _FusedEditor(statements)
    gc.collect()
    gc.freeze()
    source = "fused functions"
    yield "blocks read ahead, once", source, "", *_read_ahead(editor)
    yield "the first question", source, 20, *_milliseconds(editor.highlight, lambda number: None, 1)
    values = f"highlights of {statements // 5:,} values"
    yield f"{values}, after an edit", source, 20, *_milliseconds(editor.highlight, editor.edit, repeat)
    by_layer = partial(editor.colour, "layer")
    yield "colours by layer, after an edit", source, 10, *_milliseconds(by_layer, editor.edit, repeat)


def _read_ahead(editor: _Editor) -> tuple[float, float]:
    """What the server reads while the user pauses after opening a text, block by block."""
    assert value_at(editor.snapshot, editor.operator_start(0)) is not None  # the text has been analyzed by then
    seconds: list[float] = []
    started = time.process_time()
    for _ in editor.followed().read_ahead():
        seconds.append(time.process_time() - started)
        started = time.process_time()
    return quantiles(seconds)


def _milliseconds(ask: Callable[[int], object], before: Callable[[int], object], repeat: int) -> tuple[float, float]:
    seconds: list[float] = []
    for number in range(repeat):
        before(number)
        started = time.process_time()
        ask(number)
        seconds.append(time.process_time() - started)
    return quantiles(seconds)
