"""Functions that are written alike are typed once: each means what it would mean if no other were like it."""

from __future__ import annotations

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference

_COUNT = 5
FUNCTIONS = {
    "sound": "def @fN(%x: int32) {\n  %0 = add(%x, %x);\n  %0\n}\n",
    "an unknown name": "def @fN(%x: int32) {\n  %y\n}\n",
    "an unknown name in a value": "def @fN(%value: int32) {\n  %0 = add(%valeu, 1);\n  %0\n}\n",
    "calls": "def @fN(%x: int32) -> int32 {\n  %0 = @fQ(%x);\n  @fN(%0)\n}\n",
    "calls at fault": "def @fN(%x: int32) -> int32 {\n  @fQ(%x, %x)\n}\n",
    "calls of what there is not": "def @fN(%x: int32) -> int32 {\n  @there(%x)\n}\n",
    "parameters without types": "def @fN(%x) {\n  %0 = (%x, %x);\n  add(%x, 1f)\n}\n",
    "type parameters": "def @fN[A](%x: A) {\n  let %a = %x;\n  (%a, %x)\n}\n",
    "another result": "def @fN(%x: int32) -> float32 {\n  %x\n}\n",
    "values that nothing uses": "def @fN(%x: int32) {\n  let %b = 3;\n  %0 = fn (%z: int32) { %x };\n  %x\n}\n",
    "graph variables of the one before": "def @fN(%x: int32) {\n  %N = add(%x, %x);\n  %Q\n}\n",
    "comments at fault": "def @fN(%x: int32) {\n  %0 = add(%x, %x) /* ty=float32 */;\n  %0\n}\n",
}
_FIRST = '#[version = "0.0.5"]\n'


def _parts(function: str) -> list[str]:
    return [function.replace("N", str(number)).replace("Q", str(max(number - 1, 0))) for number in range(_COUNT)]


def _findings(text: str) -> list[tuple[str, str, str]]:
    return [
        (found.code, found.message, "" if found.span is None else text[found.span.start : found.span.end])
        for found in Snapshot.open(text, "alike.relay").diagnostics
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_is_said_as_of_functions_that_differ_in_white_space(name: str) -> None:
    parts = _parts(FUNCTIONS[name])
    differ = [part.replace("\n  ", "\n  " + " " * number) for number, part in enumerate(parts)]
    assert _findings(_FIRST + "".join(parts)) == _findings(_FIRST + "".join(differ))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("inserted", ["%", "}", "y", " ", "\n"])
def test_edits_of_one_of_them_give_what_opening_afresh_gives(name: str, inserted: str) -> None:
    text = _FIRST + "".join(_parts(FUNCTIONS[name]))
    opened = Snapshot.open(text, "alike.relay")
    for place in range(len(_FIRST) + 4, len(text), 7):
        edited = opened.edit(TextSpan(place, place), inserted)
        afresh = Snapshot.open(edited.text, "alike.relay")
        assert difference(edited, afresh, place, whole=True) is None
