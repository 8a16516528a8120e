"""A brace of a function that is lost and put back: its statements mean what they did, and are not analyzed again."""

from __future__ import annotations

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference

_TYPE = "Tensor[(1, 8), float32]"


def _function(name: str, statements: int = 20) -> str:
    lines = [f"  %{i} = nn.relu({f'%{i - 1}' if i else '%x'});\n" for i in range(statements)]
    return f"def {name}(%x: {_TYPE}) -> {_TYPE} {{\n{''.join(lines)}  %{statements - 1}\n}}\n"


_TEXT = f'#[version = "0.0.5"]\n{_function("@first")}{_function("@main")}'
_BRACES = [at for at, letter in enumerate(_TEXT) if letter in "{}"]


def _errors(snapshot: Snapshot) -> list[tuple[str, str]]:
    errors = [diagnostic for diagnostic in snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    return [(diagnostic.code, diagnostic.message) for diagnostic in errors]


@pytest.mark.parametrize("at", _BRACES)
@pytest.mark.parametrize("after", ["", "// what follows\n", '#[metadata]\n{"nodes": []}\n'])
def test_a_brace_lost_is_the_only_error(at: int, after: str):
    opened = Snapshot.open(_TEXT + after, "example.relay")
    before = [error for error in _errors(opened) if error[0] == "invalid-metadata"]
    lost = opened.edit(TextSpan(at, at + 1), "")
    assert len(_errors(lost)) == 1 + len(before)
    assert difference(lost, Snapshot.open(lost.text, "example.relay"), at, whole=True) is None
    assert described(lost.diagnostics) == described(Snapshot.open_whole(lost.text, "example.relay").diagnostics)
    back = lost.edit(TextSpan(at, at), _TEXT[at])
    assert _errors(back) == before
    assert difference(back, Snapshot.open(back.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize("at", _BRACES)
def test_statements_are_remembered_while_a_brace_is_lost(at: int):
    opened = Snapshot.open(_TEXT, "example.relay")
    known = [opened.statement_memo(index) for index in range(1, 44)]
    lost = opened.edit(TextSpan(at, at + 1), "")
    kept = [lost.statement_memo(index) for index in range(1, 44)]
    assert sum(any(memo is other for other in known) for memo in kept) >= 38


def test_a_statement_typed_while_the_closing_brace_is_lost():
    at = _TEXT.rindex("}")
    snapshot = Snapshot.open(_TEXT[:at], "example.relay")
    assert [code for code, _ in _errors(snapshot)] == ["unclosed-brace"]
    start = _TEXT.rindex("  %10 =")
    for number, key in enumerate("  %99 = nn.relu(%x);\n"):
        snapshot = snapshot.edit(TextSpan(start + number, start + number), key)
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), start, whole=True) is None
    assert [code for code, _ in _errors(snapshot)] == ["unclosed-brace"]
