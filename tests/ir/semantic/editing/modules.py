"""The texts that edit scripts begin with: modules of our own in every shape, and those of the conformance records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tests.conformance import records

__all__ = ["texts"]

_CHAIN = '#[version = "0.0.5"]\n'
_CHAIN += "def @main(%x: Tensor[(1, 8), float32], %w: Tensor[(8, 8), float32]) -> Tensor[(1, 8), float32] {\n"
_CHAIN += "".join(
    f"  %{i} = {('nn.dense(%s, %%w, units=8)', 'nn.relu(%s)', 'add(%s, %%x)')[i % 3] % (f'%{i - 1}' if i else '%x')}"
    " /* ty=Tensor[(1, 8), float32] */;\n"
    for i in range(12)
)
_CHAIN += "  nn.softmax(%11)\n}\n"

_MODULE = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
// two functions that look alike, and one that calls them
def @f(%x: Tensor[(1, 64), float32]) -> Tensor[(1, 64), float32] {
  %0 = nn.relu(%x) /* ty=Tensor[(1, 64), float32] */;
  %1 = add(%0, %x);
  let %y = tanh(%1);
  multiply(%y, %0)
}

def @g(%x: Tensor[(1, 64), float32]) -> Tensor[(1, 64), float32] {
  %0 = sigmoid(%x);
  let %y = fn (%z: Tensor[(1, 64), float32]) { %2 = add(%z, %0); %2 };
  %y(%0)
}

def @main(%a: Tensor[(1, 64), float32], %l: List[int32]) {
  %0 = @f(%a);
  %1 = if (True) { @g(%0) } else { %2 = nn.relu(%0); %2 };
  let %n = match (%l) { Cons(%h, _) => %h, Nil => 0 };
  (%1, %n)
}
"""

_CALLS = """#[version = "0.0.5"]
def @first(%x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  %0 = nn.relu(%x);
  %1 = add(%0, %x) /* ty=Tensor[(1, 8), float32] */;
  %1
}

def @second(%x: Tensor[(1, 8), float32], %n: int32) -> Tensor[(1, 8), float32] {
  %0 = @first(%x);
  let %y = @first(%0);
  %2 = less(%n, 3);
  %3 = subtract(%n, 1);
  %4 = if (%2) { @second(%y, %3) } else { %5 = tanh(%0); %5 };
  multiply(%4, %0)
}

def @third(%x: Tensor[(1, 8), float32]) {
  %0 = @second(%x, 3) /* ty=Tensor[(1, 8), float32] */;
  %1 = (%0, %x);
  concatenate(%1)
}

def @untyped(%x) {
  %0 = nn.relu(%x);
  %0
}

def @main(%a: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  %0 = @first(%a);
  %1 = @second(%0, 2);
  %2 = @first(%1);
  add(%2, %a)
}
"""

_PRELUDE = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
type Option[A] { Some(A), None_ }
type Tree[A] { Rose(A, List[Tree[A]]) }

def @hd[A](%xs: List[A]) -> A {
  match? (%xs) { Cons(%x, _) => %x }
}

def @map[A, B](%f: fn (A) -> B, %xs: List[A]) -> List[B] {
  match (%xs) {
    Cons(%x, %rest) => Cons(%f(%x), @map(%f, %rest)),
    Nil => Nil,
  }
}

def @sum(%xs: List[int32]) -> int32 {
  match (%xs) {
    Cons(%x, %rest) => {
      %0 = @sum(%rest);
      add(%x, %0)
    },
    Nil => 0,
  }
}

def @double(%x: int32) -> int32 {
  %0 = add(%x, %x);
  %0
}

def @main(%n: int32, %t: Tree[int32]) -> int32 {
  %0 = Cons(%n, Nil);
  %1 = @map(@double, %0) /* ty=List[int32] */;
  %2 = @sum(%1);
  let %o = Some(%2);
  %3 = match (%o) { Some(%v) => %v, None_ => @hd(%1) };
  %4 = match (%t) { Rose(%v, _) => %v };
  %5 = add(%3, %4);
  %6 = @double(%5);
  add(%6, @double(%n))
}
"""

_LETS = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %c: bool) -> Tensor[(1, 8), float32] {
  let %x_0: Tensor[(1, 8), float32] /* ty=Tensor[(1, 8), float32] */ = nn.relu(%x) /* ty=Tensor[(1, 8), float32] */;
  let %x_1 = tanh(%x_0);
  let %x_2 = let %a = exp(%x_1); add(%a, %x_0);
  let %x_3: Tensor[(1, 8), float32] =
    let %b = sigmoid(%x_2);
    multiply(%b, %x_1);
  let %x_4 = (let %d = nn.relu(%x_3); %d);
  let %x_5 = if (%c) { let %e = tanh(%x_4); %e } else { %x_3 };
  let %x_6 = fn (%y: Tensor[(1, 8), float32]) { let %z = exp(%y); %z };
  let %x_7 = %x_6(%x_5);
  let %x_8 = (%x_7, %x_0);
  let %x_9 = %x_8.0;
  %x_9
}
"""


_GENERICS = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @pair[A, B](%a: A, %b: B) -> (A, B) {
  let %x: A = %a;
  let %id = fn [C](%c: C) -> C { %c };
  let %y: B /* ty=B */ = %id(%b);
  %0 = (%x, %y);
  %1 = %0.0;
  (%1, %y)
}

def @swap[A, B](%p: (A, B)) -> (B, A) {
  %0 = %p.1;
  %1 = %p.0;
  let %again = fn (%q: A) -> A { %q };
  %2 = %again(%1);
  (%0, %2)
}

def @fold[A, B](%f: fn (B, A) -> B, %start: B, %l: List[A]) -> B {
  match (%l) {
    Cons(%head, %rest) => {
      let %next = %f(%start, %head);
      @fold(%f, %next, %rest)
    },
    Nil => %start,
  }
}

def @main(%x: Tensor[(1, 8), float32], %n: int32, %l: List[int32]) -> int32 {
  %0 = @pair(%x, %n);
  %1 = @swap(%0);
  %2 = @pair(%1, %0.0);
  let %_second = %2.1;
  let %sum = fn (%a: int32, %b: int32) -> int32 { add(%a, %b) };
  %4 = @fold(%sum, %n, %l);
  add(%4, %1.0)
}
"""

_WEIGHTS = """#[version = "0.0.5"]
def @main(%x: Tensor[(8, 8), float32], %w, %v, %b) {
  %0 = nn.dense(%x, %w, units=8);
  %1 = nn.relu(%0);
  %2 = nn.dense(%1, %v, units=8);
  %3 = nn.bias_add(%2, %b);
  %4 = nn.dense(%3, %w, units=8);
  let %a = nn.dense(%4, %v, units=8);
  %5 = nn.bias_add(%a, %b);
  %6 = tanh(%5);
  let %a = nn.bias_add(%6, %b);
  %7 = nn.relu(%a);
  %7
}
"""

_UNTYPED = """#[version = "0.0.5"]
def @scale(%x: Tensor[(1, 8), float32], %s) {
  %0 = multiply(%x, %s);
  %0
}

def @open(%a, %b) {
  %0 = nn.relu(%a);
  let %y = add(%0, %b);
  (%y, %0)
}

def @main(%x: Tensor[(1, 8), float32], %w0, %w1, %b1, %c) {
  %0 = tanh(%w1);
  %1 = nn.dense(%x, %w0, units=8);
  %2 = nn.dense(%1, %w1, units=8);
  %3 = nn.bias_add(%2, %b1);
  let %y: Tensor[(1, 8), float32] = nn.relu(%3);
  %4 = if (%c) { %y } else { %x };
  %5 = nn.dense(%4, %w0, units=8);
  %6 = add(%5, %y);
  (%6, %0)
}
"""

_REFERENCES = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %c: bool) -> Tensor[(1, 8), float32] {
  let %r = ref(%x);
  let %add = fn (%y: Tensor[(1, 8), float32]) {
    let %old = ref_read(%r);
    let %new = add(%old, %y);
    ref_write(%r, %new)
  };
  let %_ = %add(%x);
  let %twice = fn (%f: fn (Tensor[(1, 8), float32]) -> (), %y: Tensor[(1, 8), float32]) { %f(%y); %f(%y) };
  let %u = %twice(%add, %x);
  let %v = if (%c) { ref_read(%r) } else { %x };
  multiply(%v, ref_read(%r))
}
"""


_FREE = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %c: bool) -> Tensor[(1, 8), float32] {
  free_var %v: Tensor[(1, 8), float32];
  %0 = add(%x, %v);
  free_var %w: Tensor[(8, 8), float32] /* ty=Tensor[(8, 8), float32] */;
  let %z = nn.dense(%0, %w, units=8);
  free_var %z: int32;
  free_var %x: bool;
  %1 = if (%c) { %v } else { %z };
  free_var %v: float32;
  let %v = nn.relu(%1);
  free_var %u;
  multiply(%v, %1)
}
"""


_OPEN_HEADS = """#[version = "0.0.5"]
def @given(%x: Tensor[(1, 8), float32]) {
  %0 = nn.relu(%x);
  %0
}

def @typed(%x, %n) -> Tensor[(1, 8), float32] {
  %0 = nn.relu(%x);
  %0
}

def @neither(%x) {
  tanh(%x)
}

def @again(%x: Tensor[(1, 8), float32], %c: bool) {
  if (%c) { %x } else { @again(%x, %c) }
}

def @main(%x: Tensor[(1, 8), float32], %c: bool) -> (Tensor[(1, 8), float32], Tensor[(1, 8), float32]) {
  %0 = @given(%x);
  %1 = @typed(%x, 1);
  %2 = @neither(%x);
  let %y: Tensor[(1, 8), float32] = @given(%1);
  %3 = if (%c) { %2 } else { %1 };
  %4 = add(%3, @again(%y, %c));
  %5 = @typed(%4, 2);
  %6 = nn.relu(%5);
  (%0, %6)
}

def @last(%x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] {
  %0 = @given(%x);
  %0
}

def @apart(%x: Tensor[(1, 8), float32]) {
  %0 = @given(%x);
  %1 = @neither(%0);
  add(%1, %x)
}
"""


_LATER = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
def @main(%x: int32, %c: bool) -> int32 {
  let %l = Nil;
  %0 = Nil;
  let %m = if (%c) { %l } else { %0 };
  let %n = Cons(%x, %m);
  let %f = fn (%y) { add(%y, %x) };
  let %r = ref(Nil);
  let %z: int32 = %f(%x);
  ref_write(%r, Cons(%c, Nil));
  let %u = nn.relu(%u);
  %1 = match (%n) { Cons(%h, _) => %h, Nil => %z };
  let %w: int32 = if (%c) { %1 } else { %w };
  let %last = negative(%last);
  %2 = add(%w, 1);
  %last
}
"""


def _long_calls(functions: int, statements: int) -> str:
    """Functions that call the one before them."""
    type = "Tensor[(1, 8), float32]"
    lines = ['#[version = "0.0.5"]']
    for function in range(functions):
        lines.append(f"def @f{function}(%x: {type}) -> {type} {{")
        for number in range(statements):
            value = f"%{number - 1}" if number else "%x"
            operation = f"@f{function - 1}({value})" if number % 4 == 1 and function else f"add({value}, %x)"
            lines.append(f"  %{number} = {operation} /* ty={type} */;")
        lines += [f"  %{statements - 1}", "}"]
    return "\n".join([*lines, ""])


_CONSTANTS = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32], %c: bool) -> (Tensor[(2, 3), float32], float32, int64) {
  %0 = 2f;
  %1 = multiply(%x, %0);
  %2 = 3i64 /* ty=int64 */;
  %3 = True;
  let %half = 0.5f;
  %4 = if (%3) { %5 = -1f; add(%1, %5) } else { multiply(%1, %half) };
  %6 = add(%4, %0);
  %7 = negative(%2);
  %8 = logical_and(%c, %3);
  %9 = if (%8) { %0 } else { %half };
  (%6, %9, %7)
}
"""


_BOUND_PARAMETERS = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %y: Tensor[(1, 8), float32], %n: int32, %c: bool) {
  let %a = nn.relu(%x) /* ty=Tensor[(1, 8), float32] */;
  let %x = add(%a, %y);
  %0 = tanh(%x);
  let %b = if (%c) { let %y = (%0, %n); %y.0 } else { %x };
  let %x = (%b, %0);
  %1 = %x.0;
  let %y = concatenate(%x, axis=0);
  %2 = fn (%n: int32) { let %m = add(%n, 1); let %n = negative(%m); %n };
  %3 = %2(%n);
  let %n = cast(%3, dtype="float32");
  (%y, %1, %n)
}

def @other(%x: Tensor[(1, 8), float32]) -> Tensor[(2, 8), float32] {
  let %x = @main(%x, %x, 1, True);
  let %y = nn.relu(%x);
  concatenate((%x, %y), axis=0)
}
"""


_REPEATED_PARAMETERS = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 8), float32], %w, %x: int32, %w) -> Tensor[(1, 8), float32] {
  %0 = nn.relu(%x) /* ty=Tensor[(1, 8), float32] */;
  %1 = add(%0, %w);
  let %a = nn.bias_add(%1, %w);
  %2 = @other(%a, 1, %a);
  add(%2, %x)
}

def @other(%y: Tensor[(1, 8), float32], %n: int32, %y: Tensor[(1, 8), float32]) {
  %0 = cast(%n, dtype="float32");
  let %z = multiply(%y, %0);
  %1 = @main(%z, %z, %n, %z);
  (%1, %y).0
}
"""


@lru_cache(maxsize=1)
def texts() -> Sequence[str]:
    """Modules to edit: some of our own, and those of the conformance records."""
    own = [
        _CHAIN,
        _MODULE,
        _CALLS,
        _PRELUDE,
        _LETS,
        _GENERICS,
        _UNTYPED,
        _WEIGHTS,
        _REFERENCES,
        _CONSTANTS,
        _FREE,
        _OPEN_HEADS,
        _LATER,
        _BOUND_PARAMETERS,
        _REPEATED_PARAMETERS,
        _long_calls(6, 12),
        _long_calls(20, 5),
    ]
    collected = list(own)
    for name in ("parse", "cross", "passes/InferType", "passes/FuseOps", "eval"):
        for record in records.load(name):
            collected.extend(text for _, text in records.texts(record) if 80 < len(text) < 3000)
    collected = list(dict.fromkeys(collected))
    return [*collected, *own * (len(collected) // 40)]  # modules of several functions are few among the records
