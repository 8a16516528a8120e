"""A fault that a text repeats is analyzed once, and each time it is found at its own place; what is alike, once too."""

from __future__ import annotations

from unittest import mock

import pytest

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.semantic.alike_faults import AlikeFaults
from relay_lsp.ir.semantic.faulty_templates import FaultyTemplates
from relay_lsp.ir.semantic.lowered_statement import LoweredStatement
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.semantic.template_cache import TemplateCache
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics

_HEAD = """#[version = "0.0.5"]
type L { A, B }
def @g(%q: int32) { %q }
def @main(%x: Tensor[(3, 4), float32], %y: Tensor[(7, 9), float32], %l: L[]) {
"""

_FAULTS = (
    'add(%x, a="b")', "add(%x, %y)", "nn.rellu(%x)", "nn.relu(%nothing)", "@nothing(%x)", '@g("a")', "add(%x)",
    "add(%x,, %y)", "add(%x %y)", 'cast(%x, dtype="flooat")', "(%x, %y).7", "%x.0", "%x(%y)", "add(%x, %y);",
    "fn (%unused: int32) { add(%x, %y) }", "if (%x) { %x } else { %y }", "match (%l) { A => 1 }", "add(%x, /* %y)",
    'add(%x, "a)', "add(%x, %y",
)  # fmt: skip


def _text(fault: str, count: int) -> str:
    lines = "".join(f"  %{number} = {fault};\n" for number in range(count))
    return f"{_HEAD}{lines}  %x\n}}\n"


def _shown(findings: list[Diagnostic]) -> list[tuple[object, ...]]:
    return [(each.code, each.message, each.span, each.related, tuple(each.fixes)) for each in findings]


@pytest.mark.parametrize("fault", _FAULTS)
def test_what_is_said_of_each_is_what_is_said_of_it_alone(fault: str) -> None:
    text = _text(fault, 12)  # the numbers of the last are longer than those of the first
    shared = _shown(list(diagnostics(Snapshot.open(text, "alike"))))
    with (
        mock.patch.object(AlikeFaults, "statement", return_value=None),
        mock.patch.object(AlikeFaults, "lowered", return_value=None),
    ):
        assert _shown(list(diagnostics(Snapshot.open(text, "alone")))) == shared


@pytest.mark.parametrize("fault", _FAULTS[:14])
def test_ten_times_as_many_take_no_more_work(fault: str) -> None:
    lowered = {60: 0, 600: 0}
    for count in lowered:
        with mock.patch.object(
            LoweredStatement, "__init__", autospec=True, side_effect=LoweredStatement.__init__
        ) as made:
            assert diagnostics(Snapshot.open(_text(fault, count), "many"))
        lowered[count] = made.call_count
    assert lowered[600] <= lowered[60] + 5


def test_operators_of_other_names_share_what_is_said_once_none_is_suggested() -> None:
    """Ten thousand of them took 18 s."""
    lines = "".join(f"  %{number} = nn.rellu{number}z(%x, /* here */ %y);\n" for number in range(60))
    text = f"{_HEAD}{lines}  %x\n}}\n"
    with mock.patch("relay_lsp.ir.syntax.suggestions.MOST_UNKNOWN_NAMES", 7):
        with mock.patch.object(
            LoweredStatement, "__init__", autospec=True, side_effect=LoweredStatement.__init__
        ) as made:
            shared = _shown(list(diagnostics(Snapshot.open(text, "alike"))))
        with (
            mock.patch.object(AlikeFaults, "statement", return_value=None),
            mock.patch.object(AlikeFaults, "lowered", return_value=None),
        ):
            assert _shown(list(diagnostics(Snapshot.open(text, "alone")))) == shared
    messages = [message for code, message, *_ in shared if code == "undefined-operator"]
    assert messages[6:8] == ["unknown operator nn.rellu6z; did you mean nn.relu?", "unknown operator nn.rellu7z"]
    assert len(messages) == 60
    assert made.call_count < 25


def test_each_edit_has_what_was_meant_looked_for() -> None:
    snapshot = Snapshot.open(f"{_HEAD}  %0 = nn.relu(%x);\n  %0\n}}\n", "typed")
    with mock.patch("relay_lsp.ir.syntax.suggestions.MOST_UNKNOWN_NAMES", 3):
        for _ in range(6):
            at = snapshot.text.index("(%x)")
            snapshot = snapshot.edit(TextSpan(at, at), "u")
            [error] = [each for each in snapshot.diagnostics if each.code == "undefined-operator"]
            assert error.message.endswith("; did you mean nn.relu?")


def test_a_binding_of_a_name_that_is_bound_already_takes_the_same_each_time() -> None:
    """Ten thousand of them took 5 s."""
    text = f"{_HEAD}{'  let %a = nn.relu(%x);' * 3_000}\n  %a\n}}\n"
    with mock.patch("relay_lsp.ir.semantic.bound_names.sorted", create=True, side_effect=sorted) as sort:
        snapshot = Snapshot.open(text, "bound")
    assert sum("%a" in each.message for each in snapshot.diagnostics) + snapshot.unplaced_findings == 2_999
    assert not sort.called


_DIFFERING = (
    "add(%x, Nf)", "(N, Nf, -Ni64)", "if (True) { Nf } else { 1f }", "ref(N)", "fn (%q: int32) { add(%q, N) }",
    "@fN(%x)", "add(@fN(%x), @gN(%x, Nf))", "match (%l) { A => N, B => 2, A => 3 }", "@g(Nf)", "multiply(%x, Ni64)",
    "fn (%q: int32, aN=1, b=2) { %q }", "fn [A](%q: A, a=1, bN=2) { add(%q, Nf) }",
)  # fmt: skip
"""What differs in the functions that it names, in the values of constants, and in the attributes of functions."""


def _differing(statement: str, count: int) -> str:
    lines = "".join(f"  let %a{number} = {statement.replace('N', str(number))};\n" for number in range(count))
    head = _HEAD.replace("int32) {", "int32) -> int32 {")
    return f"{head}{lines}  %x\n}}\n"


@pytest.mark.parametrize("statement", _DIFFERING)
def test_of_what_differs_in_functions_and_constants_is_said_what_is_said_of_it_alone(statement: str) -> None:
    text = _differing(statement, 12)
    together = _shown(list(diagnostics(Snapshot.open(text, "alike"))))
    with mock.patch.object(TemplateCache, "_template_of", return_value=None):  # no statement stands for another
        assert _shown(list(diagnostics(Snapshot.open(text, "alone")))) == together


@pytest.mark.parametrize("statement", _DIFFERING)
def test_what_differs_in_functions_and_constants_is_lowered_once_where_it_is_not_shown(statement: str) -> None:
    with (
        mock.patch("relay_lsp.ir.semantic.statement_findings.MOST_DIAGNOSTICS", 20),
        mock.patch.object(LoweredStatement, "__init__", autospec=True, side_effect=LoweredStatement.__init__) as made,
    ):
        assert diagnostics(Snapshot.open(_differing(statement, 600), "many"))
    assert made.call_count < 60


_AT_FAULT = (
    "nn.softmax(%x, axissN=1)", "match (%l) { AN => 1 }", "(let %c = 1f; Nf)", "{ Nf }", "N N", "relu<N>(%x)",
    "add(%x, Nq7)", "fn (%q: TN) { %q }", "nn.relu(%x, fooN)", "if (True) { foN(%x) } else { %x }", "wordN",
    "add(%x, (Nf)", "add(wordN, nn.relu(word8))", "(%x, %y).3 Nf",
)  # fmt: skip
"""What is at fault, and differs in words that mean nothing, or in the values of constants."""


@pytest.mark.parametrize("statement", _AT_FAULT)
def test_of_what_differs_in_unknown_words_is_said_what_is_said_of_it_alone(statement: str) -> None:
    text = _differing(statement, 14)
    with mock.patch("relay_lsp.ir.syntax.suggestions.MOST_UNKNOWN_NAMES", 5):
        together = _shown(list(diagnostics(Snapshot.open(text, "alike"))))
        with mock.patch.object(FaultyTemplates, "like", return_value=None):
            assert _shown(list(diagnostics(Snapshot.open(text, "alone")))) == together


@pytest.mark.parametrize("statement", _AT_FAULT)
def test_what_differs_in_unknown_words_is_lowered_once_where_it_is_not_shown(statement: str) -> None:
    with (
        mock.patch("relay_lsp.ir.semantic.statement_findings.MOST_DIAGNOSTICS", 20),
        mock.patch("relay_lsp.ir.syntax.suggestions.MOST_UNKNOWN_NAMES", 5),
        mock.patch.object(LoweredStatement, "__init__", autospec=True, side_effect=LoweredStatement.__init__) as made,
    ):
        assert diagnostics(Snapshot.open(_differing(statement, 600), "many"))
    assert made.call_count < 120


def test_a_word_that_comes_to_mean_something_is_read_again() -> None:
    with mock.patch("relay_lsp.ir.syntax.suggestions.MOST_UNKNOWN_NAMES", 5):
        snapshot = Snapshot.open(_differing("fn (%q: TN[]) { match (%q) { BN => 1 } }", 30), "typed")
        at = snapshot.text.index("def @main")
        edited = snapshot.edit(TextSpan(at, at), "type T20 { B20 }\n")
        afresh = Snapshot.open(edited.text, "afresh")
    assert [(each.code, each.span) for each in edited.diagnostics] == [
        (each.code, each.span) for each in afresh.diagnostics
    ]
    lines = {
        edited.text.count("\n", 0, each.span.start)
        for each in edited.diagnostics
        if each.span and each.code != "unused-value"
    }
    assert edited.text[: edited.text.index(": T20[]")].count("\n") not in lines


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("add(%x, 1f)", "add(%x, 1)"),
        ("(%x, %y).0", "(%x, %y).1"),
        ("nn.softmax(%x, axis=1)", "nn.softmax(%x, axis=2)"),
        ('zeros(shape=[2], dtype="float32")', 'zeros(shape=[3], dtype="float32")'),
        ("@one(%x)", "@two(%x)"),
        ("add(@one(%x), @one(%x))", "add(@one(%x), @two(%x))"),
        ("99999999999", "9"),
    ],
)
def test_numbers_and_functions_that_decide_a_type_are_looked_at(first: str, second: str) -> None:
    functions = "def @one(%q: Tensor[(3, 4), float32]) -> int32 { 1 }\n"
    functions += "def @two(%q: Tensor[(3, 4), float32]) -> float32 { 1f }\n"
    head = _HEAD.replace("def @g", functions + "def @g").replace("int32) {", "int32) -> int32 {")

    def types(*values: str) -> list[object]:
        lines = "".join(f"  let %a{number} = {value};\n" for number, value in enumerate(values))
        snapshot = Snapshot.open(f"{head}{lines}  %x\n}}\n", "types")
        return [symbol.type for symbol in snapshot.symbols if symbol.name.startswith("%a")]

    assert types(first, second, first) == [*types(first), *types(second), *types(first)]


def test_a_call_names_the_function_that_it_is_written_with() -> None:
    functions = "def @g2(%q: int32) -> float32 { 1f }\ndef @g(%q: int32) -> int32 { %q }\n"
    lines = "  let %a = @g(1);\n  let %b = @g2(1);\n"
    text = f'#[version = "0.0.5"]\n{functions}def @main() -> float32 {{\n{lines}  %b\n}}\n'
    snapshot = Snapshot.open(text, "named")
    assert not [each for each in snapshot.diagnostics if each.severity is Severity.ERROR]
    assert set(dict(snapshot.calls)["@main"]) == {"@g", "@g2"}
    called = snapshot.symbol_at(text.index("@g2(1)") + 1)
    assert called is not None
    assert (called.name, str(called.type)) == ("@g2", "fn (int32) -> float32")


def test_a_fault_of_a_sequence_without_a_place_of_its_own_has_the_whole_function_read():
    head = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32], %y: Tensor[(8), float32]) {\n'
    text = f"{head}  let %a: Tensor[(8), float64] =\n    let %b = sigmoid(%x);\n    multiply(%b, %y);\n  %y\n}}\n"
    found = Snapshot.open(text, "example.relay").findings
    assert [each.code for each in found] == ["type-mismatch"]


def test_a_comment_that_ends_a_line_tells_how_a_fault_is_mended():
    first = "  exp(%x) /* a comment */ nn.relu(%x);\n"
    text = f"{_HEAD}{first}{first.replace('a comment', chr(10))}  %x\n}}\n"
    found = [each.message for each in Snapshot.open(text, "example.relay").findings]
    assert "unexpected `nn.relu`: expected `;`" in found
    assert "expected `;`, found `nn.relu`" in found


def test_types_at_fault_are_said_with_the_names_of_each_statement():
    """What is said of one statement is said of those that differ in names alone with theirs, as if each were read."""
    head = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32], %yy: Tensor[(4, 5), float32]) {\n'
    lines = "".join(
        f"  let %v{number} = nn.relu(%yy);\n  let %sum{number} = add(%x, %v{number});\n" for number in range(8, 12)
    )
    text = f"{head}{lines}  let %other = add(%yy, %x);\n  %other\n}}\n"
    found = [each for each in Snapshot.open(text, "example.relay").diagnostics if each.code == "type-mismatch"]
    whole = [each for each in Snapshot.open_whole(text, "example.relay").diagnostics if each.code == "type-mismatch"]
    assert len(found) == 5
    assert [(each.message, each.span) for each in found] == [(each.message, each.span) for each in whole]
    places = [
        [text[other.span.start : other.span.end] for other in each.related if other.span is not None] for each in found
    ]
    assert places == [*(["%x", f"%v{number}", "%x"] for number in range(8, 12)), ["%yy", "%x", "%yy"]]
