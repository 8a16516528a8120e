"""Data types and the metadata section, edited anywhere in a text: only what names them is analyzed anew."""

from __future__ import annotations

import random
import re

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax import splitting
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import cuts_of, difference

_METADATA = """#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": [], "data": []}], "b64ndarrays": [],
"attrs": {"tvm_version": "0.12.0"}}
"""
_TEXT = f"""#[version = "0.0.5"]
type List[A] {{ Cons(A, List[A]), Nil }}
def @chain(%x: int32) -> int32 {{
  %0 = add(%x, 1);
  %1 = multiply(%0, %0);
  %1
}}
type Tree[A] {{ Rose(A, List[Tree[A]]) }}
def @root[A](%t: Tree[A]) -> A {{
  match (%t) {{ Rose(%a, _) => %a }}
}}
def @length[A](%l: List[A]) -> int32 {{
  match (%l) {{ Cons(_, %t) => add(1, @length(%t)), Nil => 0 }}
}}
def @early(%x: int32) -> int32 {{
  %0 = Pair(%x, %x);
  @root(Rose(%x, Nil))
}}
type Both[A] {{ Pair(A, A) }}
def @first(%x: int32) -> Both[int32] {{
  %0 = Pair(%x, %x);
  %0
}}
{_METADATA}"""
_SEEDS = 24
_PARTS = (
    *"(){},;[]ABx#",
    "type ",
    "type New { Pair(int32) }\n",
    "type List { Late }\n",
    "Cons",
    "Nil",
    "Pair",
    "Rose",
    "List[A]",
    "Tree",
    "add",
    "def @new(%x: Both[int32]) { %x }\n",
    "meta[relay.Constant][0]",
    "int32",
)


@pytest.mark.parametrize("part", range(8))
def test_what_edits_of_types_give_is_what_opening_the_text_gives(part: int):
    for seed in range(part, _SEEDS, 8):
        _check(random.Random(seed))


def _check(chance: random.Random) -> None:
    snapshot = Snapshot.open(_TEXT, "example.relay")
    for number in range(5):
        _ = snapshot.diagnostics
        text = snapshot.text
        parts = [match.span() for match in re.finditer(r"type .*|#\[metadata\](?:\n.*)*|\w+", text)]
        start, end = chance.choice([span for span in parts if span[1] - span[0] > 12] or parts)
        at = chance.randint(start, end)
        span = TextSpan(at, min(len(text), at + chance.choice((0, 0, 1, 1, 4))))
        new_text = chance.choice(_PARTS) if span.start == span.end or chance.random() < 0.3 else ""
        if chance.random() < 0.15:  # a whole type moves
            span, new_text = TextSpan(start, end), ""
        edited = snapshot.edit(span, new_text)
        afresh = Snapshot.open(edited.text, "example.relay")
        problem = difference(edited, afresh, chance.randint(0, len(edited.text)), whole=number % 2 == 0)
        assert problem is None, f"{span} became {new_text!r}\n{problem}\n--- before\n{text}\n--- after\n{edited.text}"
        snapshot = edited


def test_statements_that_do_not_name_a_type_are_kept_while_it_is_typed():
    snapshot = Snapshot.open(_TEXT, "example.relay")
    known = snapshot.statement_memo(3)
    at = _TEXT.index("#[metadata]")
    for number, key in enumerate("type Below[A] {\n  Other(A, A),\n}\n"):
        snapshot = snapshot.edit(TextSpan(at + number, at + number), key)
        assert snapshot.is_followed
        assert snapshot.statement_memo(3) is known, snapshot.text


def test_a_constructor_above_its_type_is_reported_where_it_is_used_and_nowhere_else():
    snapshot = Snapshot.open(_TEXT, "example.relay")
    errors = [each for each in snapshot.diagnostics if each.severity is Severity.ERROR]
    assert [each.code for each in errors] == ["constructor-before-type"]
    (related,) = errors[0].related
    assert errors[0].span is not None
    assert errors[0].span.start == _TEXT.index("Pair")
    assert related.span is not None
    assert related.span.start == _TEXT.index("Pair(A, A)")


_SHADOWED = """#[version = "0.0.5"]
def @keep[A, B](%x: int32, %f: fn (A) -> B, %a: A) -> B {
  %0 = add(%x, 1);
  let %b: B = %f(%a);
  %b
}
def @call(%x: int32) -> int32 {
  %0 = B(%x);
  %0
}
"""


@pytest.mark.parametrize(
    "typed", ["type B[C] {\n  Pair(C, C),\n}\n", "type Two[C] {\n  B(C), A,\n}\n", "type A { B(A) }\n"]
)
@pytest.mark.parametrize("used", ["%f(%a)", "B(%a)", "A"])
def test_a_type_with_the_name_of_a_type_parameter_means_nothing_where_that_does(typed: str, used: str):
    snapshot = Snapshot.open(_SHADOWED.replace("%f(%a)", used), "example.relay")
    at = len(snapshot.text)
    keys = [(at + number, at + number, key) for number, key in enumerate(typed)]
    for number, (start, end, key) in enumerate([*keys, *((start, start + 1, "") for start, _, _ in reversed(keys))]):
        _ = snapshot.diagnostics
        snapshot = snapshot.edit(TextSpan(start, end), key)
        if number % 3:
            continue
        problem = difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), 80, whole=True)
        assert problem is None, f"{problem}\n--- after\n{snapshot.text}"


def test_statements_are_kept_while_a_type_with_the_name_of_a_type_parameter_is_typed():
    snapshot = Snapshot.open(_SHADOWED, "example.relay")
    known = snapshot.statement_memo(2)
    for key in "type B[C] {\n  Pair(C, C),\n}\n":
        snapshot = snapshot.edit(TextSpan(len(snapshot.text), len(snapshot.text)), key)
        assert snapshot.statement_memo(2) is known, snapshot.text


def test_a_binding_in_a_type_is_a_statement_as_far_as_a_semicolon_far_below_tells():
    text = "type{%0=type L[type L[ype ;"
    at = text.index("ype ;")
    opened = splitting.split_text(LineIndex(text))
    gone = TextSpan(at, at + 4)
    edited, _ = opened.edited(opened.lines.edited(gone, "}"), gone, 1)
    assert cuts_of(edited.segments) == cuts_of(splitting.split(edited.lines.text))
