"""Passes refuse what TVM's refuse, and say at which expression, why, and what to do."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir import Constant, Function, GlobalVar, IRModule, Match, TensorType, Var, infer_types, to_text
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import PassError, create
from tests.passes.modules import read, typed

_LIST = """
type List[A] { Cons(A, List[A]), Nil }

def @main(%l: List[float32]) -> float32 {
  match (%l) {
    Cons(%head, _) => { PLACE },
    Nil => { 0f },
  }
}
"""

_REGION = """
def @main(%x: Tensor[(2), float32]) {
  %0 = annotation.compiler_begin(DATA, meta[relay.attrs.CompilerAttrs][0]);
  add(%x, %0)
}

#[metadata]
{
  "root": 1,
  "nodes": [
    {"type_key": ""},
    {"type_key": "Map", "keys": ["relay.attrs.CompilerAttrs"], "data": [2]},
    {"type_key": "Array", "data": [3]},
    {"type_key": "relay.attrs.CompilerAttrs", "attrs": {"compiler": "dnnl"}}
  ],
  "b64ndarrays": [],
  "attrs": {"tvm_version": "0.12.0"}
}
"""


def _refusal(name: str, text: str) -> PassError:
    with pytest.raises(PassError) as refused:
        create(name)(typed(read(text)))
    return refused.value


def test_post_dfs_indices_are_refused_where_a_variable_of_a_pattern_is_used() -> None:
    error = _refusal("CapturePostDfsIndexInSpans", _LIST.replace("PLACE", "%head"))
    assert "%head" in str(error)
    assert "PartialEvaluate" in str(error)


def test_post_dfs_indices_are_given_where_no_variable_of_a_pattern_is_used() -> None:
    numbered = create("CapturePostDfsIndexInSpans")(typed(read(_LIST.replace("PLACE", "1f"))))
    assert isinstance(numbered["main"].body, Match)
    assert "span=index:" in to_text(numbered)


def test_a_tensor_that_a_pattern_binds_becomes_no_cell() -> None:
    text = _LIST.replace("Cons(%head, _)", "Cons(%head: float32, _)").replace("PLACE", "%head")
    assert "PartialEvaluate" in str(_refusal("LazyGradientInit", text))


@pytest.mark.parametrize("name", ["FoldConstant", "FoldConstantExpr", "PartialEvaluate"])
def test_a_constant_in_a_region_of_a_compiler_cannot_be_computed(name: str) -> None:
    error = _refusal(name, _REGION.replace("DATA", "1f"))
    assert "annotation.compiler_begin" in str(error)
    assert "PartitionGraph" in str(error)


def test_a_parameter_in_a_region_of_a_compiler_needs_no_computing() -> None:
    module = typed(read(_REGION.replace("DATA", "%x")))
    assert create("FoldConstant")(module) is module


@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("def @f(%y: int32) -> int32 { %y }\ndef @main(%x: int32) { @f(%x) }", "@f"),
        (_LIST.replace("PLACE", "1f"), "the data type List"),
    ],
)
def test_dynamic_to_static_types_each_function_alone(text: str, used: str) -> None:
    error = _refusal("DynamicToStatic", text)
    assert used in str(error)
    assert "Inline" in str(error)


def test_dynamic_to_static_takes_functions_side_by_side_and_recursion_of_main() -> None:
    text = """
def @f(%y: int32) -> int32 { %y }

def @main(%x: int32) -> int32 { if (equal(%x, 0)) { %x } else { @main(%x) } }
"""
    module = typed(read(text))
    assert create("DynamicToStatic")(module).functions.keys() == module.functions.keys()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ConvertLayout", {"desired_layouts": {"nn.conv2": ["NHWC", "HWIO"]}}, "no operator nn.conv2; did you mean"),
        ("recast", {"dtype": "float16", "out_dtype": "float16", "ops": ["nn.dens"]}, "did you mean nn.dense"),
        ("FlexibleShapeDispatch", {"buckets": [4, 0]}, "a size is at least 1"),
    ],
)
def test_options_that_name_nothing_are_refused_with_what_was_meant(name: str, options: dict, message: str) -> None:
    with pytest.raises(PassError, match=message):
        create(name, **options)(typed(read("def @main(%x: Tensor[(2), float32]) { nn.relu(%x) }")))


_LAYER_NORM = """
def @main(%x: Tensor[(2, 4), int8], %gamma: Tensor[(4), float32], %beta: Tensor[(4), float32]) {
  %0 = cast(%x, dtype="float32");
  nn.layer_norm(%0, %gamma, %beta)
}
"""


@pytest.mark.parametrize("name", ["FuseOps", "CanonicalizeCast"])
def test_an_operator_without_a_fusion_pattern_is_refused_until_it_is_taken_apart(name: str) -> None:
    error = _refusal(name, _LAYER_NORM)
    assert "no fusion pattern for nn.layer_norm" in str(error)
    assert "SimplifyInference" in str(error)
    create(name)(create("SimplifyInference")(typed(read(_LAYER_NORM))))


def test_parallel_operators_that_lead_to_a_call_of_a_function_are_refused_until_it_is_inlined() -> None:
    text = """
    def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
      %0 = nn.dense(%x, %w, units=None);
      %2 = fn (%a: Tensor[(2, 4), float32]) { %1 = nn.relu(%a); tanh(%1) };
      %2(%0)
    }
    """
    assert "DefuseOps" in str(_refusal("CombineParallelDense", text))
    create("CombineParallelDense")(create("DefuseOps")(typed(read(text))))


def test_a_called_function_with_variables_of_its_own_is_refused_until_they_are_gone() -> None:
    text = """
    def @main(%x: Tensor[(4), float32]) {
      %0 = fn (%a: Tensor[(4), float32]) { let %b = nn.relu(%a); add(%b, %b) };
      %0(%x)
    }
    """
    assert "%b, which is none of its parameters" in str(_refusal("DefuseOps", text))
    create("DefuseOps")(create("ToGraphNormalForm")(typed(read(text))))


@pytest.mark.parametrize("name", ["FoldConstant", "PartialEvaluate"])
def test_what_the_host_computes_for_floats_alone_is_refused_for_integers(name: str) -> None:
    assert "cast the constant before" in str(_refusal(name, "def @main() { log(3) }"))
    create(name)(typed(read("def @main() { log(3f) }")))


def test_operators_of_lowered_modules_are_not_evaluated() -> None:
    text = 'def @main() { vm.shape_of(1f, dtype="int64") }'
    assert "before the passes that allocate memory" in str(_refusal("PartialEvaluate", text))


def test_a_constant_with_two_users_is_refused_by_the_higher_order_gradient_until_let_binds_it() -> None:
    constant = Constant(np.ones(4, "float32"))
    x = Var("x", TensorType((4,), "float32"))
    body = apply("multiply", apply("add", x, constant), constant)
    module = infer_types(IRModule({GlobalVar("main"): Function((x,), body)})).module
    with pytest.raises(PassError, match="two values are computed from this constant"):
        create("gradient", mode="higher_order")(module)
    create("gradient", mode="first_order")(module)


def test_types_that_need_the_rest_of_the_module_are_refused_only_with_use_qat() -> None:
    text = """
    type List[A] { Cons(A, List[A]), Nil }
    def @main(%l: List[float32]) -> List[float32] { %l }
    """
    module = typed(read(text))
    with pytest.raises(PassError, match="data type List; leave the pass to functions of tensors"):
        create("FakeQuantizationToInteger", use_qat=True)(module)
    create("FakeQuantizationToInteger")(module)


def test_a_normalization_in_blocks_of_channels_is_refused_until_it_is_taken_apart() -> None:
    text = """
    def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(8, 4, 3, 3), float32],
              %a: Tensor[(8), float32], %b: Tensor[(8), float32], %c: Tensor[(8), float32], %d: Tensor[(8), float32]) {
      %0 = nn.conv2d(%x, %w, channels=8, kernel_size=[3, 3]);
      %1 = nn.batch_norm(%0, %a, %b, %c, %d);
      %1.0
    }
    """
    module = typed(read(text))
    with pytest.raises(PassError, match="which NCHW4c splits; run SimplifyInference before"):
        create("AlterOpLayout", target="llvm")(module)
    create("AlterOpLayout", target="llvm")(create("SimplifyInference")(module))


def _doubled(statements: int) -> IRModule:
    """A function whose result would have ``2 ** statements`` tensors, were it written out."""
    lines = "".join(f"  %{number} = (%{number - 1}, %{number - 1});\n" for number in range(1, statements))
    return read(f"def @main(%x: float32) {{\n  %0 = (%x, %x);\n{lines}  %{statements - 1}\n}}\n")


def test_memory_is_counted_of_types_that_share_their_parts() -> None:
    annotated = create("AnnotateUsedMemory")(_doubled(200))
    main = next(iter(annotated.functions.values()))
    assert main.attrs["io_used_memory"] == (4 << 200) + 4


def test_a_module_that_cannot_be_written_has_no_positions() -> None:
    with pytest.raises(PassError, match="no text to point into: a type has more than 1,000,000 characters"):
        create("AnnotateSpans")(typed(_doubled(40)))
