"""``./dev fuzz TARGET [--minutes N] [--seed N]``: fuzz one target; with atheris installed, guided by coverage."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tests.fuzz.mutations import mutated, seeds
from tests.fuzz.targets import TARGETS

_FINDS = Path(__file__).parent / "finds"
_GROWN = Path(__file__).parent / "grown"
"""What guided runs have come to: not part of the repository."""

_OF_MODELS = ("onnx", "tflite", "pytorch")
"""The targets that take an input as choices of what is damaged in a model."""


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
    for name in names:
        TARGETS[name](texts[0])  # what is imported when it is needed is not timed
    inputs = finds = 0
    slowest, slowest_text = 0.0, ""
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        given = mutated(generator, texts)
        inputs += 1
        for name in names:
            started = time.process_time()
            try:
                TARGETS[name](given)
            except Exception:
                finds += 1
                _keep(name, given)
            if (seconds := time.process_time() - started) > slowest:
                slowest, slowest_text = seconds, given
    print(
        f"{', '.join(names)}: {inputs} inputs, {finds} finds, seed {seed}; the slowest took {slowest:.2f} s (processor)"
    )
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
    """Fuzz by coverage: what reaches new code is kept beside the corpus, and made into other inputs.

    Each target runs in a process of its own, since atheris ends the one that it runs in.
    """
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: ./dev fuzz installs it where there is a wheel (Linux, Python 3.11 to 3.13)")
        return 2
    if name == "all":
        each = minutes / len(TARGETS)
        command = [sys.executable, "-m", "tests.fuzz", "--guided", "--minutes", str(each)]
        return max(subprocess.run([*command, target], check=False).returncode for target in TARGETS)
    atheris: Any = importlib.import_module("atheris")
    # The package as it is imported anew: what a target does is then counted branch by branch.
    anew = ("relay_lsp", "tests.fuzz.targets", "tests.fuzz.model_targets", "tests.frontends")
    for module in [each for each in sys.modules if each.startswith(anew)]:
        del sys.modules[module]
    with atheris.instrument_imports(include=["relay_lsp"]):
        targets = importlib.import_module("tests.fuzz.targets").TARGETS
        for text in seeds()[:3]:
            targets[name](text)  # what is imported when it is needed is counted, too
    _FINDS.mkdir(exist_ok=True)
    grown = _GROWN / name
    grown.mkdir(parents=True, exist_ok=True)
    is_of_models = name in _OF_MODELS
    if is_of_models:
        first_inputs = [random.Random(number).randbytes(64) for number in range(64)]
    else:
        first_inputs = [text.encode("utf-8", "surrogatepass") for text in seeds()]
    for number, content in enumerate(first_inputs):
        (grown / f"seed-{number}").write_bytes(content)

    def one_input(data: bytes) -> None:
        targets[name](data.decode("utf-8", "surrogateescape"))

    def mutate(data: bytes, longest: int, seed: int) -> bytes:
        if is_of_models or seed % 3 == 0:
            return atheris.Mutate(data, longest)
        text = mutated(random.Random(seed), [data.decode("utf-8", "replace"), *seeds()[:4]])
        return text.encode("utf-8", "surrogatepass")[:longest]

    options = [f"-max_total_time={max(1, int(minutes * 60))}", "-max_len=4096", "-timeout=60", "-rss_limit_mb=4096"]
    options += [f"-artifact_prefix={_FINDS}/{name}-", "-print_final_stats=1", "-use_value_profile=1"]
    atheris.Setup([sys.argv[0], *options, str(grown)], one_input, custom_mutator=mutate)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
