"""Calls, recursion, closures, polymorphism: programs of any depth, without touching Python's stack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Run = Callable[..., Any]


def test_a_loop_by_tail_recursion_runs_any_number_of_rounds(run: Run) -> None:
    total = run(
        """
        def @sum(%n: int32, %total: int64) -> int64 {
          if (less(%n, 1)) { %total } else { @sum(subtract(%n, 1), add(%total, cast(%n, dtype="int64"))) }
        }
        def @main(%n: int32) -> int64 { @sum(%n, 0i64) }
        """,
        20_000,
    )
    assert total == 20_000 * 20_001 // 2


def test_recursion_may_be_deep(run: Run) -> None:
    depth = run(
        """
        def @depth(%n: int32) -> int32 {
          if (less(%n, 1)) { 0 } else { add(1, @depth(subtract(%n, 1))) }
        }
        def @main(%n: int32) -> int32 { @depth(%n) }
        """,
        10_000,
    )
    assert depth == 10_000


def test_functions_call_each_other(run: Run) -> None:
    even = """
        def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(subtract(%n, 1)) } }
        def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(subtract(%n, 1)) } }
        def @main(%n: int32) -> bool { @even(%n) }
        """
    assert run(even, 10)
    assert not run(even, 7)


def test_a_closure_keeps_the_variables_around_it(run: Run) -> None:
    result = run(
        """
        def @main(%a: int32, %b: int32) -> int32 {
          let %adder = fn (%x: int32) -> fn (int32) -> int32 { fn (%y: int32) -> int32 { add(%x, %y) } };
          let %add_a = %adder(%a);
          let %add_b = %adder(%b);
          subtract(%add_a(10), %add_b(1))
        }
        """,
        5,
        2,
    )
    assert result == (5 + 10) - (2 + 1)


def test_a_function_bound_by_let_may_call_itself(run: Run) -> None:
    count = run(
        """
        def @main(%limit: int32) -> int32 {
          let %count = fn (%n: int32) -> int32 { if (less(%n, %limit)) { %count(add(%n, 1)) } else { %n } };
          %count(0)
        }
        """,
        1_000,
    )
    assert count == 1_000


def test_functions_are_arguments_and_polymorphic(run: Run) -> None:
    result = run(
        """
        def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
        def @main(%x: float32, %t: Tensor[(3), int32]) {
          (@twice(fn (%y: float32) -> float32 { multiply(%y, %y) }, %x),
           @twice(fn (%y: Tensor[(3), int32]) -> Tensor[(3), int32] { add(%y, %y) }, %t))
        }
        """,
        3.0,
        [1, 2, 3],
    )
    square, double = as_tuple(result)
    assert square == 81.0
    assert double.tolist() == [4, 8, 12]


def test_a_shared_expression_is_evaluated_once(run: Run) -> None:
    # Each line uses the one before twice: evaluating them again and again would take 2**60 additions.
    doubled = "\n".join(f"%{line + 1} = add(%{line}, %{line});" for line in range(60))
    result = run(f"def @main(%x: float64) {{ %0 = add(%x, %x);\n{doubled}\n%60 }}", 1.0)
    assert result == 2.0**61


def test_what_a_function_shares_with_its_surroundings_is_one_value(run: Run) -> None:
    result = run(
        """
        def @main() {
          %0 = ref(0);
          let %set = fn () { ref_write(%0, 7) };
          let %done = %set();
          ref_read(%0)
        }
        """
    )
    assert result == 7


def as_tuple(value: Any) -> tuple[np.ndarray[Any, Any], ...]:
    assert isinstance(value, tuple)
    return value


def test_lowered_functions_are_called_like_others(run: Run) -> None:
    text = """
        def @double(%y: Tensor[(2), float32], Primitive=1) -> Tensor[(2), float32] { add(%y, %y) }
        def @main(%x: Tensor[(2), float32]) { call_lowered(@double, (%x,)) }
        """
    assert run(text, [1, 2]).tolist() == [2, 4]


def test_a_lowered_function_may_write_into_what_the_caller_has(run: Run) -> None:
    text = """
        def @main(%x: Tensor[(2), float32], %out: Tensor[(2), float32]) {
          let %f = fn (%y: Tensor[(2), float32], Primitive=1) -> Tensor[(2), float32] { add(%y, %y) };
          let %done = vm.invoke_tvm_op(%f, (%x,), (%out,));
          %out
        }
        """
    assert run(text, [1, 2], np.zeros(2, np.float32)).tolist() == [2, 4]
