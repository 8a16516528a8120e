"""Operators, dtypes and attributes: where they stand again, and which calls a search finds."""

from __future__ import annotations

import pytest

from relay_lsp.server.features.navigation.call_search import find_calls
from relay_lsp.server.features.navigation.occurrences import occurrences
from relay_lsp.server.features.navigation.outline import outline
from relay_lsp.server.features.navigation.references import highlights, references
from tests.fixture import read_fixture

TEXT = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, strides=[2, 2], padding=[1, 1]); // nn.conv2d strides=[2, 2]
  let %y: Tensor[(1, 4, 4, 4), float32] = nn.relu(%0);
  %1 = nn.conv2d(nn.relu(%y), %w, strides=[ 2,2 ]);
  cast(%1, dtype="float16")
}
"""


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("nn.con$0v2d(%x", ["nn.conv2d", "nn.conv2d"]),
        ("flo$0at32]) {", ["float32"] * 3),
        ("stri$0des=[2, 2], pad", ["strides", "strides"]),
        ("strides=[$02, 2], pad", ["strides=[2, 2]", "strides=[ 2,2 ]"]),
        ("padding=[$01", ["padding=[1, 1]"]),
        ('dtype="flo$0at16"', ['dtype="float16"']),
        ("// nn.c$0onv", []),
    ],
)
def test_what_no_definition_binds_has_places_all_the_same(place: str, expected: list[str]) -> None:
    fixture = read_fixture(TEXT.replace(place.replace("$0", ""), place))
    assert [fixture.words(span) for span in occurrences(fixture.snapshot, fixture.offset)] == expected


def test_calls_of_an_operator_are_highlighted() -> None:
    fixture = read_fixture(TEXT.replace("nn.relu(%0)", "nn.re$0lu(%0)"))
    assert [fixture.words(span) for span in highlights(fixture.snapshot, fixture.offset).spans] == ["nn.relu"] * 2


def test_of_thousands_of_calls_those_nearest_to_the_cursor_are_highlighted_and_all_are_found() -> None:
    lines = [f"  %{number} = nn.relu(%{number - 1 if number else 'x'}); // nn.relu\n" for number in range(3_000)]
    lines[2_000] = lines[2_000].replace("nn.relu(", "nn.re$0lu(")
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{"".join(lines)}  %2999\n}}\n'
    fixture = read_fixture(text)
    spans = list(highlights(fixture.snapshot, fixture.offset).spans)
    numbers = [int(fixture.snapshot.lines.part(span.start - 30, span.start).rpartition("%")[2][:-3]) for span in spans]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    # A comment on each line has the word, too, and counts as a place of it.
    assert (2_000 - numbers[0], numbers[-1] - 2_000) == pytest.approx((250, 250), abs=1)
    assert len(references(fixture.snapshot, fixture.offset)) == 3_000


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("conv2d", ["nn.conv2d", "nn.conv2d"]),
        ("conv2d padding=[1", ["nn.conv2d padding=[1, 1]"]),
        ("strides=[2,2]", ["nn.conv2d strides=[2, 2]", "nn.conv2d strides=[ 2,2 ]"]),
        ("conv2d strides=[1, 1]", []),
        ("c", []),
        ("", []),
    ],
)
def test_calls_are_searched_by_operator_and_attribute(query: str, expected: list[str]) -> None:
    assert [match.words for match in find_calls(read_fixture(TEXT).snapshot, query)] == expected


def test_a_call_that_is_found_brings_all_its_attributes() -> None:
    first, _ = find_calls(read_fixture(TEXT).snapshot, "conv2d")
    assert first.attributes == "strides=[2, 2], padding=[1, 1]"


def test_the_outline_says_which_operator_makes_a_value() -> None:
    (main,) = outline(read_fixture(TEXT).snapshot)
    assert [item.name for item in main.children] == ["%x", "%w", "%0 = nn.conv2d", "%y = nn.relu", "%1 = nn.conv2d"]
