"""Continuation-passing style, there and back, and first-order functions: what is computed stays the same."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.passes import PassError, Sequential, create
from tests.passes.modules import assert_same, read, typed

BRANCHES = """
def @main(%c: bool, %x: float32) -> float32 {
  let %y = if (%c) { @double(%x) } else { negative(%x) };
  let %r = ref(%y);
  ref_write(%r, add(%y, 1f));
  ref_read(%r)
}

def @double(%x: float32) -> float32 { add(%x, %x) }
"""

LOOP = """
def @main(%n: int32) -> int32 { @sum_up(%n) }

def @sum_up(%i: int32) -> int32 {
  let %done = equal(%i, 0);
  if (%done) { %i } else { let %rest = @sum_up(subtract(%i, 1)); add(%rest, %i) }
}
"""

LISTS = """
type List[A] { Cons(A, List[A]), Nil, }

def @id[A](%x: A) -> A { %x }

def @sum(%f: fn (int32) -> int32, %k: List[int32]) -> int32 {
  match (%k) {
    Cons(%x, %rest) => {
      %0 = fn (%n: int32) -> int32 { add(%x, %f(%n)) };
      @sum(%0, %rest)
    },
    Nil => { %f(0) },
  }
}

def @main(%a: int32) -> int32 { @sum(@id, Cons(%a, Cons(2, Nil))) }
"""


def there_and_back(text):
    module = typed(read(text))
    return module, typed(Sequential([create("to_cps"), create("un_cps")])(module))


@pytest.mark.parametrize("condition", [True, False])
def test_branches_and_references_compute_the_same(condition):
    before, after = there_and_back(BRANCHES)
    inputs = (np.bool_(condition), np.float32(3))
    assert ir.evaluate(after, *inputs) == ir.evaluate(before, *inputs)


def test_recursion_computes_the_same():
    before, after = there_and_back(LOOP)
    assert ir.evaluate(after, np.int32(10)) == ir.evaluate(before, np.int32(10)) == 55


def test_what_branches_share_is_one_function():
    assert_same(
        create("to_cps")(
            read("def @main(%c: bool, %x: float32) -> float32 { exp(if (%c) { %x } else { negative(%x) }) }")
        ),
        read(
            """
            def @main[answer](%c: bool, %x: float32, %k: fn (float32) -> answer) -> answer {
              let %join = fn (%arg: float32) -> answer {
                let %y = exp(%arg);
                %k(%y)
              };
              if (%c) { %join(%x) } else { let %n = negative(%x); %join(%n) }
            }
            """
        ),
    )


def test_to_cps_over_the_module_turns_every_function():
    after = typed(create("ToCPS")(read(LOOP)))
    assert {var.name_hint for var in after} == {"main", "sum_up", "sum_up_cps"}
    assert all(function.type_params for function in after.functions.values())


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("to_cps", "def @main(%x: float32) { %0 = exp(%x); add(%0, %0) }", "shared without let.*ToANormalForm"),
        ("un_cps", "def @main(%x: float32) { exp(%x) }", "takes no continuation"),
        ("un_cps", "def @main[answer](%x: float32, %y: answer) { %y }", "no continuation"),
    ],
)
def test_what_is_refused(name, text, message):
    with pytest.raises(PassError, match=message):
        create(name)(read(text))


def test_functions_that_are_passed_on_become_data():
    before = typed(read(LISTS))
    after = typed(create("Defunctionalization")(before))
    assert ir.evaluate(after, np.int32(5)) == ir.evaluate(before, np.int32(5)) == 7
    assert {var.name for var in after.type_definitions} == {"List", "DefuncFuncType"}


def test_functions_of_two_types_become_data_of_two_types():
    text = """
    def @call[A](%f: fn (A) -> A, %x: A) -> A { %f(%x) }
    def @main(%x: float32, %n: int32) -> (float32, int32) {
      (@call(fn (%y: float32) -> float32 { negative(%y) }, %x), @call(fn (%m: int32) -> int32 { add(%m, 1) }, %n))
    }
    """
    before = typed(read(text))
    after = typed(create("Defunctionalization")(before))
    inputs = (np.float32(2), np.int32(3))
    assert ir.evaluate(after, *inputs) == ir.evaluate(before, *inputs) == (-2, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @main() -> int32 { let %f = fn (%x: int32) -> int32 { %x }; %f(1) }", "is called, and no parameter"),
        ("def @main(%f: fn (int32) -> int32) -> int32 { %f(1) }", "cannot take functions"),
        ("def @main[A](%x: A) -> A { %x }", "type parameters"),
    ],
)
def test_defunctionalization_refuses_what_no_data_stands_for(text, message):
    with pytest.raises(PassError, match=message):
        create("Defunctionalization")(read(text))


def test_what_is_in_continuation_passing_style_is_converted_once_more():
    module = read("def @main(%x: float32) -> float32 { nn.relu(%x) }")
    twice = typed(Sequential([create("ToCPS"), create("ToCPS")])(module))
    names = [var.name for var in twice["main"].type_params]
    assert names == ["answer", "answer1"]
    again = typed(read(twice.text(show_header=False)))
    assert ir.structural_equal(again, twice)
