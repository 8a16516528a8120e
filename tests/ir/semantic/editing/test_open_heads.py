"""Calls of functions whose heads leave a type open: who calls them is followed statement by statement all the same.

A call does not look into the function that it calls, as in TVM: what it gives must be declared there, or be told by
what uses it. Such uses may stand far behind the call.
"""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.module_analyzer import ModuleAnalyzer
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference, symbols_of, tokens_of

_T = "Tensor[(8, 8), float32]"
_GIVEN = f"def @given(%x: {_T}) {{\n  nn.relu(%x)\n}}\n"
"""It does not say what it gives."""
_TAKEN = f"def @taken(%x) -> {_T} {{\n  nn.relu(%x)\n}}\n"
"""It does not say what it takes."""

_TOLD = {
    "a let with a type": (_GIVEN, f"  let %y: {_T} = @given(%x);\n  %0 = @given(%y);\n  add(%0, %y)\n"),
    "the result of the function": (_GIVEN, "  %0 = @given(%x);\n  %0\n"),
    "an operator whose operands have one type": (_GIVEN, "  %0 = @given(%x);\n  %1 = tanh(%0);\n  nn.relu(%1)\n"),
    "the other branch": (_GIVEN, "  %0 = @given(%x);\n  if (True) { %0 } else { %x }\n"),
    "a call that passes it on": (
        _GIVEN + _TAKEN,
        "  %0 = @given(%x);\n  %1 = @taken(%x);\n  %2 = @taken(%0);\n  add(%1, %2)\n",
    ),
}
"""Who tells what a call gives: functions, and the body of a function that calls them."""


def _main(functions: str, body: str, result: str = f" -> {_T}") -> str:
    return f'#[version = "0.0.5"]\n{functions}def @main(%x: {_T}){result} {{\n{body}}}\n'


def _open(text: str) -> Snapshot:
    return Snapshot.open(text, "example.relay")


def _errors(snapshot: Snapshot) -> list[str]:
    return [found.message for found in snapshot.diagnostics if found.severity is Severity.ERROR]


def _edited(snapshot: Snapshot, at: int, old: str, new: str) -> Snapshot:
    edited = snapshot.edit(TextSpan(at, at + len(old)), new)
    assert difference(edited, _open(edited.text), at, whole=True) is None
    return edited


@pytest.fixture
def functions_read_whole(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The functions that are read as a whole."""
    read: list[object] = []
    made = ModuleAnalyzer._whole  # pyright: ignore[reportPrivateUsage]

    def whole(self: ModuleAnalyzer, *arguments: object) -> object:
        read.append(arguments[0])
        return made(self, *arguments)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(ModuleAnalyzer, "_whole", whole)
    return read


@pytest.mark.parametrize(("functions", "body"), _TOLD.values(), ids=_TOLD)
def test_who_tells_what_a_call_gives(functions: str, body: str, functions_read_whole: list[object]):
    text = _main(functions, body)
    snapshot = _open(text)
    whole = Snapshot.open_whole(text, "example.relay")
    assert not _errors(snapshot)
    assert described(snapshot.diagnostics) == described(whole.diagnostics)
    assert (tokens_of(snapshot), symbols_of(snapshot)) == (tokens_of(whole), symbols_of(whole))
    assert not functions_read_whole


def test_the_call_is_the_error_where_nothing_tells_it(functions_read_whole: list[object]):
    text = _main(_GIVEN, "  %0 = @given(%x);\n  %1 = add(%0, %x);\n  %1\n", result="")
    snapshot = _open(text)
    message = "the type of this call cannot be inferred, because @given does not declare its result"
    assert _errors(snapshot) == [message]
    assert described(snapshot.diagnostics) == described(Snapshot.open_whole(text, "example.relay").diagnostics)
    assert not functions_read_whole


def test_the_error_follows_what_the_function_gives():
    snapshot = _open(_main(_GIVEN, "  %0 = @given(%x);\n  add(%0, %x)\n", result=""))
    said = snapshot.diagnostics[0].related[0].message
    assert said == f"@given gives {_T}: declare it with -> {_T}"
    at = snapshot.text.index("nn.relu(%x)")
    edited = _edited(snapshot, at, "nn.relu(%x)", "(%x, 1)")
    assert edited.diagnostics[0].related[0].message == f"@given gives ({_T}, int32): declare it with -> ({_T}, int32)"


def test_all_calls_give_a_parameter_without_a_type_the_same(functions_read_whole: list[object]):
    snapshot = _open(_main(_TAKEN, "  %0 = @taken(%x);\n  %1 = @taken(1);\n  add(%0, %1)\n"))
    assert _errors(snapshot) == [f"@taken takes {_T} as argument 1, not int32: it has 0 dimensions, not 2"]
    assert not functions_read_whole


def test_each_key_of_a_statement_between_is_followed(functions_read_whole: list[object]):
    snapshot = _open(_main(_GIVEN, "  %0 = @given(%x);\n  %1 = nn.relu(%x);\n  let %y = tanh(%0);\n  nn.relu(%y)\n"))
    at = snapshot.text.index("  let %y")
    for key in "  %2 = @given(%1);\n":
        snapshot = _edited(snapshot, at, "", key)
        at += 1
    assert not _errors(snapshot)
    assert not functions_read_whole


def test_a_result_that_is_declared_tells_it_as_long_as_the_value_depends_on_it():
    text = _main(_GIVEN, "  %0 = @given(%x);\n  %0\n")
    snapshot = _open(text)
    at = text.rindex("%0")
    snapshot = _edited(snapshot, at, "%0", "%x")
    assert len(_errors(snapshot)) == 1  # nothing tells what the call gives
    snapshot = _edited(snapshot, at, "%x", "%0")
    assert not _errors(snapshot)
    end = snapshot.text.rindex("}")
    snapshot = _edited(snapshot, end, "", "  ;%x\n")
    assert len(_errors(snapshot)) == 1


@pytest.mark.parametrize("result", ["", f" -> {_T}"])
def test_declaring_a_result_and_taking_it_back(result: str):
    snapshot = _open(_main(_GIVEN, "  %0 = @given(%x);\n  %1 = add(%0, %x);\n  %1\n", result))
    at = snapshot.text.index(" {")
    for number, key in enumerate(f" -> {_T}"):
        snapshot = _edited(snapshot, at + number, "", key)
    assert not _errors(snapshot)
    for number, key in reversed(list(enumerate(f" -> {_T}"))):
        snapshot = _edited(snapshot, at + number, key, "")
    assert len(_errors(snapshot)) == 1
