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
    "graph variables at fault": "def @fN(%x: int32) {\n  %N = nn.rellu(%x);\n  %Q\n}\n",
    "graph variables at fault of one name": "def @fN(%x: int32) {\n  %0 = nn.rellu(%x);\n  %0\n}\n",
    "graph variables that are bound below": "def @fN(%x: int32) {\n  nn.relu(%N);\n  %N = add(%x, %x);\n  %N\n}\n",
    "graph variables that are bound twice": "def @fN(%x: int32) {\n  %N = %x;\n  %N = 1f;\n  %N\n}\n",
    "graph variables that are spelled otherwise": "def @fN(%x: int32) {\n  %0N = %x;\n  %N\n}\n",
    "graph variables in comments": "def @fN(%x: int32) {\n  %N = %x; // %N\n  add(%N, %Q)\n}\n",
    "graph variables and calls": "def @fN(%x: int32) -> int32 {\n  %N = @fQ(%x);\n  @fN(%N) /* ty=int8 */\n}\n",
    "parameters that are numbers": "def @fN(%N: int32) {\n  %N\n}\n",
    "a parameter that is meant to be unused": "def @fN(%x: int32) {\n  %0 = fn (%_q: int32) { %x };\n  %0\n}\n",
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


def test_a_graph_variable_of_another_type_gives_another_type() -> None:
    dtypes = ["int32", "float32", "int32", "int8"]
    bound = "".join(f'def @g{n}(%x: int32) {{\n  %{n} = cast(%x, dtype="{dtypes[n]}");\n  %x\n}}\n' for n in range(4))
    used = "".join(f"def @f{n}(%x: int32) {{\n  let %a = %{n};\n  %a\n}}\n" for n in range(4))
    symbols = Snapshot.open(_FIRST + bound + used, "alike.relay").symbols
    assert [str(each.type) for each in symbols if each.name == "%a"] == dtypes


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("inserted", ["%", "}", "y", " ", "\n"])
def test_edits_of_one_of_them_give_what_opening_afresh_gives(name: str, inserted: str) -> None:
    text = _FIRST + "".join(_parts(FUNCTIONS[name]))
    opened = Snapshot.open(text, "alike.relay")
    for place in range(len(_FIRST) + 4, len(text), 7):
        edited = opened.edit(TextSpan(place, place), inserted)
        afresh = Snapshot.open(edited.text, "alike.relay")
        assert difference(edited, afresh, place, whole=True) is None
