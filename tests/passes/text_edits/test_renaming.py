"""When an edited text need not be read back."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir.expressions import Constant
from relay_lsp.passes.text_edits.layout import layout_of
from relay_lsp.passes.text_edits.metadata_indices import MetadataIndices
from relay_lsp.passes.text_edits.renaming import renaming

CANONICAL = """
def @main(%x: Tensor[(2), float32]) {
  %0 = nn.relu(%x);
  %1 = exp(%x);
  %2 = fn (%p0: Tensor[(2), float32]) {
    add(%p0, %0)
  };
  %3 = %2(%1);
  add(%3, %0)
}
"""


def renamed(edited: str, canonical: str = CANONICAL) -> bool:
    return renaming(layout_of(edited), layout_of(canonical)) is not None


@pytest.mark.parametrize(("edits", "why"), [
    ([], "the text itself"),
    ([("%3", "%9"), ("%0", "%7")], "other names"),
    ([("%x", "%image"), ("%p0", "%data")], "other names of parameters"),
    ([("%p0", "%x")], "a parameter that hides another, which is not used there"),
    ([("nn.relu(%x)", "nn.relu( /* the first */ %x )")], "spaces and comments"),
    ([("  add(%3, %0)", "  %4 = add(%3, %0);\n  %4")], "a result with a name"),
    ([("%0 = nn.relu(%x);\n  %1 = exp(%x);", "%1 = exp(%x);\n  %0 = nn.relu(%x);")], "another order"),
])  # fmt: skip
def test_a_text_says_the_same_with(edits: list[tuple[str, str]], why: str) -> None:
    edited = CANONICAL
    for old, new in edits:
        edited = edited.replace(old, new)
    assert renamed(edited), why


@pytest.mark.parametrize(("old", "new", "why"), [
    ("exp(%x)", "log(%x)", "another operator"),
    ("%1 = exp(%x)", "%1 = exp(%0)", "another operand"),
    ("add(%3, %0)", "add(%0, %3)", "operands in another order"),
    ("(2)", "(3)", "another type"),
    ("%2 = fn", "%1 = fn", "a name that is bound twice"),
    ("  %1 = exp(%x);\n", "  %1 = exp(%x);\n  %8 = exp(%x);\n", "a value that no other uses"),
    ("@main", "@other", "another function"),
    ("  add(%3, %0)", "  %4 = exp(%3);\n  %4", "another result with a name"),
    ("add(%3, %0)\n", "%0\n", "a value with a name as the result"),
    ("  %0 = nn.relu(%x);\n  %1 = exp(%x);\n", "  %1 = exp(%0);\n  %0 = nn.relu(%x);\n", "a use before its value"),
])  # fmt: skip
def test_a_text_may_say_something_else_with(old: str, new: str, why: str) -> None:
    assert old in CANONICAL
    assert not renamed(CANONICAL.replace(old, new)), why


def test_what_is_bound_by_let_keeps_its_order() -> None:
    text = "def @main(%x: int32) {\n  let %a = ref(%x);\n  let %b = ref(%x);\n  (%a, %b)\n}\n"
    swapped = "def @main(%x: int32) {\n  let %b = ref(%x);\n  let %a = ref(%x);\n  (%a, %b)\n}\n"
    assert renamed(text.replace("%a", "%first"), text)
    assert not renamed(swapped, text)


TWO_FUNCTIONS = """
def @main(%x: Tensor[(2), float32]) {
  %0 = fn (%p0: Tensor[(2), float32]) {
    add(%p0, %x)
  };
  %1 = %0(%x);
  %2 = fn (%p01: Tensor[(2), float32], %p1: Tensor[(2), float32]) {
    subtract(%p01, %p1)
  };
  %2(%1, %x)
}
"""


def test_what_is_bound_in_one_statement_may_have_a_name_of_another() -> None:
    assert renamed(TWO_FUNCTIONS.replace("%p01", "%p0"), TWO_FUNCTIONS)
    assert renamed(TWO_FUNCTIONS.replace("%p01", "%p").replace("%p0", "%p"), TWO_FUNCTIONS)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("%p0:", "%x:", "a parameter that takes what is used of the function around it"),
        ("%p01", "%p1", "two parameters of one name"),
        ("subtract(%p01, %p1)", "subtract(%p1, %p01)", "two parameters that change places"),
        ("add(%p0, %x)", "add(%x, %p0)", "operands that change places"),
    ],
)
def test_what_is_bound_in_one_statement_is_told_from_all_else_there(old: str, new: str, why: str) -> None:
    edited = TWO_FUNCTIONS.replace(old, new)
    if old == "%p0:":
        edited = edited.replace("add(%p0", "add(%x")
    assert edited != TWO_FUNCTIONS
    assert not renamed(edited, TWO_FUNCTIONS), why


def test_functions_of_data_types_are_compared_as_others() -> None:
    text = """
type Box[A] {
  Box(A),
  Empty,
}
def @main(%b: Box[int32]) {
  match (%b) {
    Box(%a: int32) => {
      %a
    },
    Empty => {
      0
    },
  }
}
"""
    assert renamed(text.replace("%a", "%inside"), text)
    assert not renamed(text.replace("Empty =>", "_ =>"), text)


def test_references_to_metadata_are_compared_by_what_they_are_to() -> None:
    one, other, third = (Constant(np.full((2,), value, "float32")) for value in (1, 2, 1))
    key = "relay.Constant"
    indices = MetadataIndices({key: [one, other]}, {key: [other, third]})
    edited, canonical = (
        layout_of(f"def @main(%x: Tensor[(2), float32]) {{\n  add(%x, meta[{key}][{index}])\n}}\n") for index in (0, 1)
    )
    assert renaming(edited, canonical, (), indices.are_same) is not None
    assert renaming(edited, canonical) is None
    assert renaming(edited, edited, (), indices.are_same) is None
    assert not indices.has_grown


def test_a_result_type_that_the_body_tells_need_not_be_stated() -> None:
    stated = CANONICAL.replace(") {\n  %0", ") -> Tensor[(2), float32] {\n  %0")
    assert stated != CANONICAL
    assert renaming(layout_of(CANONICAL), layout_of(stated), {"@main"}) is not None
    assert renaming(layout_of(CANONICAL), layout_of(stated)) is None
    assert renaming(layout_of(stated), layout_of(CANONICAL), {"@main"}) is None
