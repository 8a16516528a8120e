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
