"""Which values of a text stand where after edits by hand."""

from __future__ import annotations

import pytest

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.history.text_map import TextMap

TEXT = """def @main(%x: Tensor[(4), float32]) {
  %0 = exp(%x);
  %1 = nn.relu(%0);
  let %a = tanh(%1);
  %2 = add(%a, %0);
  %3 = add(%2, %2);
  sqrt(%3)
}
"""


def fates(old: str, new: str, *values: str) -> list[str]:
    """What became of values of a text: the words that it has now, with ``!`` where it was edited, ``-`` for none.

    The way back must lead to where it started.
    """
    between = TextMap(LineIndex(old), LineIndex(new))
    found: list[str] = []
    for value in values:
        start = old.index(value)
        mapped = between.to_new(TextSpan(start, start + len(value)))
        if mapped is None:
            found.append("-")
            continue
        back = between.to_old(mapped.span)
        assert back is not None
        assert (old[back.span.start : back.span.end], back.edited) == (value, mapped.edited)
        found.append(new[mapped.span.start : mapped.span.end] + "!" * mapped.edited)
    return found


VALUES = ("exp(%x)", "nn.relu(%0)", "tanh(%1)", "add(%a, %0)", "add(%2, %2)", "sqrt(%3)")


def test_what_was_not_edited_is_where_it_was():
    assert fates(TEXT, TEXT, *VALUES) == list(VALUES)


def test_any_number_of_regions_may_be_edited():
    new = TEXT.replace("exp(%x)", "log(%x)").replace("sqrt", "rsqrt").replace("  let", "\n  // a line\n  let")
    assert fates(TEXT, new, *VALUES) == ["log(%x)!", *VALUES[1:5], "rsqrt(%3)!"]


def test_layout_and_comments_change_nothing():
    new = TEXT.replace("  ", "\t").replace("(%0)", "(\n%0 /* a */ )").replace(";", " /* si=[b] */;")
    expected = [value.replace("(%0)", "(\n%0 /* a */ )") for value in VALUES]
    assert fates(TEXT, new, *VALUES) == expected


def test_a_renamed_value_is_followed_to_all_its_uses():
    new = TEXT.replace("%a", "%product").replace("%x", "%data")
    assert fates(TEXT, new, *VALUES) == [value.replace("%a", "%product").replace("%x", "%data") for value in VALUES]


def test_another_operand_is_an_edit():
    new = TEXT.replace("add(%a, %0)", "add(%a, %1)")
    assert fates(TEXT, new, *VALUES)[3:] == ["add(%a, %1)!", "add(%2, %2)", "sqrt(%3)"]


def test_what_was_deleted_is_gone_and_what_was_inserted_is_new():
    new = TEXT.replace("  %3 = add(%2, %2);\n", "").replace("sqrt(%3)", "sqrt(%2)")
    assert fates(TEXT, new, *VALUES) == [*VALUES[:4], "-", "sqrt(%2)!"]
    inserted = TEXT.replace("  let", "  %9 = log(%0);\n  let")
    assert fates(TEXT, inserted, *VALUES) == list(VALUES)
    place = inserted.index("log(%0)")
    assert TextMap(LineIndex(TEXT), LineIndex(inserted)).to_old(TextSpan(place, place + 7)) is None


def test_a_statement_that_moved_is_followed():
    lines = TEXT.splitlines(keepends=True)
    new = "".join([*lines[:1], *lines[2:5], lines[1], *lines[5:]])
    assert fates(TEXT, new, *VALUES) == list(VALUES)


def test_parts_of_an_edited_statement_that_are_as_they_were_are_followed():
    old = "def @main(%x: float32) {\n  add(exp(%x), multiply(%x, 2f))\n}\n"
    new = old.replace("2f", "3f")
    assert fates(old, new, "exp(%x)", "multiply(%x, 2f)") == ["exp(%x)", "multiply(%x, 3f)!"]


@pytest.mark.parametrize("edit", ["nn.relu", "def @main", "%0", "}"])
def test_following_edits_one_by_one_ends_where_comparing_does(edit: str):
    index, mapped = LineIndex(TEXT), TextMap(LineIndex(TEXT), LineIndex(TEXT))
    for span, text in ((TextSpan(TEXT.index(edit), TEXT.index(edit) + 1), "Q"), (TextSpan(0, 0), "// above\n")):
        index = index.edited(span, text)
        mapped = mapped.followed(index)
    fresh = TextMap(LineIndex(TEXT), index)
    spans = [TextSpan(TEXT.index(value), TEXT.index(value) + len(value)) for value in VALUES]
    assert [mapped.to_new(span) for span in spans] == [fresh.to_new(span) for span in spans]
    assert mapped.followed(LineIndex(TEXT)).is_identity


LETS = "".join(
    f"  let %{name} = {value};\n" for name, value in (("a", "exp(%x)"), ("b", "tanh(%x)"), ("c", "sqrt(%x)"))
)


def test_a_statement_that_was_moved_and_edited_is_followed_by_its_name():
    new = "".join(sorted(LETS.splitlines(keepends=True)[1:])) + "  let %a = log(%x);\n"
    assert fates(LETS, new, "exp(%x)", "tanh(%x)", "sqrt(%x)") == ["log(%x)!", "tanh(%x)", "sqrt(%x)"]


def test_the_same_statement_written_again_takes_nothing_from_the_first():
    """Though every line is laid out anew."""
    new = LETS.replace("  let %b", "  let %again = tanh(%x);\n  let %b").replace("  let", "\tlet")
    between = TextMap(LineIndex(LETS), LineIndex(new))
    start = LETS.index("tanh(%x)")
    mapped = between.to_new(TextSpan(start, start + len("tanh(%x)")))
    assert mapped is not None
    assert (mapped.span.start, mapped.edited) == (new.index("tanh(%x)", new.index("%b")), False)


def test_a_statement_that_was_moved_and_renamed_is_followed_by_its_value():
    lines = ["let %a = exp(%x);", "let %b = tanh(%x);", "let %c = sqrt(%x);", "let %d = log(%x);"]
    moved = [lines[3].replace("%d", "%other"), *lines[:3]]
    old, new = ("def @main(%x: float32) {{\n  {}\n  ()\n}}\n".format("\n  ".join(each)) for each in (lines, moved))
    assert fates(old, new, "exp(%x)", "log(%x)") == ["exp(%x)", "log(%x)"]
    # Of two that had the value, none is said to be the other.
    old = old.replace("  ()", "  let %e = log(%x);\n  ()")
    assert fates(old, new, "exp(%x)", "log(%x)") == ["exp(%x)", "-"]


RETURNED = """def @main(%x: Tensor[(4), float32]) {
  let %a = exp(%x);
  let %b = tanh(%x);
  let %c = sqrt(%x);
  (%a, %b, %c)
}
"""


def test_a_statement_that_was_renamed_and_edited_is_followed_by_its_use_whatever_was_written_elsewhere():
    edited = RETURNED.replace("let %c = sqrt", "let %other = log").replace("%c)", "%other)")
    assert fates(RETURNED, edited, "sqrt(%x)") == ["log(%x)!"]
    longer = edited.replace("  let %b", "  let %new = erf(%x);\n  let %b").replace("(%a,", "(%a, %new,")
    assert fates(RETURNED, longer, "tanh(%x)", "sqrt(%x)") == ["tanh(%x)", "log(%x)!"]


def test_of_two_statements_that_went_neither_is_said_to_be_the_one_that_was_renamed_and_edited():
    new = RETURNED.replace("  let %b = tanh(%x);\n", "").replace("let %c = sqrt", "let %other = log")
    new = new.replace("(%a, %b, %c)", "(%a, %other)")
    assert fates(RETURNED, new, "exp(%x)", "tanh(%x)", "sqrt(%x)") == ["exp(%x)", "-", "-"]
