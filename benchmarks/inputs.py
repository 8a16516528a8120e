"""Modules of any size to measure with."""

from __future__ import annotations

import re
from itertools import cycle
from pathlib import Path

from tests.conformance import records

__all__ = [
    "calling",
    "chain",
    "data_types",
    "dump",
    "fan",
    "fused",
    "generic",
    "lets",
    "nested",
    "plain",
    "record_dumps",
    "shared_value",
    "untyped_parameters",
    "with_errors",
]

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


def with_errors(statements: int) -> str:
    """The same with an error in one of ten: shapes that do not fit, an operator or a value that there is not."""
    lines = chain(statements).split("\n")
    wrong = ("add({}, %b)", "custom.op({})", "nn.relu(%lost)", "nn.dense({}, %w)")
    for number in range(5, statements, 10):
        operation = wrong[number // 10 % len(wrong)].format(f"%{number - 1}")
        lines[number + 2] = f"  %{number} = {operation} /* ty={_TYPE} */;"
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


def plain(statements: int) -> str:
    """A chain of values without type comments: what changes the type of one changes the types of all after it."""
    return _plain("@main", f"%x: {_SMALL}", statements)


def generic(statements: int) -> str:
    """The same in a function with type parameters."""
    return _plain("@main[A, B]", f"%x: {_SMALL}, %a: A, %f: fn (A) -> B", statements)


def untyped_parameters(statements: int) -> str:
    """The same, and one in every hundred a product with weights whose types the operator tells."""
    weights = "".join(f", %w{number}" for number in range(statements // _EACH))
    return _plain("@main", f"%x: {_SMALL}{weights}", statements)


def _plain(name: str, parameters: str, statements: int) -> str:
    lines = ['#[version = "0.0.5"]', f"def {name}({parameters}) {{"]
    has_weights = "%w0" in parameters
    value = "%x"
    for number in range(statements):
        operation = (f"nn.relu({value})", f"tanh({value})", f"add({value}, %x)", f"multiply({value}, {value})")[
            number % 4
        ]
        if has_weights and number % _EACH == _EACH // 2:
            operation = f"nn.dense({value}, %w{number // _EACH}, units=8)"
        lines.append(f"  %{number} = {operation};")
        value = f"%{number}"
    return "\n".join([*lines, f"  {value}", "}", ""])


def nested(statements: int) -> str:
    """Every construct that spreads over lines: `if`, `match`, functions in functions, tuples and calls; no comments."""
    lines = ['#[version = "0.0.5"]', "type Maybe {", "  Some(Tensor[(8, 8), float32]),", "  None,", "}"]
    lines += [f"def @main(%x: {_SMALL}, %c: bool, %o: Maybe) -> {_SMALL} {{"]
    value = "%x"
    for number in range(0, statements, 10):
        at = [f"%{number + place}" for place in range(10)]
        lines.append(f"""  {at[0]} = if (%c) {{
    let %a{number} = tanh({value});
    add(%a{number}, %x)
  }} else {{
    {value}
  }};
  {at[1]} = match (%o) {{
    Some(%v{number}) => %v{number},
    None => {at[0]},
  }};
  {at[2]} = fn (%p{number}: {_SMALL}) -> {_SMALL} {{
    {at[7]} = exp(%p{number});
    sigmoid({at[7]})
  }};
  {at[3]} = {at[2]}({at[1]});
  {at[4]} = (
    {at[3]},
    {at[0]},
  );
  {at[5]} = add(
    {at[4]}.0,
    {at[4]}.1
  );
  {at[6]} = nn.relu({at[5]});""")
        value = at[6]
    return "\n".join([*lines, f"  {value}", "}", ""])


def fused(statements: int) -> str:
    """What FuseOps prints: functions that are bound as values, and called with the values before them."""
    lines = ['#[version = "0.0.5"]', f"def @main(%x: {_SMALL}) -> {_SMALL} {{"]
    value = "%x"
    for number in range(0, statements, 2):
        signature = f"fn (%p0: {_SMALL}, Primitive=1) -> {_SMALL}"
        body = f"    %{statements + number} = nn.relu(%p0) /* ty={_SMALL} */;\n    tanh(%{statements + number})"
        lines.append(
            f"  %{number} = {signature} {{\n{body} /* ty={_SMALL} */\n  }} /* ty=fn ({_SMALL}) -> {_SMALL} */;"
        )
        lines.append(f"  %{number + 1} = %{number}({value}) /* ty={_SMALL} */;")
        value = f"%{number + 1}"
    return "\n".join([*lines, f"  {value}", "}", ""])


def dump(statements: int) -> str:
    """ResNet-18 as TVM prints it, under as many names as it takes."""
    text = (Path(__file__).parents[1] / "examples" / "resnet18.relay").read_text(encoding="utf-8")
    start, end = text.index("def @main"), text.find("#[metadata]")
    function, rest = (text[start:], "") if end < 0 else (text[start:end], text[end:])
    count = max(statements // function.count(";\n"), 1)
    copies = [function.replace("@main", f"@main_{number}", 1) for number in range(count - 1)]
    return f"{text[:start]}{''.join(copies)}{function}{rest}"


def record_dumps(statements: int) -> str:
    """What TVM printed, of the sample of conformance records: the longest networks and what passes made of others.

    They are the functions of one module, in turn, as often as it takes; the last one, ``@main``, is ResNet-152.
    """
    functions: list[str] = []
    for name, count in (("big", 1), ("models", 2), ("passes/InferType", 2), ("passes/FuseOps", 3)):
        texts = {text for record in records.load(name) for _, text in records.texts(record)}
        alone = [text for text in texts if text.count("def @") == 1 and not re.search(r"\ntype |#\[metadata\]", text)]
        longest = sorted(alone, key=lambda text: (len(text), text))[-count:]
        functions += [text[text.index("def @") :].rstrip() for text in longest]
    lines = ['#[version = "0.0.5"]']
    left = statements - functions[0].count(";\n")
    for number, function in enumerate(cycle(functions[1:])):
        left -= function.count(";\n")
        if left < 0:
            break
        lines.append(re.sub(r"def @\w+", f"def @part_{number}", function, count=1))
    return "\n".join([*lines, re.sub(r"def @\w+", "def @main", functions[0], count=1), ""])


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
