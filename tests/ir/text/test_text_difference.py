"""The one edit that lies between two texts is the shortest one, however it is found."""

from __future__ import annotations

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from relay_lsp.ir.text import line_index
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_difference import changed_part, common_lengths, difference
from relay_lsp.ir.text.text_span import TextSpan

TEXTS = st.text(st.sampled_from("ab\n"), max_size=60)


def test_what_is_between_the_common_beginning_and_the_common_end_is_the_edit() -> None:
    assert difference("a = 1;\nb = 2;\n", "a = 1;\nb = 34;\n") == (TextSpan(11, 12), "34")


def test_two_texts_that_are_equal_are_common_up_to_their_end() -> None:
    assert common_lengths("ab" * 500, "ab" * 500) == (1000, 0)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_what_two_texts_have_in_common_is_all_that_they_begin_and_end_with(
    beginning: str, one: str, other: str, end: str
) -> None:
    first, second = beginning + one + end, beginning + other + end
    same, same_end = common_lengths(first, second)
    shorter = min(len(first), len(second))
    assert first[:same] == second[:same]
    assert same == shorter or first[same] != second[same]
    assert first[len(first) - same_end :] == second[len(second) - same_end :]
    assert same + same_end == shorter or first[len(first) - same_end - 1] != second[len(second) - same_end - 1]


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), TEXTS), max_size=3))
def test_the_edit_between_two_indices_is_as_short_as_that_between_their_texts(
    text: str, edits: list[tuple[int, int, str]]
) -> None:
    with mock.patch.object(line_index, "_BLOCK", 4):
        old = new = LineIndex(text)
        for first, second, new_text in edits:
            start, end = sorted((first % (new.length + 1), second % (new.length + 1)))
            new = new.edited(TextSpan(start, end), new_text)
        replaced, by = changed_part(old, new)
        shortest, _ = difference(old.text, new.text)
    assert old.text[: replaced.start] + new.text[slice(*by)] + old.text[replaced.end :] == new.text
    assert replaced.end - replaced.start == shortest.end - shortest.start  # "aa" in "aaa" may be any two of them
