"""Free variables that a function declares: they are followed statement by statement, as all that binds a name is."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.module_analyzer import ModuleAnalyzer
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax.scopes import SymbolKind
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference, symbols_of, tokens_of

_HEAD = '#[version = "0.0.5"]\ndef @main(%x: int32) -> int32 {\n'

_BODIES = {
    "a value that comes from elsewhere": "  free_var %v: int32;\n  add(%x, %v)\n",
    "a parameter of its name is found first": "  free_var %x: bool;\n  %x\n",
    "so is a let before it": "  let %a = %x;\n  free_var %a: bool;\n  %a\n",
    "a let behind it hides it": "  free_var %a: bool;\n  let %b = %a;\n  let %a = %x;\n  let %d = %b;\n  %a\n",
    "the first declaration stays": "  free_var %v: int32;\n  free_var %v: bool;\n  %v\n",
    "it means nothing before its declaration": "  %0 = add(%x, %v);\n  free_var %v: int32;\n  add(%0, %v)\n",
    "no value is one that a body ends with": "  %x;\n  free_var %v: int32;\n",
    "one of a branch is known there": "  %0 = if (True) { free_var %v: int32; add(%x, %v) } else { %x };\n  %0\n",
    "one that a branch does not use": "  let %a = if (True) { free_var %v: bool; %x } else { %x };\n  %a\n",
    "one without a type in a branch": "  %0 = if (True) { free_var %v; add(%x, %v) } else { %x };\n  %0\n",
    "one of a nested function": "  %0 = fn (%p: int32) { free_var %v: int32; %1 = add(%v, %p); %1 };\n  %0(%x)\n",
    "a type that is still being typed is no second error": "  free_var %v: Tensor[(1,\n  add(%x, %v)\n",
}


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


def _open(text: str) -> Snapshot:
    return Snapshot.open(text, "example.relay")


@pytest.mark.parametrize("body", _BODIES.values(), ids=_BODIES)
def test_a_declaration_says_what_it_says_where_the_function_is_read_as_a_whole(
    body: str, functions_read_whole: list[object], monkeypatch: pytest.MonkeyPatch
):
    followed = _open(f"{_HEAD}{body}}}\n")
    said = described(followed.diagnostics), tokens_of(followed), symbols_of(followed)
    assert not functions_read_whole

    def by_statements(*_: object) -> None:
        return None

    monkeypatch.setattr(ModuleAnalyzer, "_by_statements", by_statements)
    whole = _open(followed.text)
    assert (described(whole.diagnostics), tokens_of(whole), symbols_of(whole)) == said
    assert functions_read_whole


def test_every_key_of_a_declaration_is_followed(functions_read_whole: list[object]):
    snapshot = _open(f"{_HEAD}  %0 = add(%x, %x);\n  add(%0, %v)\n}}\n")
    at = snapshot.text.index("  add(%0")
    for key in "  free_var %v: int32;\n":
        snapshot = snapshot.edit(TextSpan(at, at), key)
        assert difference(snapshot, _open(snapshot.text), at, whole=True) is None
        at += 1
    assert not functions_read_whole
    assert not [found for found in snapshot.diagnostics if found.severity is Severity.ERROR]
    symbol = snapshot.symbol_at(snapshot.text.index("%v)"))
    assert symbol is not None
    assert (symbol.kind, repr(symbol.type)) == (SymbolKind.FREE_VAR, "int32")


_BRANCHES = "if (True) {\n    exp(%a)\n  } else {\n    %x\n  }"
_IN_A_BRANCH = f"{_HEAD}  let %a = add(%x, %x);\n  %0 = {_BRANCHES};\n  %0\n}}\n"


def test_every_key_of_a_declaration_in_a_branch_is_followed(functions_read_whole: list[object]):
    snapshot = _open(_IN_A_BRANCH)
    at = snapshot.text.index("    exp")
    for key in "    free_var %v: int32;\n":
        snapshot = snapshot.edit(TextSpan(at, at), key)
        assert difference(snapshot, _open(snapshot.text), at, whole=True) is None
        at += 1
    use = snapshot.text.index("%a)", at)
    snapshot = snapshot.edit(TextSpan(use, use + 2), "add(%a, %v)")
    assert not functions_read_whole
    assert not [found for found in snapshot.diagnostics if found.severity is Severity.ERROR]
    assert difference(snapshot, _open(snapshot.text), at, whole=True) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  %0\n}", "  add(%0, %v)\n}"),  # it is known behind the branch
        ("let %a", "let %v"),  # which is found before a free variable, wherever that is declared
        ("@main(%x", "@main(%v"),
        ("    %x", "    free_var %v: bool;\n    %x"),  # the first declaration stays
        ("  let %a", "  free_var %v: bool;\n  let %a"),
        ("    free_var", "    let %v = 1;\n    free_var"),
        ("%v: int32", "%a: int32"),
    ],
)
def test_another_meaning_of_the_name_of_one_in_a_branch(old: str, new: str):
    text = _IN_A_BRANCH.replace("    exp(%a)\n", "    free_var %v: int32;\n    add(%a, %v)\n")
    snapshot = _open(text)
    _ = snapshot.diagnostics
    start = text.index(old)
    edited = snapshot.edit(TextSpan(start, start + len(old)), new)
    assert difference(edited, _open(edited.text), start, whole=True) is None
    back = edited.edit(TextSpan(start, start + len(new)), old)
    assert back.text == text
    assert difference(back, _open(text), start, whole=True) is None


def test_what_uses_it_follows_its_type(functions_read_whole: list[object]):
    text = f"{_HEAD}  free_var %v: int32;\n  add(%x, %v)\n}}\n"
    snapshot = _open(text)
    at = text.index("int32;")
    edited = snapshot.edit(TextSpan(at, at + 5), "bool")
    assert [found.message for found in edited.diagnostics if found.severity is Severity.ERROR]
    assert difference(edited, _open(edited.text), at, whole=True) is None
    assert not functions_read_whole


def test_a_parameter_that_takes_its_name_hides_it_and_gives_it_back():
    text = f"{_HEAD}  free_var %v: bool;\n  add(%x, %v)\n}}\n"
    snapshot = _open(text)
    at = text.index("%x")
    for span, new in ((TextSpan(at, at + 2), "%v"), (TextSpan(at, at + 2), "%x")):
        snapshot = snapshot.edit(span, new)
        assert difference(snapshot, _open(snapshot.text), at, whole=True) is None


def test_one_without_a_type_is_told_its_type_by_its_uses(functions_read_whole: list[object]):
    text = f"{_HEAD}  free_var %v;\n  if (%v) {{ %x }} else {{ 1 }}\n}}\n"
    snapshot = _open(text)
    assert not snapshot.diagnostics
    assert repr(snapshot.type_at(text.index("%v"))) == "bool"
    assert functions_read_whole  # no statement alone tells it
