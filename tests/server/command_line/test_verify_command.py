"""``relay-lsp opt --verify`` and ``bisect``: whether passes keep what a file computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from relay_lsp.passes.infrastructure import extensions
from relay_lsp.server.command_line.program import run
from tests.server.command_line.models import MODEL

WRONG_PASS = """
from relay_lsp.ir.ops import get
from relay_lsp.ir.expressions import Call
from relay_lsp.passes import FunctionPass, declare_pass
from relay_lsp.passes.provenance import ExprMutator

@declare_pass(opt_level=0)
class HalfOf(FunctionPass):
    \"\"\"Subtract where the module multiplies: wrong.\"\"\"

    def transform_function(self, function, module, context):
        return Rewriter().visit_function(function)

class Rewriter(ExprMutator):
    def rewrite_call(self, pre, post):
        return Call(get("subtract"), post.args) if pre.op is get("multiply") else post
"""


@pytest.fixture
def wrong_pass(tmp_path: Path) -> Iterator[None]:
    path = tmp_path / "half_of.py"
    path.write_text(WRONG_PASS)
    assert extensions.load_file(path).passes == ("HalfOf",)
    yield
    extensions.unload(str(path.resolve()))


def test_passes_are_verified_before_their_result_is_given(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["opt", "--verify", "--pass", "EliminateCommonSubexpr", str(model)]) == 0
    result = capsys.readouterr()
    assert "multiply(%0, %0)" in result.out
    assert "verified: 1 step compared, the largest difference is 0" in result.err


def test_a_pass_that_changes_the_result_gives_none(
    model: Path, wrong_pass: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["opt", "--verify", "--in-place", "--pass", "HalfOf", str(model)]) == 1
    assert "HalfOf changes the result: " in capsys.readouterr().err
    assert model.read_text() == MODEL


def test_bisect_names_the_pass_and_shows_the_place(
    model: Path, wrong_pass: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bisect", "--pass", "EliminateCommonSubexpr", "--pass", "HalfOf", str(model)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split(maxsplit=1) == ["EliminateCommonSubexpr", "apart by 0"]
    assert any(line.startswith(f"{model}:5:3: error[pass-failed]: HalfOf changes the result") for line in lines)
    assert lines[-1] == "pass 2 of 2, HalfOf, changes the result"


def test_bisect_is_content_with_sound_passes(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bisect", "--pass", "EliminateCommonSubexpr", "--pass", "FuseOps", str(model)]) == 0
    assert "no pass goes wrong: 2 steps compared" in capsys.readouterr().out


def test_bisect_tells_of_an_option_that_is_missing(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bisect", "--pass", "ConvertLayout", str(model)]) == 1
    assert "option desired_layouts must be given" in capsys.readouterr().err


INCOMPARABLE = MODEL.replace("%x: ", "%f: fn (Tensor[(4), float32]) -> Tensor[(4), float32], %x: ")
"""The model with a parameter for which there are no random values."""


@pytest.mark.parametrize("command", [["opt", "--verify"], ["bisect"]])
def test_what_could_not_be_compared_is_not_verified(
    command: list[str], model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(INCOMPARABLE)
    assert run([*command, "--pass", "EliminateCommonSubexpr", str(model)]) == 2
    said = capsys.readouterr()
    assert "what the passes keep is not known: nothing could be compared: a parameter has the type fn (" in said.err
    assert "multiply" not in said.out


def test_a_pass_that_raises_is_to_blame_also_where_nothing_could_be_compared(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(INCOMPARABLE)
    assert run(["bisect", "--pass", "ToANormalForm", "--pass", "FirstOrderGradient", str(model)]) == 1
    assert "pass 2 of 2, FirstOrderGradient, raises" in capsys.readouterr().out


def test_what_no_pass_changes_needs_no_comparison(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model.write_text(INCOMPARABLE)
    assert run(["opt", "--verify", "--pass", "FoldScaleAxis", str(model)]) == 0
    assert "verified: nothing to compare: no pass changed the module" in capsys.readouterr().err


TWO_FUNCTIONS = (
    MODEL
    + """
def @other(%x: Tensor[(4), float32]) {
  add(%x, %x)
}
"""
)


def test_of_a_pass_over_one_function_that_one_is_verified(
    model: Path, wrong_pass: None, capsys: pytest.CaptureFixture[str]
) -> None:
    model.write_text(TWO_FUNCTIONS)
    assert run(["opt", "--verify", "--function", "@other", "--pass", "HalfOf", str(model)]) == 0
    assert capsys.readouterr().out == TWO_FUNCTIONS
    assert run(["opt", "--verify", "--function", "@main", "--pass", "HalfOf", str(model)]) == 1
    assert "HalfOf changes the result: " in capsys.readouterr().err
