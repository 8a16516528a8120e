"""A fault that a text repeats is analyzed once, and each time it is found at its own place."""

from __future__ import annotations

from unittest import mock

import pytest

from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.semantic.alike_faults import AlikeFaults
from relay_lsp.ir.semantic.lowered_statement import LoweredStatement
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics import diagnostics

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
