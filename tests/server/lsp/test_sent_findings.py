"""Findings that are sent again after an edit: those before it are not converted anew, and all say what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from relay_lsp.ir.diagnostics import Diagnostic, Related, Severity
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents.positions import Encoding
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.message_codec import encode_message
from relay_lsp.server.lsp.sent_findings import SentFindings

LINES = 4_000
WORD = "a line of text\n"


def converter(lines: LineIndex) -> ProtocolConverter:
    return ProtocolConverter("file:///a.relay", lines, Encoding.UTF_16)


def finding(line: int, message: str = "odd", *related: TextSpan) -> Diagnostic:
    start = line * len(WORD)
    places = tuple(Related("because of this", span) for span in related)
    return Diagnostic("odd-line", Severity.WARNING, message, TextSpan(start, start + 4), related=places)


def sent(findings: SentFindings, lines: LineIndex, listed: list[Diagnostic]) -> list[dict[str, Any]]:
    return json.loads(encode_message({"all": findings.encoded(converter(lines), listed)}))["all"]


def expected(lines: LineIndex, listed: list[Diagnostic]) -> list[dict[str, Any]]:
    return json.loads(encode_message([converter(lines).diagnostic(each) for each in listed]))


@pytest.mark.parametrize("line", [0, 1, LINES // 2, LINES - 1])
@pytest.mark.parametrize("new_text", ["", "x", "\n\n"])
def test_after_an_edit_each_finding_is_where_it_is_now(line: int, new_text: str) -> None:
    lines, findings = LineIndex(WORD * LINES), SentFindings()
    listed = [finding(number) for number in range(0, LINES, 7)]
    assert sent(findings, lines, listed) == expected(lines, listed)
    edited = lines.edited(TextSpan(line * len(WORD), line * len(WORD) + 1), new_text)
    assert sent(findings, edited, listed) == expected(edited, listed)


def test_a_related_place_behind_the_edit_moves_though_the_finding_stays() -> None:
    lines, findings = LineIndex(WORD * LINES), SentFindings()
    far = LINES * len(WORD) - 5
    listed = [finding(1, "odd", TextSpan(far, far + 2)), finding(2)]
    sent(findings, lines, listed)
    edited = lines.edited(TextSpan(far - 200, far - 200), "\n")
    assert sent(findings, edited, listed) == expected(edited, listed)


def test_other_findings_in_the_same_text_take_the_place_of_those_that_were_sent() -> None:
    lines, findings = LineIndex(WORD * LINES), SentFindings()
    listed = [finding(1), finding(2), finding(3)]
    sent(findings, lines, listed)
    others = [listed[0], finding(2, "even"), listed[2]]
    assert sent(findings, lines, others) == expected(lines, others)


def test_what_lies_before_an_edit_is_not_converted_again() -> None:
    lines, findings = LineIndex(WORD * LINES), SentFindings()
    listed = [finding(number) for number in range(100)]
    before = findings.encoded(converter(lines), listed)
    edited = lines.edited(TextSpan(lines.length - 3, lines.length), "new")
    after = findings.encoded(converter(edited), [*listed, finding(LINES - 1)])
    assert all(one is other for one, other in zip(before, after, strict=False))
    assert len(after) == len(before) + 1


def test_what_speaks_of_a_place_before_the_edit_on_its_line_is_not_converted_again() -> None:
    lines, findings = LineIndex(WORD * LINES), SentFindings()
    listed = [finding(number, "odd", TextSpan(0, 3)) for number in range(1, 100)]
    before = findings.encoded(converter(lines), listed)
    edited = lines.edited(TextSpan(4, 4), "typed")
    moved = [replace(shifted(each, 5), related=each.related) for each in listed]
    after = findings.encoded(converter(edited), moved)
    assert all(one is other for one, other in zip(before, after, strict=True))
    assert sent(findings, edited, moved) == expected(edited, moved)


@pytest.mark.parametrize("text", ["one\rtwo\n", "one\r\ntwo\n"])
def test_an_edit_between_a_carriage_return_and_a_line_feed_moves_what_ends_there(text: str) -> None:
    lines, findings = LineIndex(text), SentFindings()
    listed = [
        Diagnostic("odd", Severity.ERROR, "odd", TextSpan(3, 4)),
        Diagnostic("odd", Severity.ERROR, "odd", TextSpan(4, 4)),
    ]
    sent(findings, lines, listed)
    edited = lines.edited(TextSpan(4, 5), "") if text[4] == "\n" else lines.edited(TextSpan(4, 4), "\n")
    assert sent(findings, edited, listed) == expected(edited, listed)


@pytest.mark.parametrize("new_text", ["x", "\n\n", "\u00e9"])
@pytest.mark.parametrize("others", [0, 1])
def test_what_lies_behind_an_edit_is_moved_and_not_converted_again(new_text: str, others: int) -> None:
    lines, findings = LineIndex(WORD * LINES), SentFindings()
    before = findings.encoded(converter(lines), [finding(number) for number in range(100, LINES, 7)])
    edited = lines.edited(TextSpan(3, 4), new_text)
    moved = [shifted(finding(number), len(new_text) - 1) for number in range(100 + 7 * others, LINES, 7)]
    moved[-1] = replace(moved[-1], message="even")
    listed = [finding(0), *moved]
    assert sent(findings, edited, listed) == expected(edited, listed)
    again = findings.encoded(converter(edited), listed)
    if new_text == "x":
        kept = sum(one is other for one, other in zip(before[others:], again[1:], strict=True))
        assert kept > len(before) / 2


def test_findings_of_one_place_are_told_apart() -> None:
    lines, findings = LineIndex(WORD * LINES), SentFindings()
    place = LINES - 2
    sent(findings, lines, [finding(place), finding(place, "odd", TextSpan(0, 3)), finding(place, "even")])
    edited = lines.edited(TextSpan(0, 0), "\n")
    for listed in (
        [finding(place, "even"), finding(place)],
        [finding(place, "even"), finding(place, "odd", TextSpan(1, 4))],
        [replace(finding(place), severity=Severity.ERROR), replace(finding(place), code="even-line")],
    ):
        moved = [shifted(each, 1) for each in listed]
        assert sent(findings, edited, moved) == expected(edited, moved)


def shifted(diagnostic: Diagnostic, by: int) -> Diagnostic:
    return diagnostic.moved(lambda span: span.shifted(by))
