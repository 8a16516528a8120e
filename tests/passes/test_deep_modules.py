"""Depth and breadth are ordinary: no pass, nor reading, typing, printing, comparing or editing, uses Python's stack for
what the user has nested, or time that grows faster than the module.

``python -m benchmarks.pass_depth`` measures the same shapes at 100,000 and 10,000.
"""

from __future__ import annotations

import sys
from functools import cache

import pytest

from relay_lsp.ir.diagnostics import apply_edits
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.structural import structural_equal, structural_hash
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.syntax.parsing import Parsed
from relay_lsp.passes import PassContext, PassError, Trace, create, registered
from relay_lsp.passes.text_edits import text_edits

from .deep_shapes import SHAPES
from .modules import VERSION, typed

DEPTH = {shape: sys.getrecursionlimit() + 100 for shape in SHAPES} | {
    "chain": 5_000,
    "lets": 2_000,
    "captures": 300,
}
OPTIONS = {"AnnotateTarget": {"targets": "dnnl"}, "SplitArgs": {"max_function_args": 10}}


QUADRATIC = {("FirstOrderGradient", "tuples")}
"""Passes whose result is quadratic in the depth: the gradient of a tuple names each tensor in it, and so on inwards."""


@cache
def parsed(shape: str) -> Parsed:
    return parse(VERSION + SHAPES[shape](DEPTH[shape]))


@cache
def module(shape: str) -> IRModule:
    return typed(parsed(shape).module)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_deep_module_prints_and_reads_back(shape):
    printed = to_text(module(shape), show_types=False)
    again = typed(parse(printed).module)
    assert structural_equal(again, module(shape))
    assert structural_hash(again) == structural_hash(module(shape))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", sorted(set(registered()) - {"PrintIR", "DebugPrint"}))
def test_a_pass_goes_through_a_deep_module(name, shape):
    if (name, shape) in QUADRATIC:
        pytest.skip("the result is quadratic in the depth")
    with PassContext(opt_level=4), Trace() as trace:
        try:
            create(name, **OPTIONS.get(name, {}))(module(shape))
        except PassError:
            return  # A pass may refuse what it is no pass for; it may not run out of stack.
    assert trace.steps


@pytest.mark.parametrize("shape", SHAPES)
def test_a_pass_edits_the_text_of_a_deep_module(shape):
    before = parse(VERSION + SHAPES[shape](sys.getrecursionlimit() + 100))
    with PassContext(opt_level=4), Trace() as trace:
        after = create("LambdaLift" if shape in ("functions", "closures") else "ToANormalForm")(before.module)
    edited = apply_edits(before.reading.text, text_edits(before.reading.text, before, after, trace))
    assert structural_equal(typed(parse(edited).module), infer_types(after).module, map_free_vars=True)
