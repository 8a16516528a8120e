"""How the parameters of fused functions are named."""

from __future__ import annotations

import re

from relay_lsp import ir, passes

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(8, 8), float32], %fc1: Tensor[(8, 8), float32]) {
  %0 = nn.dense(%x, %w, units=8);
  %1 = nn.dense(%0, %fc1, units=8);
  nn.softmax(nn.dense(%1, %w, units=8))
}
"""


def parameters(**options: object) -> list[list[str]]:
    """The names of the parameters of each kernel, as the text shows them."""
    text = ir.to_text(passes.create("FuseOps", fuse_opt_level=2, **options)(ir.parse(TEXT).module))
    return [re.findall(r"%(\w+):", head) for head in re.findall(r"fn \((.*?), Primitive=1", text)]


def test_they_are_named_after_variables_and_numbered_upwards() -> None:
    assert parameters() == [["x1", "w1"], ["p0", "fc1_1"], ["p1", "w2"], ["p2"]]


def test_a_kernel_that_needs_a_later_one_is_numbered_behind_it() -> None:
    """The sum takes a first parameter before the kernel of its other operand is begun."""
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(8), float32]) {
  %0 = sort(%x);
  %1 = sort(%0);
  add(negative(%0), sort(exp(%1)))
}
"""
    fused = ir.to_text(passes.create("FuseOps", fuse_opt_level=2)(ir.parse(text).module))
    numbers = [int(number) for number in re.findall(r"%p(\d+): ", fused)]
    assert len(numbers) == 5
    assert numbers == sorted(numbers)


def test_they_can_be_named_as_tvm_does() -> None:
    assert parameters(name_parameters=False)[-1] == ["p0"]


def test_names_that_the_function_has_already_are_left_out() -> None:
    text = TEXT.replace("%w:", "%x1:").replace("%w", "%x1").replace("%fc1", "%p0")
    module = passes.create("FuseOps", fuse_opt_level=2)(ir.parse(text).module)
    names = re.findall(r"%(\w+): Tensor", ir.to_text(module))
    assert len(names) == len(set(names))
    assert "x2" in names
    assert ir.structural_equal(ir.infer_types(ir.parse(ir.to_text(module)).module).module, module)
