"""A large trace shows its first text before the rest is read, and panes that scroll alike take turns to draw."""

from __future__ import annotations

from typing import Any

from tests.explorer.pages import seen


def test_the_first_text_of_a_large_trace_is_shown_before_the_rest_is_read(report: dict[str, Any]):
    begins = seen(report, "begins")
    assert begins["first"]["rooms"].count(False) == 1
    assert len(begins["first"]["rooms"]) == begins["then"]["panes"] > 2
    assert begins["first"]["line"] == begins["then"]["line"]
    assert begins["first"]["hash"] == ""


def test_panes_that_scroll_alike_draw_in_different_frames_and_show_no_gap(report: dict[str, Any]):
    turns = seen(report, "turns")
    assert sum(turns["frames"]) > 20
    assert sum(drawn > 1 for drawn in turns["frames"]) < len(turns["frames"]) / 10
    assert turns["gaps"] == 0


def test_words_of_a_text_that_rushes_by_get_their_colours_when_it_slows_down(report: dict[str, Any]):
    rushes = seen(report, "rushes")
    fewest = min(rushes["first"]) / 2
    assert fewest > 50
    # A machine that has much else to do draws a frame late: then the text does not rush, for that moment.
    assert any(all(words < 5 < colours for words, colours in frame) for frame in rushes["rushing"])
    assert min(rushes["stopped"]) > fewest
    assert all(words > fewest for words, _ in rushes["reading"])
    assert min(rushes["jumped"]) > fewest
