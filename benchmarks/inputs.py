"""Modules of any size to measure with."""

from __future__ import annotations

__all__ = ["chain", "fan", "shared_value"]

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
