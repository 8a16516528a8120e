"""Passes are held to what the module computes."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import passes
from relay_lsp.ir import infer_types, parse
from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import get
from relay_lsp.passes import PassContext, Sequential, Trace
from relay_lsp.passes.infrastructure import FunctionPass, declare_pass
from relay_lsp.passes.provenance import ExprMutator
from relay_lsp.passes.verification import (
    ComparisonFailed,
    KeepsMeaning,
    Unverifiable,
    bisect,
    check,
    largest_difference,
    random_arguments,
    shrink,
    verify,
)

NETWORK = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(3, 4), float32]) {
  %0 = nn.dense(%x, %w, units=3);
  %1 = nn.relu(%0);
  %2 = exp(%1);
  sum(%2, axis=[1])
}
"""


def module(text: str = NETWORK) -> IRModule:
    return infer_types(parse(text).module).module


@declare_pass(opt_level=0)
class ForgetRelu(FunctionPass):
    """Take the square root instead of the rectifier: a pass that is wrong."""

    def transform_function(self, function, module, context):  # type: ignore[no-untyped-def]
        return _ForgetRelu().visit_function(function)


class _ForgetRelu(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        return Call(get("sqrt"), post.args) if pre.op is get("nn.relu") else post


@declare_pass(opt_level=0)
class BreakTypes(FunctionPass):
    """Add a vector that does not fit: a pass that breaks typing."""

    def transform_function(self, function, module, context):  # type: ignore[no-untyped-def]
        return _BreakTypes().visit_function(function)


class _BreakTypes(ExprMutator):
    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        if pre.op is not get("exp"):
            return post
        return Call(get("add"), (*post.args, Constant(np.zeros(7, np.float32))))


@declare_pass(opt_level=0)
class Stumble(FunctionPass):
    """Look something up that is not there: a pass with a fault of its own."""

    def transform_function(self, function, module, context):  # type: ignore[no-untyped-def]
        return dict[str, Expr]()["layout"]


def test_inputs_are_the_same_for_the_same_seed() -> None:
    main = module()["main"]
    first, again, other = (random_arguments(main, seed) for seed in (1, 1, 2))
    assert largest_difference(first, again) is None
    assert largest_difference(first, other) is not None


def test_a_pass_that_keeps_the_meaning_agrees() -> None:
    before = module()
    assert verify(before, passes.create("ToANormalForm")(before)).agrees


def test_a_pass_that_changes_it_is_shown_where() -> None:
    before = module()
    with Trace() as trace:
        after = ForgetRelu()(before)
    verdict = verify(before, after, steps=trace.steps)
    assert not verdict.agrees
    assert verdict.largest is not None
    assert "apart" in verdict.largest.message
    assert isinstance(verdict.first, Call)
    assert verdict.first.op is get("sqrt")


def test_the_instrument_keeps_its_verdicts() -> None:
    before = module()
    with PassContext(opt_level=4, instruments=[checker := KeepsMeaning()]):
        Sequential([passes.create("FastMath")])(before)
    assert dict(checker.verdicts)["FastMath"].agrees
    assert checker.skipped == []


def test_the_instrument_stops_at_the_pass_at_fault() -> None:
    with (
        PassContext(instruments=[KeepsMeaning()]),
        pytest.raises(ComparisonFailed, match=r"ForgetRelu: changed the result"),
    ):
        Sequential([passes.create("ToANormalForm"), ForgetRelu()])(module())


def test_bisect_names_the_first_wrong_step() -> None:
    pipeline = [passes.create("InferType"), ForgetRelu(), passes.create("EliminateCommonSubexpr")]
    report = bisect(module(), pipeline)
    assert report is not None
    assert (report.pass_name, report.kind) == ("ForgetRelu", "changes the result")


def test_bisect_finds_what_breaks_typing() -> None:
    report = bisect(module(), [passes.create("ToANormalForm"), BreakTypes()])
    assert report is not None
    assert (report.pass_name, report.kind) == ("BreakTypes", "breaks typing")
    assert [repr(origin.op) for origin in report.origins if isinstance(origin, Call)] == [repr(get("exp"))]
    assert "7" in report.message


def test_bisect_is_content_with_a_sound_pipeline() -> None:
    assert bisect(module(), [passes.create("SimplifyInference"), passes.create("FuseOps")]) is None


@pytest.mark.parametrize(("name", "options"), [("ToCPS", {}), ("ChangeBatch", {"batch_size": 3}), ("gradient", {})])
def test_a_pass_that_gives_another_signature_on_purpose_is_not_judged(name: str, options: dict[str, object]) -> None:
    before = module('#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 4), float32]) { exp(%x) }')
    report = check(before, [passes.create(name, **options)])
    assert (report.culprit, report.verdicts) == (None, ())
    assert [reason for _, reason in report.skipped] == [f"{name} gives @main other parameters or another result"]
    with PassContext(instruments=[checker := KeepsMeaning()]):
        passes.create(name, **options)(before)
    assert [each for each, _ in checker.skipped] == [name]


def test_a_pass_that_may_give_another_signature_is_judged_where_it_does_not() -> None:
    before = module('#[version = "0.0.5"]\ndef @main(%x: Tensor[(16, 4), float32]) { exp(%x) }')
    after = passes.create("ToANormalForm")(before)
    assert verify(before, after, passes=["ChangeBatch"]).agrees


def test_what_cannot_be_run_says_why() -> None:
    text = '#[version = "0.0.5"]\ndef @main(%f: fn (int32) -> int32) { %f(1) }'
    with pytest.raises(Unverifiable, match="no random values"):
        verify(module(text), module(text))


LARGE = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 896, 896), float32], %w: Tensor[(64, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=64, kernel_size=[3, 3]);
  nn.relu(%0)
}
"""


def test_a_module_too_large_to_run_is_run_smaller() -> None:
    report = check(module(LARGE), [passes.create("ToANormalForm")])
    assert report.reduced
    assert report.culprit is None
    assert [step.name for step, _ in report.verdicts] == ["ToANormalForm"]
    (before,) = {step.before for step, _ in report.verdicts}
    assert "Tensor[(64, 3, 3, 3), float32]" in repr(before["main"].params[1].type_annotation)


def test_a_size_that_an_attribute_fixes_stays() -> None:
    text = LARGE.replace("nn.relu(%0)", "reshape(%0, newshape=[1, 64, 802816])")
    large = module(text)
    assert shrink(large) is large


def test_both_signs_are_tried_so_that_a_lost_rectifier_shows() -> None:
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) { nn.relu(%x) }'
    without = text.replace("nn.relu(%x)", "copy(%x)")
    assert not verify(module(text), module(without)).agrees


def test_where_an_index_would_be_out_of_bounds_smaller_ones_are_tried() -> None:
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 2), float32], %i: Tensor[(5), int32]) { OP }'
    taken = module(text.replace("OP", 'take(%x, %i, axis=0, mode="fast")'))
    assert verify(taken, taken).agrees


def test_a_pass_that_fails_with_any_error_is_named() -> None:
    report = bisect(module(), [passes.create("ToANormalForm"), Stumble()])
    assert report is not None
    assert (report.number, report.pass_name, report.kind) == (1, "Stumble", "raises")
    assert report.message == "KeyError: 'layout'"


def test_the_culprit_points_into_the_module_that_the_pipeline_began_with() -> None:
    before = module()
    report = bisect(before, [passes.create("FastMath"), ForgetRelu()])
    assert report is not None
    (origin,) = report.origins
    assert isinstance(origin, Call)
    assert origin.op is get("nn.relu")


BEYOND_FLOAT16 = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 64), float32], %w: Tensor[(3, 64), float32]) {
  %0 = nn.dense(%x, %w, units=3);
  multiply(%0, 30000f)
}
"""


def test_inputs_are_made_so_small_that_a_narrow_dtype_can_hold_the_values() -> None:
    before = module(BEYOND_FLOAT16)
    after = passes.create("ToMixedPrecision")(before)
    assert verify(before, after, bound=0.05).agrees
    wrong = passes.create("ToMixedPrecision")(module(BEYOND_FLOAT16.replace("30000f", "20000f")))
    assert not verify(before, wrong, bound=0.05).agrees


def test_where_no_inputs_are_small_enough_nothing_is_said() -> None:
    text = BEYOND_FLOAT16.replace("multiply(%0, 30000f)", "add(%0, 70000f)")
    before = module(text)
    with pytest.raises(Unverifiable, match="too large for float16"):
        verify(before, passes.create("ToMixedPrecision")(before), bound=0.05)


def test_a_pipeline_may_do_what_the_passes_in_it_may() -> None:
    with PassContext(instruments=[checker := KeepsMeaning()]):
        Sequential([passes.create("ToMixedPrecision")])(module())
    assert {name for name, _ in checker.verdicts} >= {"ToMixedPrecision", "sequential"}


def test_an_integer_that_was_rounded_may_fall_on_either_side() -> None:
    expected, actual = np.array([2, 100]), np.array([3, 100])
    rounded = largest_difference(expected, actual, bound=0.05)
    exact = largest_difference(expected, actual)
    assert rounded is not None
    assert not rounded.exceeds
    assert exact is not None
    assert exact.exceeds
