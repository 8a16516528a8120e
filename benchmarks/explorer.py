"""How fast the explorer is, in the browser: ``python -m benchmarks.explorer [--write]``.

It exports pages and looks at them in Chromium: until the first picture, from the pointer's move until what belongs to
an expression is lit, and frame by frame while four panes of 100,000 lines scroll. The frames of a machine without a
screen are drawn by the processor. Times are of the clock, with the processor time of the export beside it. It needs
node, Chromium and ``./dev explorer``, and playwright-core where ``./dev test`` puts it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from relay_lsp.server.explorer.page import explorer_page
from relay_lsp.server.pass_calls import parse_pipeline
from relay_lsp.server.worker.tracing import TracedRun, TracePasses

from .inputs import chain
from .language_server.shapes import SHAPES
from .report import Report, machine, table

ROOT = Path(__file__).resolve().parents[1]
PASSES = (
    *("SimplifyInference", "FoldConstant", "SimplifyExpr", "EliminateCommonSubexpr", "CanonicalizeCast"),
    *("CanonicalizeOps", "FlattenAtrousConv", "BackwardFoldScaleAxis", "ForwardFoldScaleAxis", "FoldConstant"),
    *("AlterOpLayout[target=llvm]", "FastMath", "FoldConstant", "SplitArgs", "DeadCodeElimination"),
    *("FuseOps", "DefuseOps", "ToANormalForm", "ToGraphNormalForm", "LabelOps"),
)
"""Twenty passes, most of which change the chain."""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explorer", description=__doc__)
    parser.add_argument("--statements", type=int, default=10_000, help="of the large pipeline (10000)")
    parser.add_argument("--lines", type=int, default=100_000, help="of each pane that scrolls (100000)")
    parser.add_argument("--repeat", type=int, default=9, help="how often a page is opened, and lit (9)")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/explorer.md as well")
    options = parser.parse_args()
    report = Report()
    report.say(machine(), "")
    with tempfile.TemporaryDirectory() as folder:
        large, wall, processor = _export(Path(folder) / "large.html", options.statements, PASSES)
        scrolling = ("SimplifyInference", "CanonicalizeOps", "FuseOps", "DefuseOps")
        tall, _, _ = _export(Path(folder) / "tall.html", options.lines, scrolling)
        seen = _look(large, tall, options.repeat)
        slowest = _slowest_export(Path(folder) / "shape.html", options.statements)
    rows = [
        ("export after the passes, s", wall, "5"),
        ("export after the passes, s of processor", processor, "5"),
        slowest,
        ("size of the page, MB", seen["size"] / 1e6, "20"),
        ("first picture: the first text, ms (median)", seen["opened"], "1,000"),
        ("all panes, ms (median)", seen["whole"], ""),
        ("hover to light-up, ms (median)", seen["lit"], "50"),
        ("hover to light-up, ms (slowest)", seen["slowestLit"], "50"),
        ("hover until every pane shows what belongs to it, ms (median)", seen["followed"], ""),
        ("a frame of scrolling, ms (median)", seen["frame"], "16.7"),
        ("a frame of scrolling, ms (95th percentile)", seen["slowFrame"], "16.7"),
        ("the same of four panes of plain text without a script, ms (median)", seen["plainFrame"], ""),
        ("the same of four panes of plain text without a script, ms (95th percentile)", seen["slowPlainFrame"], ""),
        ("longest frame after they have stopped, ms", seen["frameAfter"], ""),
        ("dataflow of all values laid out, ms", seen["graph"], ""),
        ("longest wait of a frame meanwhile, ms", seen["graphWait"], ""),
    ]
    title = (
        f"{options.statements:,} statements through {len(PASSES)} passes; four panes of {options.lines:,} lines scroll"
    )
    report.say(title, "", table(("what", "measured", "goal, at most"), rows))
    if options.write:
        report.write(Path(__file__).with_suffix(".md"), "The explorer", "python -m benchmarks.explorer --write")


def _export(page: Path, statements: int, passes: tuple[str, ...]) -> tuple[Path, float, float]:
    """A page of a chain, and the seconds (of the clock, of the processor) that writing it took after the passes."""
    run = _trace(chain(statements), page.name, passes)
    if run.lines is None or run.outcome.failed:
        raise SystemExit(f"the pipeline failed: {run.outcome.failed}")
    wall, processor = time.perf_counter(), time.process_time()
    page.write_text(explorer_page(run.lines), encoding="utf-8")
    return page, time.perf_counter() - wall, time.process_time() - processor


def _slowest_export(page: Path, statements: int) -> tuple[str, float, str]:
    """The row of the shape of text (:mod:`.language_server.shapes`) whose page takes longest to write."""
    seconds: dict[str, float] = {}
    ended: list[str] = []
    for shape in SHAPES:
        run = _trace(shape.text(statements), page.name, PASSES)
        if run.lines is None:
            continue  # what is at fault has no trace
        if run.outcome.failed:
            ended.append(shape.name)
        started = time.process_time()
        page.write_text(explorer_page(run.lines), encoding="utf-8")
        seconds[shape.name] = time.process_time() - started
    slowest = max(seconds, key=seconds.__getitem__)
    note = f"; a pass refuses {', '.join(ended)}, whose pages end there" if ended else ""
    what = f"the same, slowest of {len(seconds)} shapes of text: {slowest}{note}, s of processor"
    return what, seconds[slowest], "5"


def _trace(text: str, name: str, passes: Sequence[str]) -> TracedRun:
    return TracePasses(text, name, tuple(parse_pipeline(list(passes)))).run(lambda _: None)


def _look(large: Path, tall: Path, repeat: int) -> dict[str, float]:
    script = Path(__file__).with_name("explorer.mjs")
    environment = {**os.environ, "CHROMIUM": os.environ.get("CHROMIUM", "/usr/bin/chromium")}
    command = ["node", str(script), str(large), str(tall), str(repeat)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment, cwd=ROOT).stdout
    return {"size": large.stat().st_size, **json.loads(output)}


if __name__ == "__main__":
    main()
