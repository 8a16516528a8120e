"""Passes over modules that are deep or broad: ``python -m benchmarks.pass_depth [PASS…] [--shapes chain lets]``.

Chains and lets are 100,000 long, everything that nests (functions, branches, matches, …) is 10,000 deep, and everything
else as broad. Each figure is the processor's seconds of a pass over the whole, in a trace, and in brackets the exponent
with which they have grown from a tenth of the size; 1 is linear. A pass that refuses a module, as it may, says so; one
that takes longer than the limit, or whose process dies, does as well. Every measurement is a process of its own, forked
from one that has the module, so that none leaves anything behind.
"""

from __future__ import annotations

import argparse
import gc
import io
import math
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.structural import structural_equal, structural_hash
from relay_lsp.passes import PassContext, PassError, Trace, create, registered
from tests.passes.deep_shapes import BRANCHING, SHAPES

from .passes import OPTIONS, read
from .report import Report, machine, table_lines

LONG = ("chain", "lets")
"""The shapes whose length is the larger of the two sizes."""

VERSION = '#[version = "0.0.5"]\n'


def over_pass(name: str, module: IRModule) -> Callable[[], str]:
    """Running a pass over a module, of which nothing is cached but its types."""

    def work() -> str:
        with PassContext(opt_level=4), Trace():
            try:
                create(name, **OPTIONS.get(name, {}))(module.with_functions(module.functions))
            except PassError:
                return "refused"
        return ""

    return work


def over_text(what: str, text: str, module: IRModule) -> Callable[[], str]:
    """What is not a pass: reading, typing, printing, comparing, hashing."""

    def work() -> str:
        if what == "parse":
            read(text)
        elif what == "print":
            to_text(module)
        elif what == "hash":
            structural_hash(module)
        return ""

    if what in ("infer", "equal"):
        # Read outside of the time, so that the types are not there yet.
        other = read(text)
        if what == "infer":
            return lambda: str(infer_types(other).diagnostics or "")
        other = infer_types(other).module
        return lambda: "" if structural_equal(other, module) else "not equal"
    return work


TEXT = ("parse", "infer", "print", "equal", "hash")


def _measured(prepare: Callable[[], Callable[[], str]], answer: Any) -> None:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        work = prepare()
        gc.collect()
        started = time.process_time()
        said = work()
        seconds = time.process_time() - started
    answer.put((seconds, said, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024))


def measure(prepare: Callable[[], Callable[[], str]], limit: float) -> tuple[float, str]:
    """The seconds of what ``prepare`` returns, in a process of its own, and what is to be said about it."""
    context = multiprocessing.get_context("fork")
    answer = context.SimpleQueue()
    process = context.Process(target=_measured, args=(prepare, answer))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return math.inf, f"more than {limit:.0f} s"
    if answer.empty():
        return math.inf, f"died ({process.exitcode})"
    seconds, said, _ = answer.get()
    return seconds, said


def cell(figures: Sequence[tuple[float, str]]) -> str:
    """The larger figure with the exponent between the two; what was said, where something was."""
    (small, _), (large, said) = figures
    if said:
        return said
    return f"{large:.2f} ({math.log10(max(large, 0.001) / max(small, 0.001)):.2f})"


def column(shape: str, size: int, names: Sequence[str], limit: float) -> Iterator[tuple[str, str]]:
    """Each name with its figure for a shape."""
    texts = [VERSION + SHAPES[shape](number) for number in (size // 10, size)]
    modules = [infer_types(read(text)).module for text in texts]
    gc.freeze()
    for name in names:
        if name == "print" and shape in BRANCHING:
            yield name, "indented"  # The text is quadratic in the depth, as TVM's is.
            continue
        prepares = [
            (lambda text=text, module=module, name=name: over_text(name, text, module))
            if name in TEXT
            else (lambda module=module, name=name: over_pass(name, module))
            for text, module in zip(texts, modules, strict=True)
        ]
        yield name, cell([measure(prepare, limit) for prepare in prepares])


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passes", nargs="*", help="the passes to measure; by default all, with reading and printing")
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=list(SHAPES), help="ways to nest (all)")
    parser.add_argument(
        "--sizes", nargs=2, type=int, default=[100_000, 10_000], help="length of chains, depth of the rest"
    )
    parser.add_argument("--limit", type=float, default=60, help="seconds on the wall after which to give up (60)")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/pass_depth.md as well")
    arguments = parser.parse_args()
    names: list[str] = arguments.passes or [*TEXT, *registered()]
    long, deep = arguments.sizes
    report = Report()
    report.say(machine(), "")
    cells: dict[str, list[str]] = {name: [] for name in names}
    sizes = [long if shape in LONG else deep for shape in arguments.shapes]
    for shape, size in zip(arguments.shapes, sizes, strict=True):
        for name, figure in column(shape, size, names, arguments.limit):
            cells[name].append(figure)
            print(f"{shape} {size:,} {name}: {figure}", flush=True)
    head = ["", *(f"{shape} {size:,}" for shape, size in zip(arguments.shapes, sizes, strict=True))]
    report.say(*table_lines(head, ((name, *figures) for name, figures in cells.items())))
    report.say("", f"Afterwards: {machine()}")
    if arguments.write:
        title = "Passes over modules that are deep or broad, processor seconds (exponent)"
        report.write(Path(__file__).with_suffix(".md"), title, "python -m benchmarks.pass_depth --write")


if __name__ == "__main__":
    main()
