"""``./dev kills --times N``: kill what writes the history, at any moment, and look at what is in it then.

A process records steps in the folder and says of each when it is recorded. It is ended with ``kill -9`` after a random
time; what it said must be there, and the file be whole.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from relay_lsp.server.history.store import HistoryStore

__all__ = ["kill_writers"]

_LONGEST_SECONDS = 0.03
_TEXT = "  %0 = nn.relu(%x);\n" * 200


def kill_writers(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """Kill a writer so many times: how many steps were said to be recorded, and what is wrong."""
    generator = random.Random(seed)
    problems: list[str] = []
    recorded = 0
    for number in range(times):
        said = _killed(folder, number, generator.random() * _LONGEST_SECONDS)
        recorded += said
        store = HistoryStore(folder, report=problems.append)
        for step in (said, 1) if said else ():  # the one recorded last, and the first
            if not store.steps_to(_text(number, step)):
                problems.append(f"step {step} of writer {number}, which was recorded, is lost")
        store.close()
    problems += (f"{path.name} is there" for path in folder.iterdir() if "damaged" in path.name)
    return recorded, problems


def _text(number: int, step: int) -> str:
    return f"{number} {step}\n{_TEXT}"


def _killed(folder: Path, number: int, seconds: float) -> int:
    """Start a writer and kill it some time after its first step; how many steps it said were recorded."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            os.close(reading)
            store = HistoryStore(folder)
            for step in range(10_000):
                store.record("FoldConstant", _text(number, step), _text(number, step + 1), 0.0, [(0, 1, [(0, 1)])])
                os.write(writing, b".")
        os._exit(0)
    os.close(writing)
    try:
        first = os.read(reading, 1)
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        rest = 0
        while more := os.read(reading, 65536):
            rest += len(more)
        return len(first) + rest
    finally:
        os.close(reading)


def main() -> int:
    """Run; 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="./dev kills", description=__doc__)
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        recorded, problems = kill_writers(Path(folder), options.times, options.seed)
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
    print(
        f"{options.times} kills in {time.perf_counter() - started:.0f} s, seed {options.seed}: {recorded} steps were "
        f"recorded, {len(problems)} problems; the files have {size:.1f} MB"
    )
    for problem in problems[:10]:
        print(f"  {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
