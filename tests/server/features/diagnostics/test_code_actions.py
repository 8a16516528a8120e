"""Quick fixes, fixes of all at once, and passes, as they are offered at a place."""

from __future__ import annotations

from relay_lsp.ir.diagnostics import Diagnostic, Fix, LazyFixes, Severity, TextEdit, apply_edits
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.call_parts import attribute_around
from relay_lsp.server.features.diagnostics.code_actions import (
    are_edits_of_all,
    edits_of_all,
    kinds_to_fix,
    near,
    pass_actions,
    quick_fixes,
)
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.features.diagnostics.repairs import with_repairs
from tests.fixture import read_fixture


def diagnostic(start: int, end: int, *fixes: Fix) -> Diagnostic:
    return Diagnostic("unknown-operator", Severity.ERROR, "no such operator", TextSpan(start, end), fixes=fixes)


def fix(start: int, end: int, text: str) -> Fix:
    return Fix(f"Write {text}", (TextEdit(TextSpan(start, end), text),))


def test_the_fixes_at_the_cursor() -> None:
    findings = [diagnostic(0, 3, fix(0, 3, "add")), diagnostic(10, 12, fix(10, 12, "%x"), fix(10, 12, "%y"))]
    here = list(quick_fixes(findings, TextSpan(1, 1)))
    assert [(item.fix.title, item.preferred) for item in here] == [("Write add", True)]
    there = list(quick_fixes(findings, TextSpan(12, 12)))
    assert [item.preferred for item in there] == [False, False]


def test_a_fix_is_at_the_place_that_it_changes_too() -> None:
    fixture = read_fixture("""
def @main(%x: Tensor[(1, 16, 8, 8), float32], %bias: Tensor[(16), float32]) {
  nn.bias_add(%x, %bias, ax$0is=2)
}
""")
    cursor = fixture.cursor
    assert cursor is not None
    attribute = attribute_around(fixture.snapshot, TextSpan(cursor, cursor))
    assert attribute is not None
    assert fixture.snapshot.text[attribute.start : attribute.end] == "axis=2"
    findings = with_repairs(fixture.snapshot, diagnostics(fixture.snapshot))
    assert [item.fix.title for item in quick_fixes(findings, attribute)] == ["Write `axis=1`"]
    assert not list(quick_fixes(findings, TextSpan(5, 6)))


def test_everything_that_has_one_fix_is_fixed_at_once() -> None:
    findings = [diagnostic(0, 3, fix(0, 3, "add")), diagnostic(5, 6, fix(5, 6, "x")), diagnostic(0, 2, fix(0, 2, "no"))]
    assert apply_edits("adt(%y)", edits_of_all(findings)) == "add(%x)"
    assert are_edits_of_all(findings, 2)
    assert not are_edits_of_all(findings, 3)
    assert not are_edits_of_all(findings[:1], 2)


def test_passes_that_would_change_the_buffer_and_pipelines_are_offered() -> None:
    changing = {"FoldConstant": {"@main"}}
    actions = list(pass_actions(changing, "@main", ["SimplifyInference"], {"quantize": ("Legalize",)}))
    assert [action.title for action in actions] == [
        "Run pass FoldConstant",
        "Run pipeline (SimplifyInference)",
        "Run pipeline quantize",
    ]


def test_a_pass_is_offered_for_the_function_at_the_cursor_where_it_changes_several() -> None:
    changing = {"Everywhere": {"@main", "@half"}, "Elsewhere": {"@half", "@other"}, "Here": {"@main"}}
    titles_and_functions = [(action.title, action.function) for action in pass_actions(changing, "@main", [], {})]
    assert titles_and_functions == [
        ("Run pass Everywhere on @main", "@main"),
        ("Run pass Everywhere", ""),
        ("Run pass Elsewhere", ""),
        ("Run pass Here", ""),
    ]


def test_all_of_one_kind_are_fixed_at_once() -> None:
    def finding(code: str, start: int, new: str) -> Diagnostic:
        span = TextSpan(start, start + 1)
        return Diagnostic(code, Severity.ERROR, "", span, fixes=(Fix("", (TextEdit(span, new),)),))

    findings = [
        finding("unknown-operator", 0, "a"),
        finding("unknown-dtype", 2, "b"),
        finding("unknown-operator", 4, "c"),
    ]
    ((code, title),) = kinds_to_fix(findings, quick_fixes(findings, TextSpan(0, 2)))
    assert code == "unknown-operator"
    assert title == "Fix every unknown operator in this file"
    assert apply_edits("x.y.z", edits_of_all(findings, code)) == "a.y.c"


def test_what_mends_a_diagnostic_elsewhere_is_not_worked_out() -> None:
    def worked_out() -> tuple[Fix, ...]:
        raise AssertionError("elsewhere")

    here = diagnostic(0, 3, fix(0, 3, "add"))
    elsewhere = Diagnostic("unknown-operator", Severity.ERROR, "", TextSpan(9, 12), fixes=LazyFixes(worked_out))
    (offered,) = quick_fixes(near([here, elsewhere], TextSpan(0, 8)), TextSpan(1, 1))
    assert offered.diagnostic is here
    assert are_edits_of_all([here, elsewhere], 1)


def test_what_a_hint_proposes_is_not_done_with_everything_else() -> None:
    fixture = read_fixture("""
def @main(%x: float32) -> float32 {
  if (False$0) { %x } else { if (True) { %x } else { exp(%x) } }
}
""")
    findings = diagnostics(fixture.snapshot)
    assert [item.code for item in findings] == ["unreachable", "unreachable"]
    assert not are_edits_of_all(findings, 1)
    assert not edits_of_all(findings)


def check_fix(source: str, title: str, expected: str) -> None:
    """The fix of this title at the cursor gives the text."""
    fixture = read_fixture(source)
    cursor = TextSpan(fixture.offset, fixture.offset)
    fixes = {item.fix.title: item.fix for item in quick_fixes(diagnostics(fixture.snapshot), cursor)}
    assert title in fixes, list(fixes)
    assert apply_edits(fixture.text, fixes[title].edits).partition("\n")[2] == expected


def test_a_misspelled_operator() -> None:
    check_fix(
        "def @main(%x: float32) { sigm$0oyd(%x) }", "Change to `sigmoid`", "def @main(%x: float32) { sigmoid(%x) }"
    )


def test_a_misspelled_value() -> None:
    check_fix("def @main(%xs: float32) { exp(%$0sx) }", "Change to `%xs`", "def @main(%xs: float32) { exp(%xs) }")


def test_a_misspelled_attribute() -> None:
    check_fix(
        "def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(%x, axs$0=1) }",
        "Change to `axis`",
        "def @main(%x: Tensor[(2, 3), float32]) { nn.softmax(%x, axis=1) }",
    )


def test_a_misspelled_function() -> None:
    check_fix(
        "def @half(%x: float32) -> float32 { %x }\ndef @main(%x: float32) { @ha$0f(%x) }",
        "Change to `@half`",
        "def @half(%x: float32) -> float32 { %x }\ndef @main(%x: float32) { @half(%x) }",
    )


def test_a_misspelled_dtype() -> None:
    check_fix(
        "def @main(%x: Tensor[(2, 3), floot$032]) { %x }",
        "Change to `float32`",
        "def @main(%x: Tensor[(2, 3), float32]) { %x }",
    )


def test_a_misspelled_constructor_in_an_arm() -> None:
    head = "type Option[A] { Some(A), None, }\n"
    check_fix(
        head + "def @main(%o: Option[float32]) { match? (%o) { Som$0(%x) => %x } }",
        "Change to `Some`",
        head + "def @main(%o: Option[float32]) { match? (%o) { Some(%x) => %x } }",
    )


def test_missing_arms() -> None:
    check_fix(
        """
type Option[A] { Some(A), None, }
def @main(%o: Option[float32]) -> float32 {
  ma$0tch (%o) {
    Some(%x) => %x
  }
}
""",
        "Add the missing arm",
        """type Option[A] { Some(A), None, }
def @main(%o: Option[float32]) -> float32 {
  match (%o) {
    Some(%x) => %x,
    None => { () },
  }
}
""",
    )


def test_a_missing_token_in_a_broken_text() -> None:
    check_fix("def @main(%x: float32) { add(%x, %x$0 }", "Insert `)`", "def @main(%x: float32) { add(%x, %x) }")
