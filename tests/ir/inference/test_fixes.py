"""Fixes for what inference finds."""

from __future__ import annotations

from relay_lsp.ir import Snapshot

LIST = '#[version = "0.0.5"]\ntype List[A] { Cons(A, List[A]), Nil, }\n'


def fixed(text: str, title: str) -> str:
    """``text`` after the fix called ``title``."""
    (fix,) = [
        fix for diagnostic in Snapshot.open(text, "a").diagnostics for fix in diagnostic.fixes if fix.title == title
    ]
    for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


def test_the_missing_arms_are_added() -> None:
    text = LIST + "def @main(%l: List[int32]) {\n  match (%l) {\n    Cons(_, Nil) => { () },\n  }\n}\n"
    mended = fixed(text, "Add the missing arms")
    assert "    Cons(_, Cons(_, _)) => { () },\n    Nil => { () },\n  }\n" in mended
    assert not Snapshot.open(mended, "a").diagnostics


def test_an_arm_is_added_on_the_same_line() -> None:
    mended = fixed(LIST + "def @main(%l: List[int32]) { match (%l) { Cons(_, _) => { () } } }\n", "Add the missing arm")
    assert "Cons(_, _) => { () }, Nil => { () }, }" in mended
    assert not Snapshot.open(mended, "a").diagnostics


def test_a_match_may_be_made_one_that_need_not_cover_everything() -> None:
    text = LIST + "def @main(%l: List[int32]) { match (%l) { Nil => { () } } }\n"
    mended = fixed(text, "Write match?, which need not cover every value")
    assert "match? (%l)" in mended
    assert not Snapshot.open(mended, "a").diagnostics


def test_a_return_type_is_declared() -> None:
    text = '#[version = "0.0.5"]\ndef @f(%x: (float32, int32)) {\n  %x\n}\ndef @main(%x: float32) { @f((%x, 0)) }\n'
    mended = fixed(text, "Declare -> (float32, int32)")
    assert "def @f(%x: (float32, int32)) -> (float32, int32) {" in mended
    assert not Snapshot.open(mended, "a").diagnostics
