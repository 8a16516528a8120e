"""Modules as deep as one likes, one for each way in which Relay nests: written as text, which is how they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["BRANCHING", "SHAPES"]

TENSOR = "Tensor[(4), float32]"
LIST = "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n"


def chain(depth: int) -> str:
    """Each value is computed from the one before."""
    lines = [f"  %{number} = nn.relu(%{number - 1});" for number in range(1, depth)]
    return "\n".join([f"def @main(%x: {TENSOR}) {{", "  %0 = nn.relu(%x);", *lines, f"  %{depth - 1}", "}"])


def lets(depth: int) -> str:
    """Each binding is in the body of the one before."""
    lines = [f"  let %v{number} = nn.relu(%v{number - 1});" for number in range(1, depth)]
    return "\n".join([f"def @main(%v0: {TENSOR}) {{", *lines, f"  %v{depth - 1}", "}"])


def lets_in_values(depth: int) -> str:
    """Each binding is in the value of the one before."""
    opened = "".join(f"let %v{number} = (" for number in range(depth))
    closed = "".join(f");\nnn.relu(%v{number})" for number in reversed(range(depth)))
    return f"def @main(%x: {TENSOR}) {{\n{opened}%x{closed}\n}}"


def functions(depth: int) -> str:
    """Each function is bound inside the one before, and all use the same variable from outside."""
    opened = "".join(f"let %f{number} = fn (%y{number}: {TENSOR}) {{\n" for number in range(depth))
    closed = "".join(f"}};\n%f{number}(%x)\n" for number in reversed(range(depth)))
    return f"def @main(%x: {TENSOR}) {{\n{opened}%x\n{closed}}}"


def closures(depth: int) -> str:
    """Each function is bound inside the one before, and uses that one's parameter."""
    opened = "".join(f"let %f{number} = fn (%y{number}: {TENSOR}) {{\n" for number in range(1, depth + 1))
    closed = "".join(f"}};\nadd(%f{number}(%x), %y{number - 1})\n" for number in reversed(range(1, depth + 1)))
    return f"def @main(%x: {TENSOR}, %y0: {TENSOR}) {{\n{opened}%x\n{closed}}}"


def captures(depth: int) -> str:
    """Each function that is called uses what the one before gave, so that its body holds all before it."""
    lines = [
        f"  %{2 * n} = fn (%y{n}: {TENSOR}) {{ add(%y{n}, {f'%{2 * n - 1}' if n else '%x'}) }};\n"
        f"  %{2 * n + 1} = %{2 * n}(%x);"
        for n in range(depth // 4)
    ]
    return "\n".join([f"def @main(%x: {TENSOR}) {{", *lines, f"  %{2 * (depth // 4) - 1}", "}"])


def global_functions(depth: int) -> str:
    """Each function of the module calls the next."""
    functions = [f"def @f{number}(%x: {TENSOR}) -> {TENSOR} {{ @f{number + 1}(%x) }}" for number in range(depth)]
    last = f"def @f{depth}(%x: {TENSOR}) -> {TENSOR} {{ nn.relu(%x) }}"
    return "\n".join([*functions, last, f"def @main(%x: {TENSOR}) -> {TENSOR} {{ @f0(%x) }}"])


def branches(depth: int) -> str:
    """Each condition is in a branch of the one before."""
    opened, closed = "if (%c) {\n" * depth, "} else {\n%x\n}\n" * depth
    return f"def @main(%x: {TENSOR}, %c: bool) {{\n{opened}%x\n{closed}}}"


def matches(depth: int) -> str:
    """Each match is in an arm of the one before."""
    opened = "".join(f"match? (%l) {{\nCons(%h{number}, _) => " for number in range(depth))
    return f"{LIST}def @main(%x: {TENSOR}, %l: List[{TENSOR}]) {{\n{opened}%x{'}' * depth}\n}}"


def data(depth: int) -> str:
    """A list of so many items."""
    return f"{LIST}def @main(%x: {TENSOR}) {{\n{'Cons(%x, ' * depth}Nil{')' * depth}\n}}"


def references(depth: int) -> str:
    """Each value is written to a cell and read back."""
    lines = [f"  let %r{n} = ref(%v{n});\n  let %v{n + 1} = ref_read(%r{n});" for n in range(depth // 2)]
    return "\n".join([f"def @main(%v0: {TENSOR}) {{", *lines, f"  %v{depth // 2}", "}"])


def projections(depth: int) -> str:
    """Each value is put into a tuple and taken out."""
    lines = [f"  %{2 * n} = (%{2 * n - 1}, %x);\n  %{2 * n + 1} = %{2 * n}.0;" for n in range(1, depth // 2)]
    head = [f"def @main(%x: {TENSOR}) {{", "  %0 = (%x, %x);", "  %1 = %0.0;"]
    return "\n".join([*head, *lines, f"  %{2 * (depth // 2) - 1}", "}"])


def tuples(depth: int) -> str:
    """Each tuple is in the one before, and so are the types."""
    return f"def @main(%x: {TENSOR}) {{\n{'(' * depth}%x{',)' * depth}\n}}"


def one_value(depth: int) -> str:
    """A value that everything uses."""
    lines = [f"  %{number} = add(%{number - 1}, %0);" for number in range(1, depth)]
    return "\n".join([f"def @main(%x: {TENSOR}) {{", "  %0 = nn.relu(%x);", *lines, f"  %{depth - 1}", "}"])


def one_user(depth: int) -> str:
    """A value that uses everything."""
    lines = [f"  %{number} = nn.relu(%x);" for number in range(depth)]
    fields = ", ".join(f"%{number}" for number in range(depth))
    return "\n".join(
        [f"def @main(%x: {TENSOR}) {{", *lines, f"  %{depth} = ({fields});", f"  concatenate(%{depth})", "}"]
    )


SHAPES: Mapping[str, Callable[[int], str]] = {
    "chain": chain,
    "lets": lets,
    "lets in values": lets_in_values,
    "functions": functions,
    "closures": closures,
    "captures": captures,
    "global functions": global_functions,
    "branches": branches,
    "matches": matches,
    "data": data,
    "references": references,
    "projections": projections,
    "tuples": tuples,
    "one value": one_value,
    "one user": one_user,
}
"""How a module of a depth is written; those of breadth are here, too."""

BRANCHING = frozenset(("functions", "closures", "branches", "matches", "tuples"))
"""The shapes whose printed text is indented or typed more with each level, so that it is quadratic in the depth."""
