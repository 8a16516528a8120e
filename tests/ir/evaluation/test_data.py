"""Tuples, algebraic data types and references."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.evaluation import ADTValue, EvaluationError

Run = Callable[..., Any]

LIST = "type List[A] { Cons(A, List[A]), Nil, }\n"


def test_tuples_nest(run: Run) -> None:
    text = "def @main(%t: (int32, (int32, int32))) { %0 = %t.1; (%0.1, (%t.0, %0.0)) }"
    assert run(text, (1, (2, 3))) == (3, (1, 2))


def test_a_match_takes_values_apart(run: Run) -> None:
    total = run(
        LIST
        + """
        def @sum(%list: List[int32]) -> int32 {
          match (%list) { Cons(%head, %tail) => add(%head, @sum(%tail)), Nil => 0 }
        }
        def @main() { @sum(Cons(1, Cons(2, Cons(3, Nil)))) }
        """
    )
    assert total == 6


def test_patterns_nest_and_the_first_that_matches_wins(run: Run) -> None:
    text = (
        LIST
        + """
        def @main(%pair: (List[int32], int32)) -> int32 {
          match? (%pair) {
            (Cons(%first, Cons(%second, _)), _) => %second,
            (Cons(%only, Nil), %n) => add(%only, %n),
          }
        }
        def @two() { Cons(1, Cons(2, Nil)) }
        """
    )
    assert run(text.replace("%pair: (List[int32], int32)", "").replace("%pair", "(@two(), 5)")) == 2
    assert run(text.replace("%pair: (List[int32], int32)", "").replace("%pair", "(Cons(1, Nil), 5)")) == 6


def test_no_arm_for_a_value_is_an_error(run: Run) -> None:
    with pytest.raises(EvaluationError, match=r"no arm of the match takes Nil\(\)"):
        run(LIST + "def @main() -> int32 { let %l: List[int32] = Nil; match? (%l) { Cons(%x, _) => %x } }")


def test_a_list_may_be_long(run: Run) -> None:
    result = run(
        LIST
        + """
        def @count(%n: int32, %list: List[int32]) -> List[int32] {
          if (equal(%n, 0)) { %list } else { @count(subtract(%n, 1), Cons(%n, %list)) }
        }
        def @main(%n: int32) { @count(%n, Nil) }
        """,
        20_000,
    )
    assert isinstance(result, ADTValue)
    assert repr(result) == "Cons(array(1, dtype=int32), …)"


def test_references_are_written_in_order(run: Run) -> None:
    result = run(
        """
        def @main(%x: float32) {
          let %cell = ref(%x);
          let %before = ref_read(%cell);
          let %u = ref_write(%cell, add(%before, 1f));
          (%before, ref_read(%cell))
        }
        """,
        np.float32(2),
    )
    assert result == (2.0, 3.0)


def test_annotations_pass_any_value_through(run: Run) -> None:
    assert run("def @main(%x: int32) { let %r = annotation.checkpoint(ref(%x)); ref_read(%r) }", 3) == 3
