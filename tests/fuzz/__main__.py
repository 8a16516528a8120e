"""``./dev fuzz TARGET [--minutes N] [--seed N]``: fuzz one target; with atheris installed, guided by coverage."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tests.fuzz.mutations import mutated, seeds
from tests.fuzz.targets import TARGETS

_FINDS = Path(__file__).parent / "finds"


def main() -> int:
    """Run; 1 where something was found, which is then in a file."""
    parser = argparse.ArgumentParser(prog="./dev fuzz", description=__doc__)
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--guided", action="store_true", help="by coverage, with atheris, which must be installed")
    options = parser.parse_args()
    if options.guided:
        return _guided(options.target, options.minutes)
    seed = options.seed if options.seed is not None else time.time_ns()
    names = list(TARGETS) if options.target == "all" else [options.target]
    generator, texts = random.Random(seed), seeds()
    inputs = finds = 0
    slowest, slowest_text = 0.0, ""
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        given = mutated(generator, texts)
        inputs += 1
        for name in names:
            started = time.perf_counter()
            try:
                TARGETS[name](given)
            except Exception:
                finds += 1
                _keep(name, given)
            if (seconds := time.perf_counter() - started) > slowest:
                slowest, slowest_text = seconds, given
    print(f"{', '.join(names)}: {inputs} inputs, {finds} finds, seed {seed}; the slowest took {slowest:.2f} s")
    if slowest > 1:
        _keep("slow", slowest_text)
    return 1 if finds else 0


def _keep(name: str, given: str) -> None:
    _FINDS.mkdir(exist_ok=True)
    path = _FINDS / f"{name}-{abs(hash(given)):x}.relay"
    path.write_bytes(given.encode("utf-8", "surrogatepass"))
    print(f"{path}:", file=sys.stderr)
    traceback.print_exc(limit=-3)


def _guided(name: str, minutes: float) -> int:
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: pip install atheris (Linux, Python up to what it supports)", file=sys.stderr)
        return 2
    atheris: Any = importlib.import_module("atheris")
    atheris.instrument_all()

    def one_input(data: bytes) -> None:
        TARGETS[name](data.decode("utf-8", "surrogateescape"))

    corpus = str(Path(__file__).parent / "corpus")
    atheris.Setup([sys.argv[0], f"-max_total_time={int(minutes * 60)}", corpus], one_input)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
