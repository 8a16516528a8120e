"""Run many edit scripts: ``python -m tests.ir.semantic.editing --scripts 100000 --cuts 100000``.

It prints what it ran, and each inequality.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

from tests.ir.semantic.editing.comparison import Inequality
from tests.ir.semantic.editing.cuts import run_cuts
from tests.ir.semantic.editing.lines import run_lines
from tests.ir.semantic.editing.modules import texts
from tests.ir.semantic.editing.reach import run_reach
from tests.ir.semantic.editing.scripts import blocks_of, run_script
from tests.ir.semantic.editing.several import run_several


def main() -> None:
    """Run scripts one after the other; the exit status is 1 where one found a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scripts", type=int, default=100_000, help="how many, of everything (100000)")
    parser.add_argument("--cuts", type=int, default=0, help="how many, of where segments end (0)")
    parser.add_argument("--reach", type=int, default=0, help="how many, of where an edit makes errors (0)")
    parser.add_argument("--lines", type=int, default=0, help="the same, line by line and in all of a text (0)")
    parser.add_argument("--several", type=int, default=0, help="of several lines and places, key by key (0)")
    parser.add_argument("--first", type=int, default=1_000_000, help="the number of the first, from which it follows")
    parser.add_argument("--edits", type=int, default=4, help="edits in each; three times as many of cuts (4)")
    parser.add_argument("--minutes", type=float, default=0, help="stop each kind after so long (0: never)")
    parser.add_argument("--stop-after", type=int, default=10, help="how many inequalities are enough (10)")
    options = parser.parse_args()
    unequal = 0
    if options.cuts:
        unequal += _run("cuts", run_cuts, options.cuts, 3 * options.edits, options)
    if options.scripts:
        print(f"{len(texts())} texts", flush=True)
        unequal += _run("scripts", run_script, options.scripts, options.edits, options)
    if options.reach:
        unequal += _run("single edits", partial(_check, run_reach), options.reach, 1, options)
    if options.lines:
        unequal += _run("edits of lines", partial(_check, run_lines), options.lines, 1, options)
    if options.several:
        unequal += _run("edits of several lines", partial(_check, run_several), options.several, 1, options)
    raise SystemExit(unequal > 0)


def _check(look: Callable[[int], str | None], seed: int, edits: int) -> None:
    problem = look(seed)
    if problem is not None:
        raise Inequality(problem)


def _run(kind: str, run: Callable[[int, int], None], count: int, edits: int, options: argparse.Namespace) -> int:
    """Run scripts of a kind; how many were unequal."""
    started, done, unequal = time.monotonic(), 0, 0
    for seed in range(options.first, options.first + count):
        if unequal >= options.stop_after or 0 < options.minutes < (time.monotonic() - started) / 60:
            break
        try:
            with blocks_of(seed):
                run(seed, edits)
        except Inequality as error:
            unequal += 1
            print(f"{error}\n", flush=True)
        except Exception as error:
            unequal += 1
            print(f"{kind} {seed}: {type(error).__name__}: {error}\n", flush=True)
        done += 1
        if done % 5_000 == 0:
            print(f"{done} {kind}, {unequal} unequal, {time.monotonic() - started:.0f} s", flush=True)
    print(f"{done} {kind} of {edits} edits, {unequal} unequal, {time.monotonic() - started:.0f} s", flush=True)
    return unequal


if __name__ == "__main__":
    main()
