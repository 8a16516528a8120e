"""Depth is ordinary: no pass, nor reading, typing or printing, uses Python's stack for what the user has nested."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.passes import PassContext, PassError, Trace, create, registered

from .modules import read, typed

TENSOR = "Tensor[(4), float32]"
DEPTH = 2 * sys.getrecursionlimit()
OPTIONS = {"AnnotateTarget": {"targets": "dnnl"}, "SplitArgs": {"max_function_args": 10}}

TOO_SLOW = {("LambdaLift", "functions")}


def chain(depth: int) -> str:
    lines = [f"  %{number} = nn.relu(%{number - 1});" for number in range(1, depth)]
    return "\n".join([f"def @main(%x: {TENSOR}) {{", "  %0 = nn.relu(%x);", *lines, f"  %{depth - 1}", "}"])


def lets(depth: int) -> str:
    lines = [f"  let %v{number} = nn.relu(%v{number - 1});" for number in range(1, depth)]
    return "\n".join([f"def @main(%v0: {TENSOR}) {{", *lines, f"  %v{depth - 1}", "}"])


def functions(depth: int) -> str:
    opened = "".join(f"let %f{number} = fn (%y{number}: {TENSOR}) {{ " for number in range(depth))
    closed = "".join(f" }}; %f{number}(%x)" for number in reversed(range(depth)))
    return f"def @main(%x: {TENSOR}) {{\n{opened}%x{closed}\n}}"


def branches(depth: int) -> str:
    return f"def @main(%x: {TENSOR}, %c: bool) {{\n{'if (%c) { ' * depth}%x{' } else { %x }' * depth}\n}}"


SHAPES = {"chain": (chain, DEPTH), "lets": (lets, DEPTH), "functions": (functions, DEPTH // 4)}
SHAPES["branches"] = (branches, DEPTH // 2)


@cache
def module(shape: str) -> IRModule:
    write, depth = SHAPES[shape]
    return typed(read(write(depth)))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_deep_module_prints(shape):
    assert to_text(module(shape)).startswith("#[version")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", sorted(set(registered()) - {"PrintIR", "DebugPrint"}))
def test_a_pass_goes_through_a_deep_module(name, shape):
    if (name, shape) in TOO_SLOW:
        pytest.skip("takes time that grows far faster than the depth")
    with PassContext(opt_level=4), Trace() as trace:
        try:
            create(name, **OPTIONS.get(name, {}))(module(shape))
        except PassError:
            return  # A pass may refuse what it is no pass for; it may not run out of stack.
    assert trace.steps
