"""Faults of which no two are alike: each is found, and no words are made for those that are not shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from relay_lsp.ir.diagnostics import MOST_DIAGNOSTICS, Diagnostic
from relay_lsp.ir.inference.origins import Origins
from relay_lsp.ir.semantic import lowered_statement
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax.segment_text import SegmentText
from relay_lsp.ir.syntax.statement_parser import StatementParser
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics

_FAULTS = (
    "(%x, %y).N", "let %aN: Tensor[(N, 4), float32] = %x", "reshape(%x, newshape=[N, 4])", "nn.softmax(%x, axis=N)",
    "nn.pad(%x, 0f, pad_width=[[0, N], [0]])", "reshape(%x, newshape=[N, 4)", "@g(zeros(shape=[N], dtype=\"int32\"))",
    "if (zeros(shape=[N], dtype=\"bool\")) { 1 } else { 2f }", "%y.N",
    "fn (%q: Tensor[(N, 4), float32]) { add(%q, (%x, %q).3) }",
)  # fmt: skip
"""Statements at fault whose numbers decide what is said of them; ``N`` is another number in each."""


def _text(fault: str, count: int) -> str:
    binding = "" if fault.startswith("let") else "%N = "
    lines = "".join(f"  {(binding + fault).replace('N', str(number))};\n" for number in range(7, 7 + count))
    parameters = "%x: Tensor[(3, 4), float32], %y: Tensor[(7, 9), float32]"
    return f'#[version = "0.0.5"]\ndef @g(%q: int32) -> int32 {{ %q }}\ndef @main({parameters}) {{\n{lines}  %x\n}}\n'


def _shown(findings: list[Diagnostic]) -> list[tuple[object, ...]]:
    return [(each.code, each.severity, each.message, each.span, each.related, tuple(each.fixes)) for each in findings]


@pytest.mark.parametrize("fault", _FAULTS)
def test_what_is_put_into_words_later_is_what_is_said_at_once(fault: str) -> None:
    text = _text(fault, 12)
    later = _shown(list(diagnostics(Snapshot.open(text, "later"))))
    assert len([each for each in later if each[0] != "unused-value"]) >= 11
    infer: Callable[..., Any] = vars(lowered_statement)["infer_statement"]
    with mock.patch.object(lowered_statement, "infer_statement", lambda *given, is_worded=True: infer(*given)):
        assert _shown(list(diagnostics(Snapshot.open(text, "at once")))) == later


@pytest.mark.parametrize("fault", _FAULTS[:6])
def test_where_types_come_from_is_looked_for_where_it_is_shown(fault: str) -> None:
    with (
        mock.patch("relay_lsp.ir.semantic.statement_findings.MOST_DIAGNOSTICS", 20),
        mock.patch.object(Origins, "of", autospec=True, side_effect=Origins.of) as looked,
    ):
        snapshot = Snapshot.open(_text(fault, 300), "many")
        assert diagnostics(snapshot)
    assert looked.call_count <= 40
    assert snapshot.unplaced_findings >= 270


def test_statements_with_braces_whose_words_alone_differ_are_taken_apart_once() -> None:
    parsers: list[object] = []
    begin: Callable[..., None] = StatementParser.__init__

    def begun(parser: StatementParser, segment: SegmentText) -> None:
        parsers.append(parser)
        begin(parser, segment)

    for count in (40, 400):
        parsers.clear()
        with mock.patch.object(StatementParser, "__init__", begun):
            assert diagnostics(
                Snapshot.open(_text("fn (%q: int32, aN=1) { if (True) { %q } else { %q } }", count), "braces")
            )
        assert len(parsers) < 10


def test_a_fault_that_is_shown_after_an_edit_is_put_into_words_then() -> None:
    text = _text("(%x, %y).N", 40)
    with mock.patch("relay_lsp.ir.semantic.statement_findings.MOST_DIAGNOSTICS", 20):
        snapshot = Snapshot.open(text, "many")
        assert len([each for each in diagnostics(snapshot) if each.code == "tuple-index-out-of-range"]) == 20
        start, end = text.index("  %7 ="), text.index("  %37 =")
        edited = snapshot.edit(TextSpan(start, end), "")
        assert _shown(list(diagnostics(edited))) == _shown(list(diagnostics(Snapshot.open(edited.text, "afresh"))))


def test_of_ten_thousand_data_types_at_fault_no_more_are_placed_than_are_shown() -> None:
    text = '#[version = "0.0.5"]\n' + "type " * 3_000
    snapshot = Snapshot.open(text, "types")
    assert len(snapshot.findings) == MOST_DIAGNOSTICS
    assert len(snapshot.findings) + snapshot.unplaced_findings == 3_000
    *shown, more = diagnostics(snapshot)
    assert [each.span for each in shown] == sorted(each.span for each in shown if each.span is not None)
    assert more.message == "and 2,000 more: a document shows 1,000 at most"
