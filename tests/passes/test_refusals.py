"""Passes refuse what TVM's refuse, and say at which expression, why, and what to do."""

from __future__ import annotations

import pytest

from relay_lsp.ir import Match, to_text
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
