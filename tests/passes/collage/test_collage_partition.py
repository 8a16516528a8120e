"""Which parts of a function go to an external compiler, by what they cost; and that the result computes the same."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.module import IRModule
from relay_lsp.passes import PassContext, PassError, create
from relay_lsp.passes.collage import DeclaredCostEstimator, MockCostEstimator, Speed
from relay_lsp.passes.compiler_regions.pattern_tables import pattern_tables, register_pattern_table
from relay_lsp.passes.patterns import is_op, wildcard
from tests.passes.modules import computed, read, typed

RESIDUAL = """
def @main(%x: Tensor[(4, 4), float32]) {
  %0 = nn.relu(%x);
  %1 = abs(%0);
  %2 = nn.relu(%1);
  add(%1, %2)
}
"""


@pytest.fixture(autouse=True)
def accelerator() -> Iterator[None]:
    """An external compiler that knows three operators."""
    table = [
        ("relu", is_op("nn.relu")(wildcard())),
        ("add", is_op("add")(wildcard(), wildcard())),
        ("concatenate", is_op("concatenate")(wildcard())),
    ]
    tables: Any = pattern_tables()
    register_pattern_table("accelerator", table)
    yield
    del tables["accelerator"]


def partitioned(text: str, estimator: Any, *, own_depth: int = 8, depth: int = 8) -> IRModule:
    """The module after the pass, which must compute what it did before."""
    before = typed(read(text))
    config = {"relay.collage.tvm_max_depth": own_depth, "relay.collage.byoc_max_depth": depth}
    with PassContext(config=config):
        after = create("CollagePartition", targets=["llvm", "accelerator"], cost_estimator=estimator)(before)
    inputs = [np.random.default_rng(0).standard_normal((4, 4), np.float32) for _ in before["main"].params]
    wanted, got = computed(before, *inputs), computed(after, *inputs)
    assert np.allclose(np.asarray(wanted), np.asarray(got))
    return after


def kernels(module: IRModule) -> set[str]:
    return {var.name_hint for var in module.functions} - {"main"}


def costs(llvm: float, accelerator: float) -> MockCostEstimator:
    return MockCostEstimator({"llvm": llvm, "accelerator": accelerator})


def test_the_cheaper_target_gets_what_it_can_take() -> None:
    assert kernels(partitioned(RESIDUAL, costs(1, 2))) == set()
    assert kernels(partitioned(RESIDUAL, costs(2, 1))) == {
        "collage_accelerator_nn_relu",
        "collage_accelerator_nn_relu_add",
    }


def test_a_function_says_its_compiler_and_its_name() -> None:
    after = partitioned(RESIDUAL, costs(2, 1))
    kernel = after["collage_accelerator_nn_relu"]
    assert dict(kernel.attrs) == {
        "Primitive": 1,
        "Compiler": "accelerator",
        "global_symbol": "collage_accelerator_nn_relu",
    }


@pytest.mark.parametrize(("depth", "size"), [(1, 0), (2, 2), (3, 3)])
def test_fusing_more_may_pay_where_a_single_call_does_not(depth: int, size: int) -> None:
    chain = "def @main(%x: Tensor[(4, 4), float32]) { nn.relu(nn.relu(nn.relu(%x))) }"
    names = kernels(partitioned(chain, costs(99, 100), own_depth=1, depth=depth))
    assert names == ({"collage_accelerator" + "_nn_relu" * size} if size else set())


def test_neighbours_of_one_target_become_one_function() -> None:
    after = partitioned(RESIDUAL, costs(2, 1), own_depth=1, depth=1)
    assert kernels(after) == {"collage_accelerator_nn_relu", "collage_accelerator"}


def test_values_that_are_used_elsewhere_leave_a_function_as_fields() -> None:
    text = """
    def @main(%x: Tensor[(4, 4), float32]) {
      %0 = nn.relu(%x);
      %1 = nn.relu(%0);
      %2 = abs(%1);
      (%0, %1, %2)
    }
    """
    after = partitioned(text, costs(2, 1))
    assert "collage_accelerator" in kernels(after)
    assert repr(after["collage_accelerator"].ret_type).count("Tensor") == 2


def test_each_different_candidate_is_estimated_once() -> None:
    chain = "def @main(%x: Tensor[(4, 4), float32]) { nn.relu(nn.relu(nn.relu(%x))) }"
    estimator = costs(2, 1)
    partitioned(chain, estimator, own_depth=1, depth=1)
    assert estimator.estimates == 2


def test_an_estimator_of_ones_own_may_refuse() -> None:
    def estimate(module: IRModule, target: str) -> float:
        return math.inf if target == "accelerator" else 1.0

    assert kernels(partitioned(RESIDUAL, estimate)) == set()


def test_declared_work_at_the_speed_of_targets() -> None:
    fast = DeclaredCostEstimator({"accelerator": Speed(1e15, 1e15, 1e-9)})
    assert kernels(partitioned(RESIDUAL, fast, own_depth=1))
    assert kernels(partitioned(RESIDUAL, DeclaredCostEstimator(), own_depth=4)) == set()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"targets": ["lvm"]}, "no target 'lvm', and no table of patterns of that name; did you mean llvm?"),
        ({"targets": "llvm"}, "option targets takes a list of strings"),
        ({"targets": ["accelerator"]}, "no target takes this"),
        ({"targets": ["llvm"], "target_costs": {"cuda": 1}}, "target_costs says nothing of llvm"),
        ({"cost_estimator": lambda module, target: math.nan}, "is nan, and no number"),
    ],
)
def test_bad_input_is_refused_with_the_reason(options: dict[str, object], reason: str) -> None:
    with pytest.raises(PassError, match=re.escape(reason)):
        create("CollagePartition", **options)(read(RESIDUAL))


def test_planned_devices_are_refused() -> None:
    planned = create("PlanDevices")(read(RESIDUAL))
    with pytest.raises(PassError, match="run CollagePartition before PlanDevices"):
        create("CollagePartition")(planned)


def test_too_many_candidates_are_refused_with_what_to_lower() -> None:
    leaves = "".join(f"%{n} = exp(%x);" for n in range(32, 64))
    sums = "".join(f"%{n} = add(%{2 * n}, %{2 * n + 1});" for n in range(31, 0, -1))
    text = f"def @main(%x: Tensor[(4, 4), float32]) {{ {leaves} {sums} %1 }}"
    with pytest.raises(PassError, match="10,000 candidates; lower"):
        partitioned(text, costs(1, 1), own_depth=8)
