"""Types that only the use of a value tells."""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir import to_text
from relay_lsp.ir.expressions import Call, Let
from relay_lsp.ir.module import IRModule

Typed = Callable[[str], IRModule]


def test_a_weight_gets_its_type_from_the_operator(typed: Typed) -> None:
    module = typed("def @main(%x: Tensor[(4, 8), float32], %w) { nn.dense(%x, %w, units=16) }")
    assert repr(module["main"].params[1].type_annotation) == "Tensor[(16, 8), float32]"


def test_a_lambda_gets_its_type_from_its_call(typed: Typed) -> None:
    module = typed("def @main(%x: float32) { let %f = fn (%a) { add(%a, %a) }; %f(%x) }")
    body = module["main"].body
    assert isinstance(body, Let)
    assert repr(body.value.checked_type) == "fn (float32) -> float32"


def test_a_relation_waits_until_its_argument_is_known(typed: Typed) -> None:
    module = typed("""
def @main(%x: Tensor[(4, 8), float32]) {
  let %f = fn (%a) { let %t = split(%a, indices_or_sections=2, axis=1); %t.0 };
  %f(%x)
}
""")
    assert repr(module["main"].ret_type) == "Tensor[(4, 4), float32]"


def test_a_polymorphic_function_is_instantiated_at_each_call(typed: Typed) -> None:
    module = typed("""
def @id[A](%x: A) -> A { %x }
def @main(%x: float32, %y: int32) { (@id(%x), @id(%y)) }
""")
    first, second = module["main"].body.fields  # type: ignore[attr-defined]
    assert isinstance(first, Call)
    assert [repr(argument) for argument in (*first.type_args, *second.type_args)] == ["float32", "int32"]


def test_functions_may_call_each_other(typed: Typed) -> None:
    module = typed("""
def @even(%n: int32) -> bool { if (equal(%n, 0)) { True } else { @odd(subtract(%n, 1)) } }
def @odd(%n: int32) -> bool { if (equal(%n, 0)) { False } else { @even(subtract(%n, 1)) } }
""")
    assert repr(module["odd"].checked_type) == "fn (int32) -> bool"


def test_a_let_bound_function_may_call_itself(typed: Typed) -> None:
    module = typed("""
def @main(%n: int32) {
  let %loop = fn (%i: int32) -> int32 { if (equal(%i, 0)) { %i } else { %loop(subtract(%i, 1)) } };
  %loop(%n)
}
""")
    assert repr(module["main"].ret_type) == "int32"


def test_constructors_take_their_type_arguments_from_their_use(typed: Typed) -> None:
    module = typed("""
type List[A] { Cons(A, List[A]), Nil, }
def @main(%x: float32) -> List[float32] { Cons(%x, Nil) }
""")
    assert "Nil /* ty=List[float32]" in to_text(module)


def test_a_match_types_what_its_patterns_bind(typed: Typed) -> None:
    module = typed("""
type List[A] { Cons(A, List[A]), Nil, }
def @head[A](%l: List[A], %default: A) -> A {
  match (%l) {
    Cons(%h, _) => { %h },
    Nil => { %default },
  }
}
""")
    assert "Cons(%h: A /* ty=A" in to_text(module)


def test_a_function_as_an_argument(typed: Typed) -> None:
    module = typed("""
def @twice[A](%f: fn (A) -> A, %x: A) -> A { %f(%f(%x)) }
def @main(%x: Tensor[(2), float32]) { @twice(fn (%a) { nn.relu(%a) }, %x) }
""")
    assert repr(module["main"].ret_type) == "Tensor[(2), float32]"
