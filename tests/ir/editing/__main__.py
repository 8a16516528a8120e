"""Run many edit scripts: ``python -m tests.ir.editing --scripts 100000``; prints what it ran and each inequality."""

from __future__ import annotations

import argparse
import time

from tests.ir.editing.scripts import Inequality, run_script, small_blocks, texts


def main() -> None:
    """Run scripts one after the other; the exit status is 1 where one found a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scripts", type=int, default=100_000, help="how many (100000)")
    parser.add_argument("--first", type=int, default=1_000_000, help="the number of the first, from which it follows")
    parser.add_argument("--edits", type=int, default=4, help="edits in each (4)")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long (0: never)")
    parser.add_argument("--stop-after", type=int, default=10, help="how many inequalities are enough (10)")
    options = parser.parse_args()
    print(f"{len(texts())} texts", flush=True)
    started, run, unequal = time.monotonic(), 0, 0
    for seed in range(options.first, options.first + options.scripts):
        if unequal >= options.stop_after or 0 < options.minutes < (time.monotonic() - started) / 60:
            break
        try:
            if seed % 2:
                run_script(seed, options.edits)
            else:
                with small_blocks():
                    run_script(seed, options.edits)
        except Inequality as error:
            unequal += 1
            print(f"{error}\n", flush=True)
        except Exception as error:
            unequal += 1
            print(f"script {seed}: {type(error).__name__}: {error}\n", flush=True)
        run += 1
        if run % 5_000 == 0:
            print(f"{run} scripts, {unequal} unequal, {time.monotonic() - started:.0f} s", flush=True)
    print(f"{run} scripts of {options.edits} edits, {unequal} unequal, {time.monotonic() - started:.0f} s")
    raise SystemExit(unequal > 0)


if __name__ == "__main__":
    main()
