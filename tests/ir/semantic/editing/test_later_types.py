"""Values whose types their own statements leave open: a use that stands behind them tells the type, or none does."""

from __future__ import annotations

import pytest

from relay_lsp.ir.semantic.module_analyzer import ModuleAnalyzer
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference, symbols_of, tokens_of

_HEAD = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @main(%x: int32, %c: bool) -> int32 {
"""

_BODIES = {
    "a list that grows": "let %l = Nil; let %m = Cons(%x, %l); match (%m) { Cons(%h, _) => %h, Nil => 0 }",
    "by way of others": (
        "let %l = Nil; %0 = if (%c) { %l } else { Nil }; let %m = Cons(%x, %0);"
        " match (%m) { Cons(%h, _) => %h, Nil => 0 }"
    ),
    "a function that is called": "let %f = fn (%y) { add(%y, 1) }; let %z: int32 = %f(%x); if (%c) { %z } else { %x }",
    "a let that uses its own name": "let %w: int32 = if (%c) { %x } else { %w }; %w",
    "one whose type the result tells": "let %w = if (%c) { negative(%w) } else { %w }; if (%c) { %w } else { %x }",
    "one whose type nothing tells": "let %u = nn.relu(%u); if (%c) { %x } else { 1 }",
}


@pytest.mark.parametrize("body", _BODIES.values(), ids=_BODIES)
def test_what_is_followed_has_the_types_that_the_solver_finds(body: str, monkeypatch: pytest.MonkeyPatch):
    text = f"{_HEAD}  {body}\n}}\n"
    whole = Snapshot.open_whole(text, "example.relay")
    read: list[object] = []
    monkeypatch.setattr(ModuleAnalyzer, "_whole", lambda *arguments: read.append(arguments))
    followed = Snapshot.open(text, "example.relay")
    assert described(followed.diagnostics) == described(whole.diagnostics)
    assert (tokens_of(followed), symbols_of(followed)) == (tokens_of(whole), symbols_of(whole))
    assert not read


def test_a_list_of_something_else():
    text = f"{_HEAD}  let %l = Nil;\n  let %m = Cons(%x, %l);\n  match (%m) {{ Cons(%h, _) => %h, Nil => 0 }}\n}}\n"
    snapshot = Snapshot.open(text, "example.relay")
    at = text.index("%x, %l")
    for new, type in (("%c", "List[bool]"), ("%x", "List[int32]")):
        snapshot = snapshot.edit(TextSpan(at, at + 2), new)
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True) is None
        assert repr(snapshot.type_at(text.index("%l"))) == type
