"""Modules of any size to measure with."""

from __future__ import annotations

__all__ = ["calling", "chain", "data_types", "fan", "lets", "shared_value"]

_TYPE = "Tensor[(1, 16, 32, 32), float32]"


def chain(statements: int) -> str:
    """A chain of convolution, bias, relu, multiply and add with a skip, with TVM's type comments: 130 bytes each."""
    lines = [
        '#[version = "0.0.5"]',
        f"def @main(%x: {_TYPE}, %w: Tensor[(16, 16, 3, 3), float32], %b: Tensor[(16), float32]) -> {_TYPE} {{",
    ]
    value, skip = "%x", "%x"
    for number in range(statements):
        operation = (
            f"nn.conv2d({value}, %w, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])",
            f"nn.bias_add({value}, %b)",
            f"nn.relu({value})",
            f"multiply({value}, {value})",
            f"add({value}, {skip})",
        )[number % 5]
        lines.append(f"  %{number} = {operation} /* ty={_TYPE} */;")
        value = f"%{number}"
        if number % 5 == 4:
            skip = value
    lines += [f"  {value}", "}", ""]
    return "\n".join(lines)


def lets(statements: int) -> str:
    """A chain of values that are bound with ``let``, as ToANormalForm prints it: statement 0 is on line 2."""
    lines = ['#[version = "0.0.5"]', f"def @main(%x: {_TYPE}) -> {_TYPE} {{"]
    value = "%x"
    for number in range(statements):
        operator = ("nn.relu", "tanh", "sigmoid", "exp")[number % 4]
        lines.append(f"  let %x_{number}: {_TYPE} /* ty={_TYPE} */ = {operator}({value}) /* ty={_TYPE} */;")
        value = f"%x_{number}"
    return "\n".join([*lines, f"  {value}", "}", ""])


def shared_value(uses: int) -> str:
    """A value that is used in every statement."""
    lines = ['#[version = "0.0.5"]', "def @main(%x: Tensor[(8), float32]) {", "  %0 = nn.relu(%x);"]
    lines += [f"  %{number} = add(%{number - 1}, %0);" for number in range(1, uses + 1)]
    lines += [f"  %{uses}", "}", ""]
    return "\n".join(lines)


def fan(statements: int) -> str:
    """A value of which every other is made, through one another: what changes its type changes theirs."""
    lines = [
        '#[version = "0.0.5"]',
        "def @main(%x: Tensor[(8, 8), int8]) {",
        '  %0 = cast(%x, dtype="float32");',
    ]
    lines += [
        f"  %{number} = {('nn.relu', 'tanh', 'exp')[number % 3]}(%{number - 1});" for number in range(1, statements)
    ]
    lines += [f"  %{statements - 1}", "}", ""]
    return "\n".join(lines)


_SMALL = "Tensor[(8, 8), float32]"
_EACH = 100


def calling(statements: int) -> str:
    """Functions of a hundred statements that call those before them, and a ``@main`` that calls the last.

    The names of values begin anew in each, as where functions were lifted out of one. Line ``2 + 102 * i`` is the first
    statement of the ``i``-th function.
    """
    lines = ['#[version = "0.0.5"]']
    functions = max(statements // _EACH, 1)
    for function in range(functions):
        name = "@main" if function == functions - 1 else f"@block_{function}"
        lines.append(f"def {name}(%x: {_SMALL}, %w: {_SMALL}) -> {_SMALL} {{")
        for number in range(_EACH):
            value = f"%{number - 1}" if number else "%x"
            earlier = f"@block_{function - 1 - number // 10 % min(function, 10)}" if function else "@main"
            operation = (
                f"nn.dense({value}, %w, units=8)",
                f"nn.relu({value})",
                f"add({value}, %x)",
                f"multiply({value}, {value})",
                f"{earlier}({value}, %w)" if function else f"tanh({value})",
            )[number % 5]
            lines.append(f"  %{number} = {operation} /* ty={_SMALL} */;")
        lines += [f"  %{_EACH - 1}", "}"]
    return "\n".join([*lines, ""])


def data_types(statements: int) -> str:
    """A list and a tree, generic functions over them, and functions of a hundred statements that build and match them.

    Every tenth statement matches, every tenth calls a function that calls itself. The first of the functions of a
    hundred statements begins after :data:`PRELUDE`.
    """
    lines: list[str] = [*PRELUDE.splitlines()]
    for function in range(max(statements // _EACH, 1)):
        lines.append(f"def @step_{function}(%x: {_SMALL}, %l: List[{_SMALL}]) -> List[{_SMALL}] {{")
        for number in range(0, _EACH, 10):
            value = f"%{number - 6}" if number else "%x"
            rest = f"%{number - 1}" if number else "%l"
            lines += [
                f"  %{number} = nn.relu({value}) /* ty={_SMALL} */;",
                f"  %{number + 1} = add(%{number}, %x) /* ty={_SMALL} */;",
                f"  %{number + 2} = tanh(%{number + 1}) /* ty={_SMALL} */;",
                f"  %{number + 3} = multiply(%{number + 2}, %{number}) /* ty={_SMALL} */;",
                f"  %{number + 4} = nn.relu(%{number + 3}) /* ty={_SMALL} */;",
                f"  %{number + 5} = Cons(%{number + 4}, {rest}) /* ty=List[{_SMALL}] */;",
                f"  %{number + 6} = match (%{number + 5}) {{ Cons(%h, _) => %h, Nil => %x }};",
                f"  %{number + 7} = @length(%{number + 5}) /* ty=int32 */;",
                f"  %{number + 8} = add(%{number + 7}, 1) /* ty=int32 */;",
                f"  %{number + 9} = if (less(%{number + 8}, 9)) {{ Cons(%{number + 6}, Nil) }} else {{ {rest} }};",
            ]
        lines += [f"  %{_EACH - 1}", "}"]
    return "\n".join([*lines, ""])


PRELUDE = """#[version = "0.0.5"]
type List[A] { Cons(A, List[A]), Nil }
type Tree[A] { Rose(A, List[Tree[A]]) }
def @length[A](%l: List[A]) -> int32 {
  match (%l) { Cons(_, %t) => add(1, @length(%t)), Nil => 0 }
}
def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] {
  match (%l) { Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)), Nil => Nil }
}
def @root[A](%t: Tree[A]) -> A {
  match (%t) { Rose(%a, _) => %a }
}
"""
"""The types and generic functions of :func:`data_types`."""
