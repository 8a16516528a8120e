"""What is known when compiling is computed then, and what is computed stays the same."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassError, Sequential, create
from tests.passes.modules import assert_same, computed, read, typed

LISTS = "type List[A] { Cons(A, List[A]), Nil, }\n"


def evaluated(text):
    """The module before, and after partial evaluation and the clearing away of what nothing uses."""
    before = typed(read(text))
    passes = [create("PartialEvaluate"), create("DeadCodeElimination", inline_once=True, ignore_impurity=True)]
    return before, typed(Sequential(passes)(before))


def assert_evaluates_to(text, wanted):
    assert_same(evaluated(text)[1], read(wanted))


def test_recursion_over_a_known_number_is_gone():
    assert_evaluates_to(
        """
        def @main() -> int32 {
          let %f = fn (%x: int32) -> int32 {
            if (equal(%x, 0)) { 0 } else { add(%x, %f(subtract(%x, 1))) }
          };
          %f(10)
        }
        """,
        "def @main() -> int32 { 55 }",
    )


def test_recursion_over_a_known_list_is_unrolled():
    before, after = evaluated(
        LISTS
        + """
        def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
          match (%l) { Cons(%h, %t) => { Cons(%f(%h), @map(%f, %t)) }, Nil => { Nil } }
        }
        def @main(%x: float32) -> List[float32] {
          @map(fn (%y: float32) -> float32 { exp(%y) }, Cons(%x, Cons(2f, Nil)))
        }
        """
    )
    names = [getattr(expr, "name_hint", "") for expr in post_order(after["main"])]
    assert "map" not in names
    x = np.float32(1)
    assert str(ir.evaluate(after, x)) == str(ir.evaluate(before, x))


def test_recursion_over_an_unknown_number_stays():
    text = """
    def @main(%n: int32) -> int32 { @sum_up(%n) }
    def @sum_up(%i: int32) -> int32 {
      if (equal(%i, 0)) { 0 } else { add(%i, @sum_up(subtract(%i, 1))) }
    }
    """
    before, after = evaluated(text)
    for number in (0, 7):
        assert ir.evaluate(after, np.int32(number)) == ir.evaluate(before, np.int32(number))


def test_references_are_known_until_something_unknown_runs():
    assert_evaluates_to(
        """
        def @main(%x: int32) -> int32 {
          let %r = ref(1);
          ref_write(%r, add(ref_read(%r), 2));
          multiply(%x, ref_read(%r))
        }
        """,
        "def @main(%x: int32) -> int32 { multiply(%x, 3) }",
    )
    before, after = evaluated(
        """
        def @main(%f: fn () -> (), %x: int32) -> int32 {
          let %r = ref(1);
          let %u = %f();
          add(%x, ref_read(%r))
        }
        """
    )
    assert any(isinstance(expr, ir.RefRead) for expr in post_order(before["main"]))
    assert any(isinstance(expr, ir.RefRead) for expr in post_order(after["main"]))


@pytest.mark.parametrize("condition", [True, False])
def test_branches_that_are_not_known_stay_and_take_no_effect(condition):
    text = """
    def @main(%c: bool, %x: int32) -> int32 {
      let %r = ref(%x);
      let %y = if (%c) { ref_write(%r, 5); 1 } else { 2 };
      add(%y, ref_read(%r))
    }
    """
    before = typed(read(text))
    after = create("PartialEvaluate")(before)
    inputs = (np.bool_(condition), np.int32(3))
    assert ir.evaluate(after, *inputs) == ir.evaluate(before, *inputs)


def test_a_match_that_no_case_is_for_is_refused():
    with pytest.raises(PassError, match="no case of the match"):
        create("PartialEvaluate")(
            read(LISTS + "def @main() -> int32 { let %l: List[int32] = Nil; match? (%l) { Cons(%x, _) => { %x } } }")
        )


def test_what_is_shared_without_let_is_refused():
    with pytest.raises(PassError, match="run ToANormalForm first"):
        create("PartialEvaluate")(read("def @main(%x: float32) { %0 = exp(%x); add(%0, %0) }"))


def test_functions_that_would_be_expanded_exponentially_often_are_not():
    depth = 40
    opened = "".join(f"let %f{n} = fn (%y{n}: int32) -> int32 {{\n" for n in range(depth))
    closed = "".join(f"}};\nadd(%f{n}(%x), %f{n}(%x))\n" for n in reversed(range(depth)))
    before = typed(read(f"def @main(%x: int32) -> int32 {{\n{opened}%x\n{closed}}}"))
    after = create("PartialEvaluate")(before)
    assert len(post_order(after["main"])) < 500_000


def test_what_is_left_of_a_fused_function_has_parameters_of_its_own():
    module = typed(
        read(
            """
            def @main(%x: float32) -> float32 {
              let %f = fn (%p: float32, Primitive=1) -> float32 { add(%p, %p) };
              %f(%x)
            }
            """
        )
    )
    after = create("PartialEvaluate")(module)
    assert_same(ir.parse(ir.to_text(after)).module, after)
    assert computed(after, 2.0) == computed(module, 2.0)
