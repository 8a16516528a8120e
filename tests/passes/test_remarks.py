"""Remarks: what a pass says it did and by which rule, what it left alone and why; and that nothing is said unasked."""

from __future__ import annotations

import pytest

from relay_lsp.passes import Pass, PassContext, Sequential, Trace, create
from relay_lsp.passes.provenance.record import current_record
from tests.passes.modules import read


def remarks(text: str, *passes: Pass) -> dict[str, list[str]]:
    """What the last pass says of each operator, by its name: the kind, the rule and the words."""
    with Trace(remarks=True) as trace, PassContext(opt_level=4):
        Sequential(list(passes))(read(text))
    said: dict[str, list[str]] = {}
    for remark in trace.steps[-1].remarks:
        assert remark.template.count("{}") == len(remark.others)
        said.setdefault(repr(getattr(remark.expr, "op", remark.expr)), []).append(
            f"{remark.kind} {remark.rule}: {remark.message()}"
        )
    return said


CONVOLUTION = """
    def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32], %s: Tensor[(4, 1, 1), float32]) {
      %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3]);
      %1 = multiply(%0, %s);
      %2 = nn.relu(%1);
      %3 = nn.softmax(%2);
      exp(%3)
    }
"""


def test_fusion_says_with_what_and_why_not() -> None:
    said = remarks(CONVOLUTION, create("FuseOps"))
    assert said["nn.conv2d"] == ["passed fused: fused with multiply, to which all its uses lead"]
    assert said["nn.relu"] == [
        "missed edge: not fused with nn.softmax: that is out-elementwise-fusable, and takes its inputs as they are"
    ]


@pytest.mark.parametrize(
    ("body", "operator", "expected"),
    [
        ("%0 = exp(%x); %1 = sort(%0); negative(%1)", "exp", "missed opaque: not fused with sort: that is opaque to"),
        ("%0 = sort(%x); negative(%0)", "sort", "missed opaque: not fused with negative: it is opaque itself"),
        ("%0 = sum(%x, axis=[0]); exp(%0)", "sum", "missed reduction: not fused with exp: a reduction ends its kernel"),
        (
            "%0 = exp(%x); %1 = sort(%0); %2 = cumsum(%0); (%1, %2)",
            "exp",
            "missed path: not fused with a tuple: on the way is",
        ),
    ],
)
def test_reasons_against_fusion(body: str, operator: str, expected: str) -> None:
    said = remarks(f"def @main(%x: Tensor[(4, 4), float32]) {{ {body} }}", create("FuseOps"))
    assert said[operator][0].startswith(expected)


def test_a_kernel_has_a_most() -> None:
    body = "%0 = exp(%x); %1 = exp(%0); exp(%1)"
    text = f"def @main(%x: Tensor[(4), float32]) {{ {body} }}"
    with Trace(remarks=True) as trace, PassContext(opt_level=3, config={"relay.FuseOps.max_depth": 1}):
        create("FuseOps")(read(text))
    assert {remark.rule for remark in trace.steps[-1].remarks} == {"max-depth", "result"}


def test_folding_says_what_is_not_known() -> None:
    said = remarks(
        """
        def @main(%w: Tensor[(3), float32]) {
          %0 = add(1f, 2f);
          %1 = multiply(%w, %0);
          %2 = negative(%1);
          add(%2, 1f)
        }
        """,
        create("FoldConstant"),
    )
    assert said["add"] == [
        "passed folded: folded: every argument is known",
        "missed not-constant: not folded: negative is computed at run time",
    ]
    assert said["multiply"] == ["missed not-constant: not folded: %w is a parameter or a bound variable"]
    assert "negative" not in said, "what has no constant argument is nothing to fold"


def test_a_scale_that_may_be_negative_stays_before_an_activation() -> None:
    text = """
    def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32], %s: Tensor[(4, 1, 1), float32]) {
      %0 = multiply(%x, %s);
      %1 = nn.relu(%0);
      nn.conv2d(%1, %w, padding=[1, 1, 1, 1], channels=4, kernel_size=[3, 3])
    }
    """
    assert remarks(text, create("ForwardFoldScaleAxis"))["multiply"] == [
        "missed negative: the scale of %x stays: it may be negative, and an activation is on the way"
    ]


def test_scales_say_where_they_go_and_what_keeps_them() -> None:
    back = remarks(CONVOLUTION, create("BackwardFoldScaleAxis"))
    assert back["multiply"] == ["passed scale: the scale goes back into nn.conv2d"]
    through = CONVOLUTION.replace("nn.conv2d(", "nn.max_pool2d(").replace("%x, %w, padding=[1, 1, 1, 1], ", "%x, ")
    through = through.replace("channels=4, kernel_size=[3, 3]", "pool_size=[1, 1]")
    kept = remarks(through, create("BackwardFoldScaleAxis"))
    assert kept["multiply"] == [
        "missed not-scaled: the scale stays: nn.max_pool2d takes no scale back into a weight, or is used elsewhere too"
    ]
    forward = remarks(CONVOLUTION, create("ForwardFoldScaleAxis"))
    assert forward["multiply"][0].startswith("missed not-asked: the scale stays: no weight behind it takes one")


def test_layouts_say_what_they_stop_at() -> None:
    said = remarks(
        CONVOLUTION.replace("nn.softmax(%2)", "sort(%2)"),
        create("ConvertLayout", desired_layouts={"nn.conv2d": ["NHWC", "default"]}),
    )
    assert said["nn.conv2d"] == ["passed layout: computed in NHWC instead of NCHW"]
    assert said["nn.relu"] == ["passed layout: computed in NHWC instead of NCHW"]
    assert said["sort"] == ["missed layout-unknown: layout unknown for sort: nn.relu is transformed back before it"]


def test_layouts_of_a_target() -> None:
    said = remarks(CONVOLUTION, create("AlterOpLayout", target="llvm"))
    assert said["nn.conv2d"][0].startswith("passed layout: computed in NCHW")


def test_precision_says_which_list_decides() -> None:
    said = remarks(CONVOLUTION, create("ToMixedPrecision"))
    assert said["nn.conv2d"] == ["passed narrow: computed in float16: nn.conv2d is on the allow list"]
    assert said["nn.relu"] == ["passed narrow: computed in float16: its arguments are"]
    assert said["nn.softmax"] == ["missed deny-list: kept float32: nn.softmax is on the deny list"]


BRANCHES = """
    def @main(%x: Tensor[(1, 4), float32], %a: Tensor[(2, 4), float32], %b: Tensor[(2, 4), float32]) {
      %0 = nn.dense(%x, %a, units=2);
      %1 = nn.dense(%x, %b, units=2);
      add(%0, %1)
    }
"""


@pytest.mark.parametrize(
    ("least", "expected"),
    [
        (2, "passed combined: combined with 1 others on %x"),
        (3, "missed too-few: not combined: 2 like it on %x, and at least 3 are asked for"),
    ],
)
def test_parallel_branches_say_how_many_there_are(least: int, expected: str) -> None:
    said = remarks(BRANCHES, create("CombineParallelDense", min_num_branches=least))
    assert said["nn.dense"] == [expected] * 2


def test_simplification_names_its_rules() -> None:
    said = remarks(
        """
        def @main(%x: Tensor[(2, 6), float32]) {
          %0 = reshape(%x, newshape=[12]);
          %1 = reshape(%0, newshape=[3, 4]);
          add(%1, 0f)
        }
        """,
        create("SimplifyExpr"),
    )
    assert "passed EliminateIdentity: rewritten by EliminateIdentity" in said["add"]
    assert "passed SimplifyReshape: rewritten by SimplifyReshape" in said["reshape"]


def test_compilers_say_what_they_take() -> None:
    said = remarks(CONVOLUTION, create("AnnotateTarget", targets=["dnnl"]))
    assert said["nn.conv2d"] == ["passed marked: marked for dnnl"]
    assert said["exp"] == ["passed marked: marked for dnnl"]
    parts = [create("AnnotateTarget", targets=["dnnl"]), create("MergeCompilerRegions"), create("PartitionGraph")]
    merged = remarks(CONVOLUTION, *parts[:2])
    assert any(words.startswith("passed merged") for each in merged.values() for words in each)
    partitioned = remarks(CONVOLUTION, *parts)
    assert any(words.startswith("passed partitioned") for each in partitioned.values() for words in each)


def test_composites_say_what_they_gather() -> None:
    said = remarks(
        """
        def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) {
          %0 = nn.dense(%x, %w, units=2);
          nn.relu(%0)
        }
        """,
        create("MergeComposite", pattern_table="dnnl"),
    )
    assert said["nn.relu"] == ["passed composite: gathered into dnnl.dense_relu"]


def test_nothing_is_said_unasked() -> None:
    with Trace() as trace:
        create("FuseOps")(read(CONVOLUTION))
    assert current_record().remarks is None
    assert not trace.steps[-1].remarks


def test_remarks_are_about_the_module_that_the_pass_got() -> None:
    with Trace(remarks=True) as trace, PassContext(opt_level=3):
        create("FoldScaleAxis")(read(CONVOLUTION))
    for step in trace.steps:
        for remark in step.remarks:
            assert trace.origins(remark.expr)
