"""Branches of an ``if`` and arms of a ``match`` whose values have different types: each is reported at its value."""

from __future__ import annotations

from collections.abc import Callable

Check = Callable[[str], None]


def test_a_name_as_the_value_of_a_branch(check_errors: Check) -> None:
    check_errors("""
def @main(%c: bool, %x: float32, %y: int32) {
  if (%c) { %x } else { %y }
//                      ^^ type-mismatch: the branches differ: the first is float32, this one is int32
//          ^^ related: the first branch is float32
}
""")


def test_a_name_as_the_value_of_an_arm(check_errors: Check) -> None:
    check_errors("""
type List[A] { Cons(A, List[A]), Nil, }
def @main(%l: List[int32], %x: float32) {
  match (%l) {
    Nil => %x,
//         ^^ related: the first arm is float32
    Cons(%h, Nil) => %h,
//                   ^^ type-mismatch: the arms differ: the first is float32, this one is int32
    Cons(_, Cons(%h, _)) => { let %d: int32 = %h; %d },
//                                                ^^ type-mismatch: the arms differ
  }
}
""")


def test_a_call_that_is_being_typed_in_the_first_arm_is_at_fault_itself(check_errors: Check) -> None:
    check_errors("""
type List[A] { Cons(A, List[A]), Nil, }
def @main(%l: List[float32], %x: float32) {
  match (%l) {
    Nil => nn.relu,
//         ^^^^^^^ type-mismatch: the arms differ: the other is float32, this one is the operator nn.relu
    Cons(%h, _) => nn.relu(%h),
//                 ^^^^^^^^^^^ related: the other arm is float32
  }
}
""")


def test_a_call_that_is_being_typed_in_a_branch_is_at_fault_itself(check_errors: Check) -> None:
    check_errors("""
def @main(%c: bool, %x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  %0 = if (%c) {
    %1 = nn.relu(%x);
    tanh
//  ^^^^ type-mismatch: the branches differ: the other is Tensor[(2), float32], this one is the operator tanh
  } else {
    nn.relu(%x)
  };
  add(%0, %x)
}
""")


def test_operators_alone_in_all_branches_are_a_function(check_errors: Check) -> None:
    check_errors("""
def @main(%c: bool, %x: Tensor[(2), float32]) {
  %0 = if (%c) { nn.relu } else { nn.relu };
  1
}
""")
