"""What TVM's prelude has: lists, options, trees, and tensors in arrays, and functions on lists.

Source of the rule: ``python/tvm/relay/prelude.py`` and ``python/tvm/relay/std/prelude.rly``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from relay_lsp.ir.module import IRModule, TypeData
from relay_lsp.ir.types import GlobalTypeVar

__all__ = ["prelude", "prelude_types"]

_DTYPES = ("float16", "float32", "float64", "int16", "int32", "int64", "int8", "uint16", "uint8")
_MOST_DIMENSIONS = 6


_FUNCTIONS = """
def @hd[A](%xs: List[A]) -> A {
  match? (%xs) { Cons(%x, _) => { %x } }
}
def @tl[A](%xs: List[A]) -> List[A] {
  match? (%xs) { Cons(_, %rest) => { %rest } }
}
def @nth[A](%xs: List[A], %n: int32) -> A {
  if (equal(%n, 0)) { @hd(%xs) } else { @nth(@tl(%xs), subtract(%n, 1)) }
}
def @update[A](%xs: List[A], %n: int32, %value: A) -> List[A] {
  if (equal(%n, 0)) { Cons(%value, @tl(%xs)) } else { Cons(@hd(%xs), @update(@tl(%xs), subtract(%n, 1), %value)) }
}
def @length[A](%xs: List[A]) -> int32 {
  match (%xs) { Cons(_, %rest) => { add(1, @length(%rest)) }, Nil => { 0 } }
}
def @concat[A](%xs: List[A], %ys: List[A]) -> List[A] {
  match (%xs) { Cons(%x, %rest) => { Cons(%x, @concat(%rest, %ys)) }, Nil => { %ys } }
}
def @rev[A](%xs: List[A]) -> List[A] {
  match (%xs) { Cons(%x, %rest) => { @concat(@rev(%rest), Cons(%x, Nil)) }, Nil => { Nil } }
}
"""


@cache
def prelude() -> IRModule:
    """The types, and functions on lists by the names that they have in TVM."""
    from relay_lsp.ir.syntax.parsing import parse

    lines = ['#[version = "0.0.5"]', "type List[A] { Cons(A, List[A]), Nil, }", "type Option[A] { Some(A), None, }"]
    lines.append("type Tree[A] { Rose(A, List[Tree[A]]), }")
    for dtype in _DTYPES:
        constructors = [f"tensor_nil_{dtype}", f"tensor0_{dtype}({dtype})"]
        for rank in range(1, _MOST_DIMENSIONS + 1):
            constructors.append(f"tensor{rank}_{dtype}(Tensor[({', '.join('?' * rank)}), {dtype}])")
        lines.append(f"type tensor_{dtype}_t {{ {', '.join(constructors)}, }}")
    return parse("\n".join(lines) + _FUNCTIONS).module


def prelude_types() -> Mapping[GlobalTypeVar, TypeData]:
    """The definitions of the types, by name."""
    return prelude().type_definitions
