"""What passes made stands beside what they made it of, whatever the lines say."""

from __future__ import annotations

import pytest

from relay_lsp.server.features.passes.aligned_preview import AlignedTexts, aligned_texts, correspondences
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses

HEAD = '#[version = "0.0.5"]\n'
NETWORK = f"""{HEAD}def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(3, 3, 1, 1), float32]) {{
  %0 = nn.conv2d(%x, %w, padding=[0, 0, 0, 0], channels=3, kernel_size=[1, 1]);
  %1 = nn.relu(%0);
  %2 = nn.max_pool2d(%1, pool_size=[2, 2]);
  add(%2, 1f)
}}
"""
DROPOUT = f"""{HEAD}def @main(%x: Tensor[(4), float32]) {{
{"".join(f"  %{i} = exp(%{i - 1 if i else 'x'});{chr(10)}" for i in range(9))}  %9 = nn.dropout(%8);
  add(%9.0, %x)
}}
def @other(%y: Tensor[(4), float32]) {{
  %10 = nn.dropout(%y);
  tanh(%10.0)
}}
"""


def _aligned(text: str, *passes: str, function: str = "") -> tuple[AlignedTexts, str]:
    outcome = RunPasses(text, "model.relay", tuple(map(PassCall.parse, passes))).run(lambda _: None)
    assert outcome.failed is None
    made = {(value.span.start, value.span.end): value.passes for value in outcome.changes.values}
    steps = [step.origins for step in outcome.steps if step.changed]
    return aligned_texts(text, outcome.text, correspondences(steps, made), function), outcome.text


def _block(text: str, number: int) -> list[str]:
    """The operators of the lines below a comment, up to the next one."""
    lines = text.split("\n")
    start = next(index for index, line in enumerate(lines) if line.startswith(f"  // {number}. "))
    end = next((index for index in range(start + 1, len(lines)) if lines[index].startswith("  // ")), len(lines))
    return lines[start + 1 : end]


def test_statements_stand_beside_the_function_that_they_went_into():
    aligned, _ = _aligned(NETWORK, "FuseOps")
    before, after = _block(aligned.before, 1), "\n".join(_block(aligned.after, 1))
    assert [line.split("(")[0].strip() for line in before] == ["%0 = nn.conv2d", "%1 = nn.relu"]
    assert "nn.conv2d" in after
    assert "nn.relu" in after
    assert "nn.max_pool2d" not in after


def test_calls_of_fused_functions_stand_with_their_functions():
    text = NETWORK.replace(
        "  add(%2, 1f)\n", "  %3 = exp(%1);\n  %4 = nn.max_pool2d(%3, pool_size=[2, 2]);\n  add(%2, %4)\n"
    )
    aligned, after = _aligned(text, "FuseOps")
    functions = [line.split(" = fn")[0].strip() for line in after.split("\n") if " = fn (" in line]
    for number, function in enumerate(functions, 1):
        if f"= {function}(" in after:
            assert f"= {function}(" in "\n".join(_block(aligned.after, number))
    assert "made of the same" not in aligned.after
    # The value of the function is its last line all the same.
    assert aligned.after.rstrip().split("\n")[-2] == after.rstrip().split("\n")[-2]


def test_what_a_pass_makes_in_another_function_stays_there():
    text = f"""{HEAD}def @main(%x: Tensor[(4), float32], %c: bool) {{
  %0 = nn.dropout(%x);
  if (%c) {{
    %1 = tanh(%0.0);
    exp(%1)
  }} else {{
    exp(%x)
  }}
}}
"""
    aligned, after = _aligned(text, "SimplifyInference", "FuseOps")
    shown = [line for line in aligned.after.split("\n") if not line.startswith("  // ")]
    assert shown == after.split("\n")


def test_a_comment_names_the_passes_and_both_sides():
    aligned, _ = _aligned(NETWORK, "FuseOps")
    heading = next(line for line in aligned.before.split("\n") if "// 1. " in line)
    assert heading.startswith("  // 1. FuseOps: %0, %1 → %")
    assert heading in aligned.after.split("\n")


@pytest.mark.parametrize(
    "passes", [("FuseOps",), ("SimplifyInference",), ("SimplifyInference", "FuseOps", "ToANormalForm")]
)
def test_lines_are_where_it_is_said(passes):
    aligned, after = _aligned(DROPOUT, *passes)
    for text, rows, laid_out in (
        (DROPOUT, aligned.before_lines, aligned.before),
        (after, aligned.after_lines, aligned.after),
    ):
        shown = laid_out.split("\n")
        assert len(rows) == len(text.split("\n"))
        for line, row in zip(text.split("\n"), rows, strict=True):
            assert row == -1 or shown[row] == line


def test_statements_that_stay_are_left_out_but_for_those_around():
    aligned, _ = _aligned(DROPOUT, "SimplifyInference")
    assert "  // … 4 statements of @main stay" in aligned.before.split("\n")
    assert "%1 = exp" in aligned.before
    assert "%2 = exp" not in aligned.before
    assert "%6 = exp" in aligned.before


def test_definitions_of_types_that_stay_are_left_out():
    types = "".join(f"type T{number} {{\n  C{number}(float32),\n}}\n" for number in range(5))
    aligned, _ = _aligned(NETWORK.replace(HEAD, HEAD + types), "FuseOps")
    for side in (aligned.before, aligned.after):
        assert "// … 5 type definitions stay" in side
        assert "type T" not in side
    assert aligned.before_lines[1] == -1


def test_one_function_is_shown_by_choice():
    aligned, _ = _aligned(DROPOUT, "SimplifyInference", function="@other")
    assert list(aligned.functions) == ["@main", "@other"]
    assert "@main" not in aligned.before
    assert "nn.dropout(%y)" in aligned.before


def test_statements_with_other_numbers_stay():
    text = f"{HEAD}def @main(%x: Tensor[(4), float32]) {{\n  %5 = exp(%x);\n  %6 = nn.dropout(%5);\n  tanh(%6.0)\n}}\n"
    aligned, _ = _aligned(text, "SimplifyInference", "FuseOps[fuse_opt_level=0]")
    blocks = [line for line in aligned.after.split("\n") if line.startswith("  // ")]
    assert any("%5" in line for line in blocks)
    assert aligned.before_lines[1] == aligned.after_lines[1] == 1  # the head
