"""Storages of a scope become one, and what is computed stays the same."""

from __future__ import annotations

from typing import Any

import pytest

from relay_lsp.ir.expressions import Constant
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import is_call_to
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassError, create
from tests.passes.modules import read, typed

STORAGE = "memory.alloc_storage"


def allocated(text: str) -> IRModule:
    """The module of a text as the virtual machine's pipeline has it after ``ManifestAlloc``."""
    module = read(text)
    for name in ("InferType", "FuseOps", "ToANormalForm", "PlanDevices", "ManifestAlloc"):
        module = create(name)(module)
    return module


def calls(module: IRModule, name: str) -> list[Any]:
    return [expr for expr in post_order(module["main"]) if is_call_to(expr, name)]


CHAIN = """
def @main(%x: Tensor[(3, 4), float32]) {
  %0 = nn.softmax(%x);
  %1 = nn.softmax(%0);
  nn.softmax(%1)
}
"""


def test_the_storages_of_a_function_become_one_of_their_rounded_sizes():
    before = allocated(CHAIN)
    after = create("MemoryPlan")(before)
    assert len(calls(before, STORAGE)) == 3
    assert len(calls(after, STORAGE)) == 1
    constants = [expr for expr in post_order(after["main"]) if isinstance(expr, Constant)]
    numbers = {int(constant.data) for constant in constants if constant.is_scalar}
    assert {0, 64, 128, 192} <= numbers
    assert typed(after)


def test_a_branch_is_a_scope_of_its_own():
    text = """
    extern type Storage
    def @main(%c: bool, %n: int64, %m: int64) {
      let %r = if (%c) {
        let %s = memory.alloc_storage(16i64, 64i64, virtual_device=meta[VirtualDevice][0]);
        1
      } else {
        let %t = memory.alloc_storage(%n, 64i64, virtual_device=meta[VirtualDevice][0]);
        let %u = memory.alloc_storage(%m, 64i64, virtual_device=meta[VirtualDevice][0]);
        2
      };
      %r
    }
    #[metadata]
    {"root": 1, "nodes": [
      {"type_key": ""}, {"type_key": "Map", "keys": ["VirtualDevice"], "data": [2]},
      {"type_key": "Array", "data": [3]},
      {"type_key": "VirtualDevice", "attrs": {"device_type_int": "1", "memory_scope": "4", "target": "0",
       "virtual_device_id": "0"}},
      {"type_key": "runtime.String"}], "b64ndarrays": [], "attrs": {"tvm_version": "0.12.0"}}
    """
    after = typed(create("MemoryPlan")(typed(read(text))))
    assert len(calls(after, STORAGE)) == 3, "one for the first branch, and one for each size that is not known"


def test_a_module_without_allocations_stays():
    module = typed(read("def @main(%x: float32) { if (less(%x, 1f)) { let %a = %x; %a } else { %x } }"))
    assert create("MemoryPlan")(module)["main"] is module["main"]


def test_it_runs_once():
    planned = create("MemoryPlan")(allocated(CHAIN))
    with pytest.raises(PassError, match="this tensor has an offset already"):
        create("MemoryPlan")(planned)
