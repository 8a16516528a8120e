"""Layers' names: made where there are none, kept apart, and written into expressions."""

from __future__ import annotations

import pytest

from relay_lsp.frontends.diagnostics import ImportReport
from relay_lsp.frontends.layers import LayerNames, SpanFiller, parameter_name
from relay_lsp.ir.builder import call, var
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.passes import PassContext


def test_unnamed_layers_are_counted_by_operator() -> None:
    names = LayerNames(ImportReport())
    assert [names.name("", "Conv"), names.name("", "Relu"), names.name("stem", "Conv"), names.name("", "Conv")] == [
        "Conv_0",
        "Relu_0",
        "stem",
        "Conv_1",
    ]


def test_a_name_that_is_taken_gets_a_number_and_the_report_says_so() -> None:
    report = ImportReport()
    names = LayerNames(report)
    assert [names.name("block", "Conv") for _ in range(3)] == ["block", "block_1", "block_2"]
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["duplicate-layer-name"] * 2
    assert str(report.diagnostics[0]) == (
        "node block_1 (Conv): another node is called block too: this one is block_1 [duplicate-layer-name]"
    )


def test_a_layers_span_is_its_name() -> None:
    x = var("x", (4,))
    filler = SpanFiller()
    filler.fill(x, parameter_name("stem", "x"))
    relu = filler.fill(call("nn.relu", x), "stem")
    assert (str(relu.span), str(x.span)) == ("stem:0:0", "stem.x:0:0")


def test_an_annotator_may_know_better() -> None:
    place = Span(SourceName("model.py"), 3, 3, 5, 9)
    filler = SpanFiller(lambda name: place if name == "stem" else None)
    assert filler.span("stem") == place
    assert str(filler.span("head")) == "head:0:0"


def test_a_pass_context_configures_spans() -> None:
    with PassContext(config={"relay.frontend.fill_span": False}):
        assert SpanFiller().fill(call("nn.relu", var("x")), "stem").span is None
        assert not SpanFiller(enabled=None).enabled
    with PassContext(config={"relay.frontend.span_annotator": lambda name: f"net/{name}"}):
        assert str(SpanFiller().span("stem")) == "net/stem:0:0"


def test_what_a_pass_context_says_can_be_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    with PassContext(config={"relay.frontend.fill_span": False}):
        assert SpanFiller(enabled=True).enabled
    monkeypatch.setenv("TVM_SPANFILLING", "0")
    assert not SpanFiller().enabled
