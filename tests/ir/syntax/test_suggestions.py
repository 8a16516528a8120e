"""The nearest of the names that would have been right."""

from __future__ import annotations

import time

import pytest

from relay_lsp.ir.ops import operator as operators
from relay_lsp.ir.syntax.suggestions import MOST_UNKNOWN_NAMES, NearestNames, closest

_OPERATORS = sorted(operators.registered())


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("nn.softmaxx", "nn.softmax"),
        ("multipy", "multiply"),
        ("nn.conv2d_transopse", "nn.conv2d_transpose"),
        ("relu", "nn.relu"),
        ("ones_lik", "ones_like"),
    ],
)
def test_the_nearest_name_is_what_was_meant(name: str, meant: str) -> None:
    assert closest(name, _OPERATORS) == [meant]


def test_nothing_is_near_to_a_name_of_other_letters() -> None:
    assert closest("xyz", _OPERATORS) == []


def test_names_that_are_as_near_are_given_up_to_a_number() -> None:
    assert closest("srt", _OPERATORS, 3) == ["sort", "sqrt"]
    assert closest("srt", _OPERATORS) == ["sort"]


def test_of_names_that_are_less_near_than_the_best_none_is_given() -> None:
    assert closest("sigmoyd", ["mod", "qnn.sigmoid", "sigmoid"], 3) == ["sigmoid"]


def test_a_misspelled_name_among_ten_thousand_costs_a_key_nothing_to_be_felt() -> None:
    names = [f"%some_layer_{number}_weight" for number in range(10_000)]
    closest("%x", names)
    before = time.process_time()
    assert closest("%some_layer_50_wieght", names) == ["%some_layer_50_weight"]
    assert time.process_time() - before < 0.02


def test_of_a_thousand_names_what_was_meant_is_looked_for() -> None:
    nearest = NearestNames()
    for number in range(MOST_UNKNOWN_NAMES):
        assert nearest.closest(f"%relu{number}", lambda: ["%relu"]) == ["%relu"]
    assert nearest.closest("%rellu", lambda: ["%relu"]) == []
    assert nearest.closest("%relu7", lambda: ["%relu"]) == ["%relu"]  # it was among them
    nearest.begin()
    assert nearest.closest("%rellu", lambda: ["%relu"]) == ["%relu"]


def test_of_a_hundred_thousand_names_what_was_meant_is_looked_for_a_few_times() -> None:
    nearest, names = NearestNames(), [f"@f{number}" for number in range(100_000)]
    found = [nearest.closest(f"@function{number}", lambda: [*names, f"@functiom{number}"]) for number in range(40)]  # noqa: B023
    assert found[0] == ["@functiom0"]
    assert found[39] == []
    assert nearest.closest("@function0", list) == ["@functiom0"]  # a function is the same everywhere
