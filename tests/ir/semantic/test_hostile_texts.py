"""No text hurts: whatever it is, it gets its diagnostics in time that goes with its length, and never an exception."""

from __future__ import annotations

import time

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from tests.hostile_figures import seconds_allowed, slowness
from tests.hostile_texts import HOSTILE_TEXTS

_SHARED_MACHINE = 3.0
"""How much longer a machine may take that has other work, besides what its processor is slower then."""

_TRIES = 3
"""A text may be read again so often where it took too long: other work of the machine only ever makes it slower."""


@pytest.mark.usefixtures("collecting_as_a_server")
@pytest.mark.parametrize("name", HOSTILE_TEXTS)
@pytest.mark.parametrize("size", [100, 1_000, 10_000], ids=["a tenth", "once", "ten times"])
def test_a_hostile_text_gets_its_diagnostics_in_time(name: str, size: int) -> None:
    text = HOSTILE_TEXTS[name](size)
    seconds, allowed = 0.0, _SHARED_MACHINE * seconds_allowed(text)
    for _ in range(_TRIES):
        started = time.process_time()
        findings = diagnostics(Snapshot.open(text, "hostile.relay"))
        seconds = time.process_time() - started
        if seconds < allowed or seconds < allowed * slowness():
            break
    else:
        pytest.fail(f"took {seconds:.2f} s, and {allowed:.2f} are allowed where the processor is not slowed down")
    for finding in findings:
        assert finding.code != "internal-error"
        assert finding.span is None or 0 <= finding.span.start <= finding.span.end <= len(text)
        assert len(finding.message) < 5_000


def test_parentheses_that_nest_too_deep_cost_their_statement() -> None:
    depth = 3_000
    body = "(" * depth + "%x" + ")" * depth
    text = f'#[version = "0.0.5"]\ndef @main(%x: float32) {{\n  %0 = {body};\n  nn.rellu(%0)\n}}\n'
    errors = [finding for finding in Snapshot.open(text, "deep.relay").diagnostics if finding.code != "unused-value"]
    assert [finding.code for finding in errors] == ["unexpected-token", "undefined-operator"]
    assert errors[0].message == "parentheses nest more than 2,500 deep here"
    assert errors[0].span is not None
    assert errors[0].span.start == text.index("(((") + 2_500


def test_semicolons_that_end_nothing_are_one_finding() -> None:
    text = '#[version = "0.0.5"]\ndef @main(%x: float32) {\n  ;; ;\n  %x\n}\n'
    finding = Snapshot.open(text, "empty.relay").diagnostics[0]
    assert finding.message == "expected an expression, found 3 `;`"
    assert [edit.new_text for fix in finding.fixes for edit in fix.edits] == [""]


def test_an_arm_whose_pattern_has_a_block_in_it_is_read() -> None:
    arm = "Cons(_, %rest) => ){\n      add(1,fn () {  @length(%rest))\n    },\n    Nil  }=> 0,\n"
    text = f'#[version = "0.0.5"]\ndef @main(%list: int32) {{\n  match (%list-> ) ({{\n    {arm}  }}\n}}\n'
    codes = {finding.code for finding in Snapshot.open(text, "arms.relay").diagnostics}
    assert codes
    assert "internal-error" not in codes


def test_an_arm_with_braces_behind_its_pattern_and_an_arrow_behind_them_is_read() -> None:
    text = '#[version = "0.0.5"]\ndef @main(%x: int32) {\n  match (%x) {\n    _\n    {} => 1,\n  }\n}\n'
    codes = [finding.code for finding in Snapshot.open(text, "arms.relay").diagnostics]
    assert "expected-token" in codes
    assert "internal-error" not in codes


def test_a_binding_without_its_equals_that_uses_its_own_name_is_read_once() -> None:
    text = '#[version = "0.0.5"]\ndef @main() {\n  %0(%{%0;'
    codes = [finding.code for finding in Snapshot.open(text, "binding.relay").diagnostics]
    assert codes
    assert "internal-error" not in codes


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_an_edit_of_a_hostile_text_is_followed(name: str) -> None:
    text = HOSTILE_TEXTS[name](200)
    middle = len(text) // 2
    edited = Snapshot.open(text, "hostile.relay").edit(TextSpan(middle, middle), " ")
    assert edited.diagnostics == Snapshot.open(edited.text, "hostile.relay").diagnostics


def test_what_is_no_text_can_be_asked_for_its_symbols() -> None:
    snapshot = Snapshot.open("def@length(%list: fn (_) -> _\0", "hostile.relay")
    assert "not-text" in [finding.code for finding in snapshot.diagnostics]
    assert "@length" not in [symbol.name for symbol in snapshot.scope_at(5)]


@pytest.mark.parametrize(
    "head", ["def\ud800 @g(%x: int32)", "def @g(\0%x: int32)", "def , @g(%x: int32)", "def @g(%x: int32"]
)
def test_the_name_of_a_function_with_an_odd_head_leads_to_its_definition_or_nowhere(head: str) -> None:
    text = f"{head} {{\n  %x\n}}\ndef @main(%x: int32) {{\n  @g(%x)\n}}\n"
    symbol = Snapshot.open(text, "hostile.relay").symbol_at(text.rindex("@g") + 1)
    assert symbol is None or text[symbol.span.start : symbol.span.end] == "@g"
