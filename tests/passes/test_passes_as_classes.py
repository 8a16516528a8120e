"""Passes as attributes of ``relay_lsp.passes``, with options by position; and mutators whose hooks exist."""

from __future__ import annotations

import pytest

from relay_lsp import passes
from relay_lsp.passes import ExprMutator, Pass

OPTIONS = {
    "AnnotateTarget": ("targets", "include_non_call_ops"),
    "CombineParallelDense": ("min_num_branches", "to_batch"),
    "Conv2dToSparse": ("weight_name", "weight_shape", "layout", "kernel_size"),
    "Conv2dToSparse2": ("layout", "kernel_size", "blocksize", "sparsity_threshold"),
    "DeadCodeElimination": ("inline_once", "ignore_impurity"),
    "DenseToSparse": ("weight_name", "weight_shape"),
    "EtaExpand": ("expand_constructor", "expand_global_var"),
    "FakeQuantizationToInteger": ("hard_fail", "use_qat"),
    "PartitionGraph": ("mod_name", "bind_constants"),
    "ToMixedPrecision": ("mixed_precision_type", "missing_op_mode"),
}
"""The parameters of TVM's factories that take several, from ``python/tvm/relay/transform/transform.py``."""


@pytest.mark.parametrize("name", OPTIONS)
def test_options_by_position_are_in_the_order_of_tvm(name: str) -> None:
    declared = getattr(passes, name).declaration()
    assert tuple(declared.options) == OPTIONS[name]


def test_a_pass_is_made_from_its_class() -> None:
    made = passes.DeadCodeElimination(True, False)
    assert isinstance(made, Pass)
    assert made == passes.create("DeadCodeElimination", inline_once=True)


def test_there_is_no_pass_of_another_name() -> None:
    with pytest.raises(AttributeError, match="FuseOp"):
        passes.FuseOp  # noqa: B018


@pytest.mark.parametrize(
    ("method", "suggested"),
    [("visit_call", "rewrite_call"), ("rewrite_cal", "rewrite_call"), ("rewrite_vars", "rewrite_var")],
)
def test_a_hook_that_nothing_calls_is_refused(method: str, suggested: str) -> None:
    with pytest.raises(TypeError, match=rf"{method} is never called.*did you mean {suggested}\?"):
        type("Mine", (ExprMutator,), {method: lambda self, pre, post: post})
