"""How long each pass takes, and how that grows: ``python -m benchmarks.passes [PASS…] [--sizes 1000 10000]``.

The first table is over a chain of convolution, bias, relu, multiply and add with skips: the module that TVM v0.12.0 was
measured with, whose seconds (recorded on a quiet machine of this kind) stand beside ours. Each run gets a module of its
own, of which nothing is cached but the types of its expressions; ``InferType`` gets one without types. A pass is
measured as TVM's was: a function pass with the type inference that follows it, ``DeadCodeElimination`` and
``ToANormalForm`` alone. Everything is recorded in a trace, as the editor and ``relay-lsp opt`` do. "Text to text"
is the processor time of ``relay-lsp opt`` over the larger text, from the start of the process to its end, with the
passes that prepare for it; beside it stands what TVM took to parse, infer, run the pass and print. Where TVM's pass was
not measured, that is parsing and printing alone, with a plus.

The second table is over chains that give each pass work in every few operators, with its options on. Those chains were
not given to TVM: the figure of the first table stands here to compare with.

Seconds are of the processor (``process_time``) and, where it says so, of the clock on the wall, which others who work
on the machine can lengthen; both are the least of some runs. "Per doubling" says by what the first grow in a text of
twice the size: 2 is linear.

A row without figures says why the pass refuses such a module. The third table runs every pass over every shape of text
that keys are typed in (:mod:`.language_server.shapes`), and names the slowest pass of each and the one that grows the
fastest, of those that take a tenth of a second. At the end stand the figures of :mod:`.builds`.
"""

from __future__ import annotations

import argparse
import gc
import io
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import PassContext, PassError, Trace, create, registered

from .builds import build_lines
from .inputs import chain
from .language_server.shapes import SHAPES
from .pass_inputs import WORK
from .report import exponent, load, machine, merged_rows, section, table_lines

OPTIONS: dict[str, dict[str, object]] = {
    "AlterOpLayout": {"target": "llvm -mcpu=core-avx2"},
    "AnnotateTarget": {"targets": "dnnl"},
    "BindParams": {"params": {"w": [[[[0.5] * 3] * 3] * 16] * 16}},
    "CollagePartition": {"targets": ["llvm", "dnnl"], "target_costs": {"llvm": 2, "dnnl": 1}},
    "CombineParallelOpBatch": {"op_name": "nn.relu", "batch_op_name": "nn.relu", "min_num_branches": 2},
    "Conv2dToSparse": {
        "weight_name": ("w",),
        "weight_shape": ((8, 16, 1, 8, 2),),
        "layout": "NHWC",
        "kernel_size": 1,
    },
    "Conv2dToSparse2": {"layout": "NCHW", "kernel_size": 3, "blocksize": (1, 1), "sparsity_threshold": 0.5},
    "ConvertLayout": {"desired_layouts": {"nn.conv2d": ["NHWC", "HWIO"]}},
    "DenseToSparse": {"weight_name": ("w",), "weight_shape": ((8, 16, 1, 8, 2),)},
    "EtaExpand": {"expand_global_var": True},
    "FlexibleShapeDispatch": {"buckets": (1, 2)},
    "InlineCompilerFunctionsBoundTo": {"global_vars": tuple(f"kernel{number}" for number in range(4000))},
    "MergeComposite": {"pattern_table": "dnnl"},
    "SplitArgs": {"max_function_args": 10},
    "recast": {"dtype": "float16", "out_dtype": "float16"},
}
"""What the passes are given that do nothing without it."""

PREPARED_BY: dict[str, tuple[str, ...]] = {
    "AnnotateUsedMemory": ("FuseOps", "ToANormalForm"),
    "DefuseOps": ("FuseOps",),
    "LazyGradientInit": ("ToANormalForm",),
    "ManifestAlloc": ("PlanDevices", "FuseOps", "ToANormalForm"),
    "ManifestLifetimes": ("ToANormalForm",),
    "MemoryPlan": ("PlanDevices", "FuseOps", "ToANormalForm", "ManifestAlloc"),
    "MergeCompilerRegions": ("AnnotateTarget",),
    "OutLiner": ("SimplifyInference",),
    "PartialEvaluate": ("ToANormalForm",),
    **dict.fromkeys(("AutoQuantize", "QuantizeAnnotate", "QuantizePartition"), ("BindParams",)),
    "QuantizeCalibrate": ("BindParams", "QuantizePartition", "QuantizeAnnotate"),
    "QuantizeRealize": ("BindParams", "QuantizePartition", "QuantizeAnnotate", "QuantizeCalibrate"),
    "PartitionGraph": ("AnnotateTarget", "MergeCompilerRegions"),
    "ToCPS": ("ToANormalForm",),
    "gradient": ("ToANormalForm",),
    "to_cps": ("ToANormalForm",),
    "un_cps": ("ToANormalForm", "to_cps"),
}
"""What runs, outside of the time, before passes that take another's work further."""

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
    errors = [diagnostic for diagnostic in parsed.diagnostics if diagnostic.severity is Severity.ERROR]
    assert not errors, errors[0]
    return parsed.module


@lru_cache(maxsize=4)
def typed(text: str) -> IRModule:
    """The module of a text, with types."""
    inferred = infer_types(read(text))
    errors = [diagnostic for diagnostic in inferred.diagnostics if diagnostic.severity is Severity.ERROR]
    assert not errors, errors[0]
    return inferred.module


def prepared(name: str, module: IRModule) -> IRModule:
    """What the passes before the pass ``name`` make of a module."""
    for earlier in PREPARED_BY.get(name, ()):
        module = create(earlier, **OPTIONS.get(earlier, {}))(module)
    return module


def time_pass(name: str, text: str, runs: int) -> tuple[Measured, bool]:
    """What a pass takes over the module of ``text``, and whether it changed that."""
    changed = False

    def prepare() -> Callable[[], None]:
        trace = Trace()
        module = read(text) if name == "InferType" else typed(text)
        # Another object with the same functions: nothing that passes remember of a module holds for it.
        module = module.with_functions(module.functions)
        with trace:
            module = prepared(name, module)
        item = create(name, **OPTIONS.get(name, {}))

        def work() -> None:
            nonlocal changed
            with trace:
                after = item(module)
            changed = changed or after is not module

        return work

    with PassContext(opt_level=4), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return measure(prepare, runs), changed


def time_text_to_text(name: str, text: str) -> float:
    """The processor time in which ``relay-lsp opt`` prints what a pass, after what prepares for it, makes of a text."""
    command = [sys.executable, "-m", "relay_lsp.server", "opt"]
    for each in (*PREPARED_BY.get(name, ()), name):
        options = ", ".join(f"{option}={value!r}" for option, value in OPTIONS.get(each, {}).items())
        command += ["--pass", f"{each}[{options}]" if options else each]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.relay"
        path.write_text(text, encoding="utf-8")
        before = os.times()
        subprocess.run([*command, str(path)], check=True, capture_output=True)
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def time_parsing(text: str, runs: int) -> Measured:
    """Reading a text and finding the types."""
    return measure(lambda: lambda: infer_types(parse(text).module), runs)


def time_printing(text: str, runs: int) -> Measured:
    """Printing a module with its types."""
    module = typed(text)
    return measure(lambda: lambda: to_text(module), runs)


TEXT: dict[str, Callable[[str, int], Measured]] = {"parse and infer": time_parsing, "print with types": time_printing}
"""What is measured besides the passes."""


def row(
    name: str, sizes: tuple[int, int], small: Measured, large: Measured, whole: float | None, changed: bool
) -> tuple[object, ...]:
    """A line of a table."""
    growth = exponent((small.processor, large.processor), sizes)
    reference = REFERENCE_AT_10000.get(name) if sizes[1] == 10_000 else None
    beside = ("", "") if reference is None else (f"{reference:.2f}", f"{reference / large.processor:.1f}")
    times = (f"{small.processor:.3f}", f"{large.processor:.3f}", f"{large.wall:.3f}")
    around = REFERENCE_AT_10000["parse and infer"] + REFERENCE_AT_10000["print with types"]
    theirs = f"{around:.1f}+" if reference is None else f"{around + reference:.1f}"
    together = ("", "") if whole is None else (f"{whole:.2f}", theirs if sizes[1] == 10_000 else "")
    return (name, *times, f"{2**growth:.2f}", *beside, *together, "yes" if changed else "no", load())


def rows(
    names: Sequence[str],
    writers: Mapping[str, Callable[[int], str]],
    sizes: tuple[int, int],
    runs: int,
    text_to_text: bool,
) -> Iterator[tuple[object, ...]]:
    """A table over what the writers write for each of these."""
    for name in names:
        if name not in writers:
            continue
        texts = (writers[name](sizes[0]), writers[name](sizes[1]))
        if name in TEXT:
            # What is short is measured more often, for an exponent takes two figures.
            yield row(name, sizes, TEXT[name](texts[0], runs * 3), TEXT[name](texts[1], runs), None, False)
        else:
            try:
                small, _ = time_pass(name, texts[0], runs * 3)
                large, changed = time_pass(name, texts[1], runs)
                whole = time_text_to_text(name, texts[1]) if text_to_text else None
            except PassError as error:
                yield (name, *[""] * 8, f"refused: {str(error).splitlines()[0]}", load())
                continue
            yield row(name, sizes, small, large, whole, changed)


def rows_of_shapes(names: Sequence[str], runs: int) -> Iterator[tuple[object, ...]]:
    """A line for each shape of text: every pass over it, that of the smaller size ``runs`` times."""
    for shape in SHAPES:
        texts = [shape.text(size) for size in _OF_SHAPES]
        if any(found.severity is Severity.ERROR for found in infer_types(parse(texts[0]).module).diagnostics):
            continue  # no pass is for such a text
        measured: list[tuple[float, float, str]] = []
        for name in names:
            with suppress(PassError):
                small, _ = time_pass(name, texts[0], runs)
                large, _ = time_pass(name, texts[1], 1)
                growth = exponent((small.processor, large.processor), _OF_SHAPES)
                measured.append((large.processor, 2**growth, name))
        seconds, _, slowest = max(measured, default=(0.0, 0.0, ""))
        long = [(growth, name) for seconds, growth, name in measured if seconds > _WORTH_A_LOOK]
        growth, fastest = max(long, default=(0.0, ""))
        total = sum(seconds for seconds, _, _ in measured)
        counts = len(measured), len(names) - len(measured)
        yield shape.name, *counts, f"{total:.1f}", slowest, f"{seconds:.3f}", fastest, f"{growth:.2f}", load()


_OF_SHAPES: Final = 1_000, 4_000
_WORTH_A_LOOK: Final = 0.1
"""Seconds; how what takes less grows cannot be told from one run."""


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passes", nargs="*", help="the passes to measure; by default all, with parsing and printing")
    parser.add_argument("--sizes", nargs=2, type=int, default=[1000, 10_000], help="numbers of operators (1000 10000)")
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--only", choices=["chain", "work", "shapes", "builds"], help="one of the tables")
    parser.add_argument(
        "--write", action="store_true", help="write what is measured into benchmarks/passes.md; other rows stay"
    )
    arguments = parser.parse_args()
    sizes: tuple[int, int] = tuple(arguments.sizes)
    names: list[str] = arguments.passes or [*TEXT, *registered()]
    head = ("pass", f"{sizes[0]:,} (s)", f"{sizes[1]:,} (s)", "on the wall", "per doubling", "TVM (s)", "times")
    head = (*head, "text to text (s)", "TVM's", "changes", "load")
    plain = dict.fromkeys(names, chain)
    sections: dict[str, Iterator[str]] = {}
    if arguments.only in (None, "chain"):
        sections[_CHAIN] = table_lines(head, rows(names, plain, sizes, arguments.runs, True))
    if arguments.only in (None, "work"):
        sections[_WORK] = table_lines(head, rows(names, WORK, sizes, arguments.runs, False))
    if arguments.only in (None, "shapes"):
        shapes_head = ("text", "passes", "refused", f"all, {_OF_SHAPES[1]:,} (s)", "slowest", "(s)")
        passes = arguments.passes or list(registered())
        shapes = rows_of_shapes(passes, arguments.runs)
        sections[_OF_EVERY_SHAPE] = table_lines((*shapes_head, "grows fastest", "per doubling", "load"), shapes)
    if arguments.only == "builds" or not (arguments.only or arguments.passes):
        sections[_BUILDS] = build_lines()
    print(machine())
    measured = {heading: list(_said(heading, lines)) for heading, lines in sections.items()}
    if arguments.write:
        _PAGE.write_text(_page(_PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")


_CHAIN: Final = "A chain of convolution, bias, relu, multiply, add"
_WORK: Final = "Chains of work for each pass"
_OF_EVERY_SHAPE: Final = "Every pass over every shape of text"
_BUILDS: Final = "Builds and evaluation"
_PAGE: Final = Path(__file__).with_suffix(".md")
_HEAD: Final = """\
# How long each pass takes, and how that grows

Written by `python -m benchmarks.passes --write`, which replaces the rows that it measures: in portions, by
`python -m benchmarks.passes PASS… --only chain --write`. Seconds are of the processor. The last column says how many
processes wanted the processor meanwhile: caches that others use make figures larger, those of 10,000 more than those of
1,000, and so does Python's garbage collector. Text to text has figures where it was measured. What the columns and the
tables are is said by `python -m benchmarks.passes --help`.
"""


def _said(heading: str, lines: Iterator[str]) -> Iterator[str]:
    """The lines of a section, each printed as soon as it is there."""
    print(f"\n## {heading}\n")
    for line in lines:
        print(line, flush=True)
        yield line


def _place(row: str) -> tuple[bool, str]:
    """Where a row belongs: what is no pass first, passes by name."""
    name = row.split("|")[1].strip()
    return name not in TEXT, name


def _page(before: str, measured: Mapping[str, Sequence[str]]) -> str:
    """The page with what was measured in the place of what stood there of the same passes."""
    parts = [_HEAD]
    for heading in (_CHAIN, _WORK, _OF_EVERY_SHAPE, _BUILDS):
        stated = section(before, heading)
        lines = measured.get(heading, [])
        if heading != _BUILDS and lines:
            lines = merged_rows(stated, lines)
            if heading != _OF_EVERY_SHAPE:
                lines = [*lines[:2], *sorted(lines[2:], key=_place)]
        if lines or stated:
            parts.append("\n".join([f"## {heading}", "", *(lines or stated), ""]))
    return "\n".join(parts)


if __name__ == "__main__":
    main()
