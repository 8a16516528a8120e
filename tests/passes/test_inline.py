"""``Inline`` where functions that are inlined call others that are."""

from __future__ import annotations

from relay_lsp.ir.printing import to_text
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import create

from .modules import assert_same, computed, read, typed


def test_what_an_inlined_function_calls_is_written_out_with_it():
    module = read(
        """
        def @first(%a: float32, Inline=1) -> float32 { negative(%a) }
        def @second(%b: float32, Inline=1) -> float32 { add(@first(%b), %b) }
        def @third(%c: float32, Inline=1) -> float32 { multiply(@second(%c), @second(negative(%c))) }
        def @main(%x: float32) -> float32 { @third(exp(%x)) }
        """
    )
    wanted = read(
        """
        def @main(%x: float32) -> float32 {
          %0 = exp(%x);
          %1 = negative(%0);
          %2 = negative(%0);
          %3 = negative(%2);
          multiply(add(%1, %0), add(%3, %2))
        }
        """
    )
    assert_same(create("Inline")(typed(module)), wanted)


def test_an_inlined_function_that_is_passed_on_becomes_a_function():
    module = read(
        """
        def @first(%a: float32, Inline=1) -> float32 { negative(%a) }
        def @second(%b: float32, Inline=1) -> float32 { @first(%b) }
        def @main(%x: float32) -> float32 {
          let %f = @second;
          %f(%x)
        }
        """
    )
    wanted = read(
        """
        def @main(%x: float32) -> float32 {
          let %f = fn (%b: float32, Inline=1) -> float32 { negative(%b) };
          %f(%x)
        }
        """
    )
    assert_same(create("Inline")(typed(module)), wanted)


def test_a_function_for_another_compiler_is_put_in_as_a_function():
    module = read(
        """
        def @first(%a: float32, Inline=1) -> float32 { negative(%a) }
        def @kernel(%b: float32, Inline=1, Compiler="dnnl") -> float32 { @first(%b) }
        def @main(%x: float32) -> float32 { @kernel(%x) }
        """
    )
    wanted = read(
        """
        def @main(%x: float32) -> float32 {
          %1 = fn (%b: float32, Inline=1, Compiler="dnnl") -> float32 { negative(%b) };
          %1(%x)
        }
        """
    )
    assert_same(create("Inline")(typed(module)), wanted)


def test_each_place_of_an_inlined_function_has_variables_of_its_own():
    module = typed(
        read(
            """
            def @twice(%a: float32, Inline=1) -> float32 { let %b = add(%a, %a); %b }
            def @other(%x: float32) -> float32 { let %g = @twice; %g(%x) }
            def @main(%x: float32) -> float32 { let %f = @twice; %f(add(@twice(%x), @twice(@other(%x)))) }
            """
        )
    )
    after = create("Inline")(module)
    assert_same(parse(to_text(after)).module, after)
    assert computed(after, 2.0) == computed(module, 2.0)
