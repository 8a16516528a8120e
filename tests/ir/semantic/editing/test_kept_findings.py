"""What is wrong with statements that an edit leaves alone is kept in its place, or moved with the text."""

from __future__ import annotations

from unittest import mock

import pytest

from benchmarks.inputs import with_errors
from benchmarks.language_server.shapes import Script, Shape, scripts_of
from relay_lsp.ir.semantic.finding_places import FindingPlaces
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference

_TEXT = with_errors(400)
_SCRIPTS = [script for script in scripts_of(Shape("with errors", with_errors), _TEXT) if len(script.keys) > 1]


@pytest.mark.parametrize("script", _SCRIPTS, ids=[f"{script.what}, {script.keys[0].label}" for script in _SCRIPTS])
def test_after_each_key_the_findings_are_those_of_the_text_opened_afresh(script: Script) -> None:
    snapshot = Snapshot.open(_TEXT, "errors")
    for key in filter(None, (script.before, *script.keys[:40])):
        snapshot = snapshot.edit(TextSpan(key.start, key.end), key.text)
        afresh = Snapshot.open(snapshot.text, "errors")
        assert difference(snapshot, afresh, key.start, whole=False) is None, key.label


@pytest.mark.parametrize("place", ["beginning", "middle", "end"])
def test_a_key_places_what_is_near_it_alone(place: str) -> None:
    text = with_errors(4_000)
    bindings = [at for at in range(len(text)) if text.startswith("\n  %", at)]
    at = bindings[{"beginning": 0, "middle": len(bindings) // 2, "end": len(bindings) - 1}[place]] + 1
    snapshot = Snapshot.open(text, "errors")
    assert len(snapshot.findings) == 400
    with mock.patch.object(
        FindingPlaces, "in_statement", autospec=True, side_effect=FindingPlaces.in_statement
    ) as placed:
        for number, letter in enumerate("  %new = nn.relu(%x);\n"):
            snapshot = snapshot.edit(TextSpan(at + number, at + number), letter)
            count = placed.call_count
            assert len(snapshot.findings) >= 400
            assert placed.call_count <= count + 80


def test_a_parameter_that_is_typed_places_anew_what_may_mean_it_alone() -> None:
    text = with_errors(4_000)
    at = text.index(") ->")
    snapshot = Snapshot.open(text, "errors")
    assert len(snapshot.findings) == 400
    with mock.patch.object(
        FindingPlaces, "in_statement", autospec=True, side_effect=FindingPlaces.in_statement
    ) as placed:
        for number, letter in enumerate(", %qq: int32"):
            snapshot = snapshot.edit(TextSpan(at + number, at + number), letter)
            count = placed.call_count
            assert len(snapshot.findings) >= 400
            assert placed.call_count <= count + 80


def test_a_parameter_that_is_typed_is_what_was_meant_and_is_no_more_when_it_is_deleted() -> None:
    text = with_errors(100)
    unknown, at = text.count("%lost"), text.index(") ->")
    snapshot = Snapshot.open(text, "errors")
    for typed, meant in ((", %los", "%los"), (", %lots", "%lots"), ("", "")):
        end = snapshot.text.index(") ->")
        snapshot = snapshot.edit(TextSpan(at, end), typed)
        told = [
            each.message for each in snapshot.findings if "did you mean" in each.message and "%lost" in each.message
        ]
        assert told.count(f"undefined variable %lost; did you mean {meant}?") == (unknown if typed else 0)
        assert difference(snapshot, Snapshot.open(snapshot.text, "errors"), at, whole=True) is None


def test_of_two_parameters_that_are_as_near_the_first_one_is_meant_where_they_change_places() -> None:
    parameters = "%los_a: Tensor[(1), float32], %los_b: Tensor[(1), float32]"
    text = with_errors(100).replace("%b:", f"{parameters}, %b:")
    snapshot = Snapshot.open(text, "errors")
    start = text.index(parameters)
    for first, other in (("a", "b"), ("b", "a"), ("a", "b")):
        parameters = f"%los_{first}: Tensor[(1), float32], %los_{other}: Tensor[(1), float32]"
        snapshot = snapshot.edit(TextSpan(start, start + len(parameters)), parameters)
        told = [each.message for each in snapshot.findings if "%lost" in each.message]
        assert told
        assert set(told) == {f"undefined variable %lost; did you mean %los_{first}?"}
        assert difference(snapshot, Snapshot.open(snapshot.text, "errors"), start, whole=True) is None
