"""What an answer about provenance costs: ``python -m benchmarks.provenance [--sizes 1000 10000] [--steps 2 20]``.

A chain of operators goes through a pipeline, of which only the first two steps change it; then the trace is asked about
values in the middle of the first and the last module: where they come from, what became of them, what happened to them.
An answer should cost what it tells: the microseconds of an answer must not grow with the size of the module, nor with
steps that left the value alone. The columns on the right are about a step that every value goes through: there the
answer, and what it costs, grow with the steps.

Another table is about traces that are written to a file and read back (see :mod:`.written_traces`).

The last table is about the server's answers on layers: hovers, the highlights of a layer of a fifth of the values,
and the colours of a screen, against their goals (see :mod:`.layer_answers`).

Times are of the processor, the median over many values.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence

from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import Trace, create

from .inputs import chain
from .layer_answers import ANSWERS, layer_answers
from .report import machine, table_lines
from .written_traces import WRITTEN, written_traces

_ASKED = 200


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table with a row for each size and number of steps."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.provenance", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 10_000], help="statements of the module")
    parser.add_argument("--layers", action="store_true", help="only what an editor asks of layers")
    parser.add_argument("--written", action="store_true", help="only what it costs to write and to read a trace")
    parser.add_argument("--steps", type=int, nargs="*", default=[2, 20], help="steps of the pipeline")
    options = parser.parse_args(arguments)
    print(f"{machine()}\n")
    if not options.layers and not options.written:
        _measure_trace(options.sizes, options.steps)
    if not options.layers:
        print("\nA trace written to a file after the passes, and read back\n")
        for line in table_lines(WRITTEN, written_traces(options.sizes)):
            print(line, flush=True)
    if options.written:
        return
    size = max(options.sizes)
    print(f"\nAnswers of the server about {size:,} statements with 20 steps of history, in milliseconds\n")
    for line in table_lines(ANSWERS, layer_answers(size)):
        print(line, flush=True)


def _measure_trace(sizes: Sequence[int], steps_of_pipelines: Sequence[int]) -> None:
    rows: list[list[str]] = []
    for size in sizes:
        module = parse(chain(size)).module
        for steps in steps_of_pipelines:
            idle = _trace(module, ["ToANormalForm", "ToGraphNormalForm", *["DivToMul"] * (steps - 2)])
            busy = _trace(module, (["ToANormalForm", "ToGraphNormalForm"] * steps)[:steps])
            rows.append([f"{size:,}", str(steps), *_answers(idle), *_answers(busy)])
    header = ["statements", "steps", "origins", "descendants", "history", "events"]
    more = ["origins (busy)", "descendants (busy)", "history (busy)", "events (busy)"]
    print("\n".join(table_lines([*header, *more], rows)))
    print("\nmicroseconds for an answer; events is how much a history tells")


def _trace(module: IRModule, passes: Sequence[str]) -> Trace:
    with Trace() as trace:
        for name in passes:
            module = create(name)(module)
    return trace


def _answers(trace: Trace) -> list[str]:
    assert trace.before is not None
    assert trace.after is not None
    first, last = _calls(trace.before), _calls(trace.after)
    events = statistics.median(len(trace.history(expr)) for expr in last)
    times = (_microseconds(trace.origins, last), _microseconds(trace.descendants, first))
    return [*(f"{time:.1f}" for time in (*times, _microseconds(trace.history, last))), f"{events:g}"]


def _calls(module: IRModule) -> Sequence[Expr]:
    calls = [expr for expr in post_order(*module.functions.values()) if isinstance(expr, Call)]
    start = max(0, len(calls) // 2 - _ASKED // 2)
    return calls[start : start + _ASKED]


def _microseconds(ask: Callable[[Expr], object], exprs: Sequence[Expr]) -> float:
    taken: list[float] = []
    for expr in exprs:
        started = time.process_time_ns()
        ask(expr)
        taken.append((time.process_time_ns() - started) / 1000)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
