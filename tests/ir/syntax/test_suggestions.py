"""The nearest of the names that would have been right: what difflib finds, in a fraction of its time."""

from __future__ import annotations

import random
from difflib import SequenceMatcher, get_close_matches
from unittest import mock

import pytest

from relay_lsp.ir.ops import operator as operators
from relay_lsp.ir.syntax.suggestions import MOST_UNKNOWN_NAMES, NearestNames, closest

_OPERATORS = sorted(operators.registered())


def _misspelled(name: str, choose: random.Random) -> str:
    at = choose.randrange(len(name))
    return choose.choice(
        [
            name[:at] + name[at + 1 :],
            name[:at] + choose.choice("aeioun._") * choose.randint(1, 6) + name[at:],
            name[at:] + name[:at],
            name[::-1],
        ]
    )


@pytest.mark.parametrize("count", [1, 3])
def test_the_nearest_names_are_those_that_difflib_finds(count: int) -> None:
    choose = random.Random(count)
    for _ in range(60):
        names = choose.sample(_OPERATORS, 40)
        name = _misspelled(choose.choice(names), choose)
        alike_in_length = [other for other in names if abs(len(other) - len(name)) <= max(3, len(name) // 2)]
        assert closest(name, names, count) == get_close_matches(name, alike_in_length, n=count, cutoff=0.6)


def test_few_names_are_compared_letter_by_letter() -> None:
    with mock.patch.object(SequenceMatcher, "ratio", autospec=True, side_effect=SequenceMatcher.ratio) as compared:
        assert closest("nn.sofmaxx", _OPERATORS) == ["nn.softmax"]
    assert compared.call_count <= 5


def test_of_a_thousand_names_what_was_meant_is_looked_for() -> None:
    nearest = NearestNames()
    for number in range(MOST_UNKNOWN_NAMES):
        assert nearest.closest(f"%relu{number}", lambda: ["%relu"]) == ["%relu"]
    assert nearest.closest("%rellu", lambda: ["%relu"]) == []
    assert nearest.closest("%relu7", lambda: ["%relu"]) == ["%relu"]  # it was among them
    nearest.begin()
    assert nearest.closest("%rellu", lambda: ["%relu"]) == ["%relu"]
