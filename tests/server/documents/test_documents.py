"""The document store keeps exactly the client's text, whatever the client sends."""

from __future__ import annotations

from itertools import pairwise
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents import changed_places as module
from relay_lsp.server.documents.documents import Change, Document, Documents
from relay_lsp.server.documents.positions import Encoding, Position, Range, position_of, range_of, ranges_of

URI = "file:///model.relay"
TEXTS = st.text(st.sampled_from("ab%\n\r🎈卷\u2028\x0c"), max_size=30)


def replace(start: tuple[int, int], end: tuple[int, int], text: str) -> Change:
    return Change(text, Range(Position(*start), Position(*end)))


def edited(text: str, *changes: Change, encoding: Encoding = Encoding.UTF_16) -> str:
    document = Document(URI, text)
    document.apply(changes, 1, encoding)
    assert document.lines.line_starts == LineIndex(document.text).line_starts
    return document.text


def test_a_change_replaces_its_range() -> None:
    assert edited("one\ntwo\n", replace((1, 0), (1, 3), "2")) == "one\n2\n"


def test_each_change_of_a_message_sees_the_text_that_the_one_before_left() -> None:
    assert edited("", replace((0, 0), (0, 0), "a\n"), replace((1, 0), (1, 0), "b")) == "a\nb"


def test_many_cursors_that_type_from_the_end_to_the_beginning() -> None:
    lines = 100
    changes = [replace((line, 1), (line, 1), "y") for line in reversed(range(lines))]
    assert edited("x\n" * lines, *changes) == "xy\n" * lines


def test_two_cursors_on_one_line() -> None:
    assert edited("ab", replace((0, 2), (0, 2), "!"), replace((0, 1), (0, 1), "!")) == "a!b!"


def test_a_change_at_the_place_of_the_one_before_it_may_mean_its_new_text() -> None:
    assert edited("ab", replace((0, 2), (0, 2), "cde"), replace((0, 4), (0, 5), "!")) == "abcd!"


def test_a_range_outside_the_text_means_its_end() -> None:
    assert edited("ab", replace((5, 7), (9, 1), "!")) == "ab!"
    assert edited("ab\ncd", replace((0, 99), (0, 99), "!")) == "ab!\ncd"


def test_a_range_whose_ends_are_swapped_is_put_right() -> None:
    assert edited("abc", replace((0, 2), (0, 1), "!")) == "a!c"


def test_a_balloon_counts_four_bytes_two_units_or_one_code_point() -> None:
    for encoding, width in ((Encoding.UTF_8, 4), (Encoding.UTF_16, 2), (Encoding.UTF_32, 1)):
        assert edited("🎈x", replace((0, width), (0, width + 1), "y"), encoding=encoding) == "🎈y"


def test_a_line_ends_where_the_protocol_says_and_nowhere_else() -> None:
    assert edited("a\u2028b\x0cc\r\nd\re", replace((2, 0), (2, 1), "E")) == "a\u2028b\x0cc\r\nd\rE"


def test_a_change_before_opening_is_left_aside_unless_it_has_the_whole_text() -> None:
    documents = Documents()
    assert documents.change(URI, [replace((0, 0), (0, 1), "x")], 1) is None
    document = documents.change(URI, [Change("whole"), replace((0, 0), (0, 1), "W")], 2)
    assert document is not None
    assert (document.text, document.version) == ("Whole", 2)


@pytest.mark.parametrize(
    ("change", "version", "doubt"),
    [
        (replace((0, 0), (0, 1), "x"), 4, ""),
        (replace((0, 0), (0, 1), "x"), 5, ""),
        (replace((1, 0), (9_999, 0), "x"), 5, ""),
        (replace((2, 0), (2, 0), "x"), 5, ""),
        (replace((0, 0), (0, 1), "x"), 3, "a change to version 3 came after version 4"),
        (replace((7, 0), (7, 1), "x"), 5, "line 8 was changed, and there are 2"),
        (replace((0, 1), (0, 0), "x"), 5, "a range was changed that ends before it begins"),
    ],
)
def test_a_change_that_was_not_meant_for_the_text_is_doubted_until_the_whole_text_comes(
    change: Change, version: int, doubt: str
) -> None:
    documents = Documents()
    document = documents.open(URI, "ab\ncd", 4)
    documents.change(URI, [change], version)
    assert document.doubt == doubt
    documents.change(URI, [Change("whole")], 9)
    assert not document.doubt


def test_a_line_that_the_change_before_it_made_is_not_doubted() -> None:
    documents = Documents()
    document = documents.open(URI, "ab\ncd", 4)
    documents.change(URI, [replace((1, 2), (1, 2), "\n\n\n"), replace((4, 0), (4, 0), "x")], 5)
    assert document.text == "ab\ncd\n\n\nx"
    assert not document.doubt


@given(TEXTS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXTS), max_size=6), st.sampled_from(Encoding))
def test_any_edits_give_the_client_s_text(text: str, edits: list[tuple[int, int, str]], encoding: Encoding) -> None:
    changes: list[Change] = []
    expected = text
    for first, second, new_text in edits:
        start, end = sorted((first % (len(expected) + 1), second % (len(expected) + 1)))
        span = TextSpan(start, end)
        changes.append(Change(new_text, range_of(LineIndex(expected), span, encoding)))
        # A place between \r and \n is that of the line's end for the protocol, as it is for us.
        start, end = (_as_a_client_sees(expected, offset, encoding) for offset in (start, end))
        expected = expected[:start] + new_text + expected[end:]
    assert edited(text, *changes, encoding=encoding) == expected


def _as_a_client_sees(text: str, offset: int, encoding: Encoding) -> int:
    lines = LineIndex(text)
    position = position_of(lines, offset, encoding)
    return lines.line_starts[position.line] + min(
        offset - lines.line_starts[position.line], len(lines.line(position.line))
    )


@given(TEXTS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6), st.sampled_from(Encoding))
def test_many_ranges_are_what_each_is(text: str, ends: list[tuple[int, int]], encoding: Encoding) -> None:
    lines = LineIndex(text)
    offsets = sorted(min(end, len(text)) for pair in ends for end in pair)
    spans = [TextSpan(start, end) for start, end in zip(offsets[::2], offsets[1::2], strict=True)]
    assert list(ranges_of(lines, spans, encoding)) == [range_of(lines, span, encoding) for span in spans]


@given(TEXTS, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), TEXTS), min_size=1, max_size=9))
def test_what_snapshots_are_told_is_an_edit_for_each_place_that_changed(
    text: str, edits: list[tuple[int, int, str]]
) -> None:
    with mock.patch.object(module, "_APART", 3):
        current = text
        pending: list[module.Replacement] = []
        for first, second, new_text in edits:
            start, end = sorted((first % (len(current) + 1), second % (len(current) + 1)))
            pending.append(module.Replacement(TextSpan(start, end), len(new_text)))
            current = current[:start] + new_text + current[end:]
        places = module.changed_places(pending)

    rebuilt = text
    for before, after in reversed(places):
        rebuilt = rebuilt[: before.start] + current[after.start : after.end] + rebuilt[before.end :]
    assert rebuilt == current
    for above, below in pairwise(places):
        assert below.before.start - above.before.end >= 3
        assert below.before.start - above.before.end == below.after.start - above.after.end


def test_a_name_typed_with_two_cursors_has_nothing_read_again_that_lies_between_them() -> None:
    text = "".join(f"def @f{index}() {{ {index} }}\n" for index in range(9_000))
    document = Document(URI, text)
    opened = document.advance()
    assert opened is not None
    missing_version = document.accept(opened, opened.run()).diagnostics
    typed = [replace((line, 5), (line, 5), "n") for line in (8_999, 0)]
    document.apply(typed, 1, Encoding.UTF_16)
    advance = document.advance()
    assert advance is not None
    assert advance.is_small
    edited = advance.run()
    assert edited.text == document.text
    assert [symbol.name for symbol in edited.functions[:2]] == ["@nf0", "@f1"]
    assert edited.functions[-1].name == "@nf8999"
    assert edited.diagnostics == missing_version


def test_a_name_that_is_replaced_everywhere_is_one_place() -> None:
    text = "".join(f"def @f{index}() {{ {index} }}\n" for index in range(9_000))
    document = Document(URI, text)
    opened = document.advance()
    assert opened is not None
    document.accept(opened, opened.run())
    document.apply([replace((line, 5), (line, 5), "n") for line in reversed(range(9_000))], 1, Encoding.UTF_16)
    advance = document.advance()
    assert advance is not None
    assert not advance.is_small
    assert [symbol.name for symbol in advance.run().functions[:2]] == ["@nf0", "@nf1"]
