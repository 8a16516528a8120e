"""Functions for an external compiler: out of line and back."""

from __future__ import annotations

import pytest

from relay_lsp.passes import PassError, Sequential, create
from tests.passes.modules import assert_same, read

INLINE = """
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  let %f = fn (%y: Tensor[(4), float32], Compiler="cutlass", global_symbol="kernel") -> Tensor[(4), float32] {
    nn.relu(%y)
  };
  %f(%x)
}
"""


def test_what_let_binds_is_moved_and_its_binding_goes():
    after = create("OutlineCompilerFunctionsWithExistingGlobalSymbols")(read(INLINE))
    assert sorted(var.name_hint for var in after) == ["kernel", "main"]
    assert_same(
        after,
        read(
            """
            def @kernel(%y: Tensor[(4), float32], Compiler="cutlass", global_symbol="kernel") -> Tensor[(4), float32] {
              nn.relu(%y)
            }

            def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { @kernel(%x) }
            """
        ),
    )


def test_out_of_line_and_back_is_the_plain_operator():
    there_and_back = Sequential(
        [
            create("OutlineCompilerFunctionsWithExistingGlobalSymbols", compiler_filter="cutlass"),
            create("InlineCompilerFunctionsBoundTo", global_vars=["kernel"]),
        ]
    )
    plain = "def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { nn.relu(%x) }"
    assert_same(there_and_back(read(INLINE)), read(plain))


def test_another_compilers_functions_stay():
    module = read(INLINE)
    for name in ("OutlineCompilerFunctionsWithExistingGlobalSymbols", "MarkCompilerFunctionsAsExtern"):
        assert_same(create(name, compiler_filter="dnnl")(module), module)


def test_a_function_without_a_symbol_is_refused():
    with pytest.raises(PassError, match="global_symbol"):
        create("OutlineCompilerFunctionsWithExistingGlobalSymbols")(
            read(INLINE.replace(', global_symbol="kernel"', ""))
        )


@pytest.mark.parametrize("name", ["RemoveStandaloneReshapes", "FoldConstantExpr", "ToANormalFormExpr"])
def test_what_is_about_main_asks_for_it(name):
    with pytest.raises(PassError, match="no function @main"):
        create(name)(read("def @f(%x: int32) -> int32 { %x }"))
