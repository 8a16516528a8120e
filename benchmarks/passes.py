"""How long each pass takes, and how that grows: ``python -m benchmarks.passes [PASS…] [--sizes 1000 10000]``.

The first table is over a chain of convolution, bias, relu, multiply and add with skips: the module that TVM v0.12.0 was
measured with, whose seconds (recorded on a quiet machine of this kind) stand beside ours. Each run gets a module of its
own, about which nothing is remembered but the types of its expressions; ``InferType`` gets one without types. A pass is
measured as TVM's was: a function pass with the type inference that follows it, ``DeadCodeElimination`` and
``ToANormalForm`` alone. Everything is recorded in a trace, as the editor and ``relay-lsp opt`` do.

The second table is over chains that give a pass work in every few operators, for those that leave the first as it is.
Those chains were not given to TVM.

Seconds are of the processor (``process_time``) and, for the larger size, of the clock on the wall, which others who
work on the machine can lengthen; both are the least of some runs. The exponent says how the first grow with the size:
1 is linear.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import PassContext, Trace, create, registered

from .inputs import chain
from .pass_inputs import chain_of_work
from .report import machine, table_lines

OPTIONS: dict[str, dict[str, object]] = {
    "AnnotateTarget": {"targets": "dnnl"},
    "ConvertLayout": {"desired_layouts": {"nn.conv2d": ["NHWC", "HWIO"]}},
    "SplitArgs": {"max_function_args": 10},
}
"""What the passes are given that do nothing without it."""

PREPARED_BY: dict[str, tuple[str, ...]] = {
    "DefuseOps": ("FuseOps",),
    "MergeCompilerRegions": ("AnnotateTarget",),
    "PartitionGraph": ("AnnotateTarget", "MergeCompilerRegions"),
}
"""What runs, outside of the time, before passes that take another's work further."""

SILENT = frozenset(("PrintIR", "DebugPrint"))
"""Passes that only print."""

REFERENCE_AT_10000: dict[str, float] = {
    "parse and infer": 2.1,
    "print with types": 0.32,
    "InferType": 2.0,
    "FoldConstant": 2.0,
    "FuseOps": 2.0,
    "CanonicalizeOps": 2.0,
    "FastMath": 2.0,
    "SimplifyInference": 2.0,
    "ToGraphNormalForm": 2.0,
    "ForwardFoldScaleAxis": 2.8,
    "BackwardFoldScaleAxis": 2.8,
    "CombineParallelConv2D": 2.9,
    "AnnotateSpans": 3.0,
    "ConvertLayout": 6.0,
    "DynamicToStatic": 12.3,
    "ToMixedPrecision": 13.1,
    "EliminateCommonSubexpr": 11.9,
    "SimplifyExpr": 106.0,
    "FoldScaleAxis": 330.0,
    "ToANormalForm": 0.39,
    "DeadCodeElimination": 0.18,
}
"""Seconds that TVM took for 10,000 operators; the least where it varied."""


@dataclass(frozen=True)
class Measured:
    """The least processor time and the least time on the wall of some runs, in seconds."""

    processor: float
    wall: float


def measure(prepare: Callable[[], Callable[[], object]], runs: int) -> Measured:
    """Time what ``prepare`` returns, each time anew; what ``prepare`` itself does is not in it."""
    processor = wall = math.inf
    for _ in range(runs):
        work = prepare()
        gc.collect()
        started, started_on_wall = time.process_time(), time.perf_counter()
        work()
        processor = min(processor, time.process_time() - started)
        wall = min(wall, time.perf_counter() - started_on_wall)
    return Measured(processor, wall)


def read(text: str) -> IRModule:
    """The module of a text, without types."""
    parsed = parse(text)
    errors = [found for found in parsed.diagnostics if found.severity is Severity.ERROR]
    assert not errors, errors[0]
    return parsed.module


def typed(text: str) -> IRModule:
    """The module of a text, with types."""
    inferred = infer_types(read(text))
    errors = [found for found in inferred.diagnostics if found.severity is Severity.ERROR]
    assert not errors, errors[0]
    return inferred.module


def time_pass(name: str, text: str, runs: int) -> tuple[Measured, bool]:
    """What a pass takes over the module of ``text``, and whether it changed that."""
    module = read(text) if name == "InferType" else typed(text)
    changed = False
    with PassContext(opt_level=4):
        for earlier in PREPARED_BY.get(name, ()):
            module = create(earlier, **OPTIONS.get(earlier, {}))(module)

        def prepare() -> Callable[[], None]:
            # Another object with the same functions: nothing that passes remember of a module holds for it.
            fresh = read(text) if name == "InferType" else module.with_functions(module.functions)
            item = create(name, **OPTIONS.get(name, {}))

            def work() -> None:
                nonlocal changed
                with Trace():
                    after = item(fresh)
                changed = changed or after is not fresh

            return work

        return measure(prepare, runs), changed


def time_parsing(text: str, runs: int) -> Measured:
    """Reading a text and finding the types."""
    return measure(lambda: lambda: infer_types(parse(text).module), runs)


def time_printing(text: str, runs: int) -> Measured:
    """Printing a module with its types."""
    module = typed(text)
    return measure(lambda: lambda: to_text(module), runs)


TEXT: dict[str, Callable[[str, int], Measured]] = {"parse and infer": time_parsing, "print with types": time_printing}
"""What is measured besides the passes."""


def row(name: str, sizes: tuple[int, int], measured: tuple[Measured, Measured], changed: str) -> tuple[object, ...]:
    """A line of the table."""
    small, large = measured
    exponent = math.log(large.processor / small.processor) / math.log(sizes[1] / sizes[0])
    reference = REFERENCE_AT_10000.get(name) if sizes[1] == 10_000 else None
    beside = ("", "") if reference is None else (f"{reference:.2f}", f"{reference / large.processor:.1f}")
    times = (f"{small.processor:.3f}", f"{large.processor:.3f}", f"{large.wall:.3f}")
    return (name, *times, f"{exponent:.2f}", *beside, changed)


def chain_rows(names: Sequence[str], sizes: tuple[int, int], runs: int) -> Iterator[tuple[object, ...]]:
    """The table over the chain that TVM was measured with."""
    texts = (chain(sizes[0]), chain(sizes[1]))
    for name in names:
        if name in TEXT:
            small, large = (TEXT[name](text, runs) for text in texts)
            yield row(name, sizes, (small, large), "")
        else:
            (small, _), (large, changed) = (time_pass(name, text, runs) for text in texts)
            yield row(name, sizes, (small, large), "yes" if changed else "no")


def work_rows(names: Sequence[str], sizes: tuple[int, int], runs: int) -> Iterator[tuple[object, ...]]:
    """The table over chains that are made for one pass."""
    for name in names:
        texts = (chain_of_work(name, sizes[0]), chain_of_work(name, sizes[1]))
        if texts[0] is not None and texts[1] is not None:
            (small, _), (large, changed) = (time_pass(name, text, runs) for text in texts)
            line = row(name, sizes, (small, large), "yes" if changed else "no")
            yield (*line[:5], line[-1])


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passes", nargs="*", help="the passes to measure; by default all, with parsing and printing")
    parser.add_argument("--sizes", nargs=2, type=int, default=[1000, 10_000], help="numbers of operators (1000 10000)")
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--only", choices=["chain", "work"], help="one of the two tables")
    arguments = parser.parse_args()
    sizes: tuple[int, int] = tuple(arguments.sizes)
    names: list[str] = arguments.passes or [*TEXT, *(name for name in registered() if name not in SILENT)]
    head = ("pass", f"{sizes[0]:,} (s)", f"{sizes[1]:,} (s)", "on the wall", "exponent", "TVM (s)", "times", "changes")
    print(f"{machine()}\n", flush=True)
    if arguments.only != "work":
        print("## A chain of convolution, bias, relu, multiply, add\n")
        for line in table_lines(head, chain_rows(names, sizes, arguments.runs)):
            print(line, flush=True)
        print()
    if arguments.only != "chain":
        print("## Chains of work for one pass\n")
        for line in table_lines((*head[:5], head[-1]), work_rows(names, sizes, arguments.runs)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
