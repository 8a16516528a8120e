"""From a buffer to the edit of it: ``python -m benchmarks.pass_edits [PASS…] [--sizes 1000 10000]``.

What a user waits for who runs a pass: the text is read and typed, the pass runs, every value is traced back to what it
was made from, the smallest edit is worked out, and the edited text is read back and compared with what the pass made.

The first table has the processor's seconds of these stages in a process that has loaded what it needs, as the worker
has. The second has the seconds on the wall of the command ``relay-lsp.runPass``, from the request to the answer after
the edit has been applied: with the first pass, for which the worker starts, and with the same pass again on the same
text, which the server remembers.
Where the server refuses, as it does when the machine is so busy that a job takes longer than it may, its words stand
instead. The third has the processor's seconds and those on the wall of ``relay-lsp opt --pass PASS FILE``, which
starts, reads and writes. The fourth has the same of the larger size in every shape of text, with how long the text is
before and after: statements in a branch are printed inside of it, so one shape becomes many times as long.
"""

from __future__ import annotations

import argparse
import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses

from .client import URI, Client
from .inputs import chain
from .language_server.shapes import SHAPES
from .pass_inputs import WORK
from .passes import OPTIONS
from .report import Report, exponent, machine, table_lines

PASSES = ("FastMath", "FoldConstant", "FuseOps", "SimplifyInference", "ToANormalForm", "ToMixedPrecision")
"""One that changes a few words all over, one that takes away, and some that write most of the text anew."""


def text_for(name: str, statements: int) -> str:
    """A text in which a pass has work."""
    return WORK.get(name, chain)(statements)


def stages(name: str, text: str) -> tuple[float, float, float, RunPasses, int]:
    """Processor seconds of reading, of the pass, and of edits and provenance; the job, and the number of edits."""
    moments: list[float] = []
    job = RunPasses(text, "model.relay", (PassCall(name, OPTIONS.get(name, {})),))
    gc.collect()
    started = time.process_time()
    outcome = job.run(lambda _: moments.append(time.process_time()))
    ended = time.process_time()
    assert outcome.failed is None, outcome.failed
    return moments[0] - started, moments[1] - moments[0], ended - moments[1], job, len(outcome.edits)


def stage_rows(names: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """The first table."""
    for name in names:
        before = 0.0
        for size in sizes:
            reading, running, writing, _, edits = stages(name, text_for(name, size))
            whole = reading + running + writing
            growth = f"{exponent((before, whole), (sizes[0], size)):.2f}" if before else ""
            before = before or whole
            figures = (f"{figure:.2f}" for figure in (reading, running, writing, whole))
            yield (name, f"{size:,}", *figures, growth, edits)


def editor_rows(names: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """The second table: over the protocol, with a server that has just started."""
    for name in names:
        for size in sizes:
            client = Client()
            client.initialize()
            client.open(text_for(name, size))
            asked = {"uri": URI, "pass": name, "options": dict(OPTIONS.get(name, {}))}
            cells: list[str] = []
            for _ in range(2):
                seconds, answer = client.request(
                    "workspace/executeCommand", command="relay-lsp.runPass", arguments=[asked]
                )
                cells.append(f"{seconds:.2f}" if answer["applied"] else answer["message"])
            client.close()
            yield (name, f"{size:,}", *cells)


def command_rows(names: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """The third table."""
    for name in names:
        for size in sizes:
            processor, wall, _, _ = whole_command(name, text_for(name, size))
            yield (name, f"{size:,}", f"{processor:.2f}", f"{wall:.2f}")


def shape_rows(names: Sequence[str], sizes: Sequence[int]) -> Iterator[tuple[object, ...]]:
    """The fourth table."""
    for shape in SHAPES:
        text = shape.text(max(sizes))
        for name in names:
            processor, wall, length, refusal = whole_command(name, text)
            after = refusal or f"{length / 1e6:.1f}"
            yield (shape.name, name, f"{processor:.2f}", f"{wall:.2f}", f"{len(text) / 1e6:.1f}", after)


def whole_command(name: str, text: str) -> tuple[float, float, int, str]:
    """Seconds of the processor and on the wall of ``relay-lsp opt``; how long its result is, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.relay")
        file.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "relay_lsp.server", "opt", "--pass", name, str(file)]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        ended = subprocess.run(command, capture_output=True, text=True)
        after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - started
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    refusal = f"refused: {ended.stderr.splitlines()[-1].removeprefix('relay-lsp: ')[:80]}" if ended.returncode else ""
    return processor, wall, len(ended.stdout), refusal


Rows = Callable[[Sequence[str], Sequence[int]], Iterator[tuple[object, ...]]]

TABLES: Mapping[str, tuple[str, Sequence[str], Rows]] = {
    "stages": (
        "Stages, processor seconds",
        ("pass", "statements", "read", "pass", "edits and provenance", "whole", "exponent", "edits"),
        stage_rows,
    ),
    "editor": ("In the editor, seconds on the wall", ("pass", "statements", "the first pass", "again"), editor_rows),
    "command": ("On the command line, seconds", ("pass", "statements", "processor", "on the wall"), command_rows),
    "shapes": (
        "On the command line, every shape of text",
        ("text", "pass", "processor (s)", "on the wall (s)", "before (MB)", "after (MB)"),
        shape_rows,
    ),
}
"""The tables, each with its title and head."""


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("passes", nargs="*", default=list(PASSES), help="the passes to measure")
    parser.add_argument("--sizes", nargs="+", type=int, default=[1000, 10_000], help="statements (1000 10000)")
    parser.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES), help="some of the tables")
    parser.add_argument("--write", action="store_true", help="write the tables to benchmarks/pass_edits.md as well")
    arguments = parser.parse_args()
    names, sizes = arguments.passes, arguments.sizes
    report = Report()
    report.say(machine())
    for table in arguments.only:
        title, head, rows = TABLES[table]
        report.say("", f"## {title}", "")
        for line in table_lines(head, rows(names, sizes)):
            report.say(line)
    report.say("", f"Afterwards: {machine()}")
    if arguments.write:
        name = "From a buffer to the edit of it"
        report.write(Path(__file__).with_suffix(".md"), name, "python -m benchmarks.pass_edits --write")


if __name__ == "__main__":
    main()
