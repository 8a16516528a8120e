"""Comments of statements that a pass replaces go with what becomes of the statements."""

from __future__ import annotations

import pytest

from relay_lsp.ir.syntax import parse
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses
from relay_lsp.server.worker.pass_changes import SpanLayers

HEAD = '#[version = "0.0.5"]\n'
NETWORK = f"""{HEAD}def @main(%data: Tensor[(1, 3, 8, 8), float32], %weight: Tensor[(4, 3, 3, 3), float32]) {{
  // The stem of the network.
  %0 = nn.conv2d(%data, %weight, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]) /* si=[conv] */; // first
  /* activation */
  %1 = nn.relu(%0) /* si=[act] */;
  // the head
  nn.batch_flatten(%1)
}}
"""
NORM = f"""{HEAD}def @main(%x: Tensor[(1, 3, 8, 8), float32], %p: Tensor[(3), float32]) {{
  // Normalize.
  %0 = nn.batch_norm(%x, %p, %p, %p, %p);
  %0.0
}}
"""


def _after(text: str, *passes: str) -> list[str]:
    outcome = RunPasses(text, "model.relay", tuple(map(PassCall.parse, passes))).run(lambda _: None)
    assert outcome.failed is None
    assert not parse(outcome.text).diagnostics
    return outcome.text.splitlines()


def test_comments_go_into_the_fused_function():
    lines = _after(NETWORK, "FuseOps")
    conv = next(number for number, line in enumerate(lines) if "nn.conv2d(" in line)
    assert lines[conv - 1] == "    // The stem of the network."
    assert lines[conv].endswith("; // first")
    assert lines[conv + 1] == "    /* activation */"
    assert "nn.relu(" in lines[conv + 2]
    assert sum("// the head" in line for line in lines) == 1


def test_the_comment_of_a_fused_function_has_the_layers_of_all_that_went_into_it():
    ends = [line for line in _after(NETWORK, "FuseOps") if line.startswith("  }")]
    assert "  } /* si=[conv, act] */;" in ends


def test_a_comment_stands_once_above_the_first_of_several_statements():
    lines = _after(NORM, "SimplifyInference")
    assert [line for line in lines if "//" in line] == ["  // Normalize."]
    assert "batch_norm" not in "\n".join(lines)


SHARED = f"""{HEAD}def @main(%x: Tensor[(4, 9), float32]) {{
  %0 = nn.relu(%x) /* ty=Tensor[(4, 9), float32] span=net.py:7:3 */;
  %1 = nn.relu(%x) /* si=[layer.b] */;
  %2 = maximum(%0, %1) /* si=[layer.c] */;
  %3 = reshape(%2, newshape=[9, 4]) /* si=layer.r1 */;
  reshape(%3, newshape=[36]) /* si=["layer.r2, the end"] output=layer.r2 */
}}
"""


def test_a_comment_names_all_layers_that_passes_joined_in_its_value():
    outcome = RunPasses(SHARED, "model.relay", (PassCall("EliminateCommonSubexpr"), PassCall("SimplifyExpr")))
    lines = outcome.run(lambda _: None).text.splitlines()
    assert lines[2:5] == [
        "  %0 = nn.relu(%x) /* ty=Tensor[(4, 9), float32] span=net.py:7:3 */ /* si=[layer.b] */;",
        "  %2 = maximum(%0, %0) /* ty=Tensor[(4, 9), float32] */ /* si=[layer.c] */;",
        "  reshape(%2, newshape=[36]) /* ty=Tensor[(36), float32] */"
        ' /* si=["layer.r2, the end", layer.r1] output=layer.r2 */',
    ]


def test_the_comment_of_a_fused_function_names_no_layer_of_its_arguments():
    lines = _after(SHARED, "FuseOps[fuse_opt_level=0]")
    (end,) = [line for line, above in zip(lines[1:], lines, strict=False) if "newshape=[36]" in above]
    assert end.startswith('  } /* si=["layer.r2, the end"] */')


def _known(text: str, value: str, layer: str) -> SpanLayers:
    start = text.index(value)
    return ((start, start + len(value), ((layer, 0, 0),)),)


PARTLY_NAMED = f"""{HEAD}def @main(%x: Tensor[(4, 9), float32]) {{
  %0 = nn.relu(%x) /* si=[layer.a] */;
  %1 = nn.relu(%0);
  %2 = exp(%1);
  add(%2, 2f)
}}
"""


def test_only_statements_that_a_pass_made_get_comments():
    known = _known(PARTLY_NAMED, "nn.relu(%0)", "layer.b") + _known(PARTLY_NAMED, "exp(%1)", "layer.c")
    outcome = RunPasses(PARTLY_NAMED, "model.relay", (PassCall("FastMath"),), layers=known).run(lambda _: None)
    assert outcome.text == PARTLY_NAMED.replace("exp(%1)", "fast_exp(%1) /* si=[layer.c] */")


@pytest.mark.parametrize("comment", ["", "// A layer.", "/* TODO */", "/* two words */"])
def test_a_text_whose_comments_name_no_layer_gets_no_such_comment(comment: str):
    text = PARTLY_NAMED.replace(" /* si=[layer.a] */;", f"; {comment}")
    known = _known(text, "exp(%1)", "layer.c")
    for passes in ("FastMath",), ("FastMath", "FuseOps"):
        outcome = RunPasses(text, "model.relay", tuple(map(PassCall, passes)), layers=known).run(lambda _: None)
        assert outcome.changed
        assert "fast_exp(" in outcome.text
        assert "layer.c" not in outcome.text
        assert "si=" not in outcome.text


BARE = f"""{HEAD}def @main(%x: Tensor[(4), float32]) {{
  /* activation */
  %0 = if (less(max(%x), 1f)) {{
    exp(%x) /* layer.a */
  }} else {{
    %x
  }};
  let %f = fn (%y: Tensor[(4), float32]) {{ /* closure */
    exp(%y)
  }};
  multiply(%f(%0), exp(%0) /* layer.b */) /* layer.c */
}}
"""


def test_a_bare_name_goes_with_its_value_and_names_the_layer_of_no_other():
    lines = [line.strip() for line in _after(BARE, "FastMath")]
    assert [line for line in lines if "layer." in line] == [
        "fast_exp(%x) /* si=[layer.a] */",
        "%3 = %f(%0) /* si=[layer.c] */;",
        "%4 = fast_exp(%0) /* si=[layer.b] */;",
        "multiply(%3, %4) /* layer.c */",
    ]


def test_another_word_stays_a_comment_that_names_no_layer():
    lines = [line.strip() for line in _after(BARE, "FastMath")]
    assert "/* activation */" in lines
    assert lines[lines.index("/* closure */") + 1] == "fast_exp(%y)"


def test_no_space_is_left_at_the_ends_of_lines():
    assert not [line for text in (NETWORK, BARE) for line in _after(text, "FuseOps") if line != line.rstrip()]
