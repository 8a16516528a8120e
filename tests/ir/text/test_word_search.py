"""Where a word stands in a text."""

from __future__ import annotations

import pytest

from relay_lsp.ir.text.word_search import nearest_starts, word_starts

TEXT = "add(%add, @add, bias_add, add2, nn.add) // add"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("add", [0, 5, 11, 35, 43]),
        ("%add", [4]),
        ("bias_add", [16]),
        ("nn.add", [32]),
        (",", [8, 14, 24, 30]),
        ("ad", []),
        ("dad", []),
    ],
)
def test_a_word_stands_where_it_is_no_part_of_a_longer_one(word: str, expected: list[int]) -> None:
    assert list(word_starts(TEXT, word)) == expected


@pytest.mark.parametrize(
    ("near", "count", "expected"),
    [(11, 2, [5, 11]), (11, 4, [0, 5, 11, 35]), (0, 4, [0, 5]), (len(TEXT), 2, [43]), (20, 100, [0, 5, 11, 35, 43])],
)
def test_the_nearest_are_those_on_both_sides(near: int, count: int, expected: list[int]) -> None:
    assert nearest_starts(TEXT, "add", near, count) == expected
