"""Spans, sequences of them, and the two jobs of TVM Explorer's builder of spans."""

from __future__ import annotations

import pytest

from relay_lsp.ir.builder import call, constant, var
from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
from relay_lsp.passes.provenance import collect_spans, fill_span

FILE = SourceName("model.py")
FIRST, SECOND = Span(FILE, 1, 1, 5, 9), Span(FILE, 3, 4, 2, 7)


def test_equal_spans_are_equal() -> None:
    assert Span(SourceName("model.py"), 1, 1, 5, 9) == FIRST
    assert Span(FILE, 1, 2, 5, 9) != FIRST, "the end counts too"
    assert str(FIRST) == "model.py:1:5"


def test_merging_covers_both() -> None:
    assert FIRST.merge(SECOND) == SECOND.merge(FIRST) == Span(FILE, 1, 4, 2, 9)
    with pytest.raises(ValueError, match=r"cannot merge spans of model\.py and other\.py"):
        FIRST.merge(Span(SourceName("other.py")))


def test_a_sequence_is_flat_and_has_each_span_once() -> None:
    third = Span(SourceName("layer"))
    nested = SequentialSpan.of([SequentialSpan.of([FIRST, SECOND]), None, SECOND, third, FIRST])
    assert nested == SequentialSpan((FIRST, SECOND, third))
    assert str(nested) == "model.py:1:5, model.py:3:2, layer:0:0"
    assert SequentialSpan.of([FIRST, FIRST]) == FIRST, "one span stands for itself"
    assert SequentialSpan.of([None]) is None


def test_a_span_is_filled_down_to_the_inputs_and_does_not_replace_others() -> None:
    below = call("nn.relu", var("x", (4,), "float32"))
    inner = call("exp", below)
    inner.span = SECOND
    root = call("add", inner, constant(1.0))
    fill_span([root], FIRST, inputs=[below])
    assert [root.span, root.args[1].span, inner.span, below.span] == [FIRST, FIRST, SECOND, None]


def test_the_spans_of_a_subgraph_are_collected() -> None:
    below = call("nn.relu", var("x", (4,), "float32"))
    below.span = Span(SourceName("before"))
    inner = call("exp", below)
    inner.span = SECOND
    root = call("add", inner, inner)
    root.span = FIRST
    assert collect_spans([root], inputs=[below]) == SequentialSpan((FIRST, SECOND))
    assert collect_spans([below.args[0]]) is None


def test_a_deep_subgraph_is_no_matter() -> None:
    root = below = var("x", (4,), "float32")
    for _ in range(20_000):
        root = call("nn.relu", root)
    fill_span([root], FIRST, inputs=[below])
    assert collect_spans([root], inputs=[below]) == FIRST
    assert below.span is None
