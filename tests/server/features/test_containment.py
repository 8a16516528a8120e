"""What a feature meets in a text costs that much: a fault of ours, thousands of findings, marks of Markdown."""

from __future__ import annotations

import time
from unittest import mock

import pytest

from relay_lsp.ir.diagnostics import MOST_DIAGNOSTICS
from relay_lsp.ir.semantic.lints.unused import Unused
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.features.diagnostics import diagnostics as feature
from relay_lsp.server.features.hover import hover, render
from relay_lsp.server.features.navigation.outline import outline
from relay_lsp.server.features.selection import selection_ranges
from tests.hostile_texts import HOSTILE_TEXTS

MODEL = '#[version = "0.0.5"]\ndef @main(%x: float32) {\n  nn.rellu(%x)\n}\n'


def test_a_fault_of_ours_in_one_look_at_a_text_leaves_what_the_others_find(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(snapshot: Snapshot, functions: int) -> None:
        raise KeyError("a fault")

    monkeypatch.setattr(feature, "unreachable", fail)
    codes = {found.code: found.message for found in feature.diagnostics(Snapshot.open(MODEL, "a"))}
    assert set(codes) == {"undefined-operator", "internal-error"}
    assert codes["internal-error"].startswith("internal error while looking for unreachable code (KeyError)")
    assert "a fault" in caplog.text


def test_a_document_shows_a_thousand_findings_and_says_how_many_more_there_are() -> None:
    found = feature.diagnostics(
        Snapshot.open(f'#[version = "0.0.5"]\ndef @main(%x: float32) {{\n{"  nn.rellu(%x);" * 3_000}\n  %x\n}}\n', "a")
    )
    assert len(found) == MOST_DIAGNOSTICS + 1
    assert found[-1].message == "and 2,000 more: a document shows 1,000 at most"


def test_what_is_not_shown_is_counted_and_not_worked_out() -> None:
    def text(count: int) -> str:
        lines = "".join(f"  %{number} = add(%x, %y);\n" for number in range(count))
        return f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(3), int8], %y: Tensor[(4), int8]) {{\n{lines}  %x\n}}\n'

    with mock.patch.object(Unused, "hint", autospec=True, side_effect=Unused.hint) as reported:
        found = feature.diagnostics(Snapshot.open(text(1_200), "many"))
        assert not reported.called
        assert {each.code for each in found[:-1]} == {"type-mismatch"}
        assert found[-1].message == "and 1,400 more: a document shows 1,000 at most"  # each value is unused, too
        few = feature.diagnostics(Snapshot.open(text(30), "few"))
        assert reported.call_count == sum(each.code == "unused-value" for each in few) == 30


def test_of_two_thousand_unused_values_the_first_thousand_are_shown() -> None:
    lines = "".join(f"  %{number} = exp(%x);\n" for number in range(2_000))
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(3), float32]) {{\n{lines}  %x\n}}\n'
    with mock.patch.object(Unused, "hint", autospec=True, side_effect=Unused.hint) as reported:
        found = feature.diagnostics(Snapshot.open(text, "unused"))
    assert [each.message for each in found[:-1]] == [f"%{number} is never used" for number in range(1_000)]
    assert found[-1].message == "and 1,000 more: a document shows 1,000 at most"
    assert reported.call_count == 1_000


def test_what_a_comment_says_is_shown_as_it_stands() -> None:
    comment = "// ![x](https://elsewhere.example/x.png) <img src=x> [run](command:relay.run) `code` https://example"
    text = f'#[version = "0.0.5"]\n{comment}\ndef @main(%x: float32) {{\n  @main(%x)\n}}\n'
    shown = hover(Snapshot.open(text, "a"), text.index("@main"))
    assert shown is not None
    words = render(shown)
    for mark in ("![", "https://"):
        assert mark not in words
    assert r"\<img src=x\> \[run\](command:relay.run) \`code\`" in words


@pytest.mark.parametrize("name", ["parameters", "arms of a match", "statements on a line", "branches"])
def test_the_outline_of_a_hostile_text_takes_time_that_goes_with_its_length(name: str) -> None:
    def seconds_of_outline(text: str) -> float:
        snapshot = Snapshot.open(text, "a")
        feature.diagnostics(snapshot)
        started = time.process_time()
        assert len(outline(snapshot)) > 0
        return time.process_time() - started

    # The better of two: the collector of a process with a thousand tests behind it may take as long as all else.
    seconds = [min(seconds_of_outline(HOSTILE_TEXTS[name](size)) for _ in range(2)) for size in (300, 2_400)]
    assert seconds[1] < 24 * seconds[0] + 0.3  # eight times as long; 64 times as much was 4 s and more


def test_a_selection_grows_a_hundred_times_at_most() -> None:
    text = HOSTILE_TEXTS["calls"](1000)
    ranges = selection_ranges(Snapshot.open(text, "a"), text.index("%x)"))
    assert len(ranges) == 100
    assert ranges[-1].end == len(text)
