"""What a build's passes take, and what evaluation takes beside onnxruntime: ``python -m benchmarks.builds``.

Each figure is measured in a process of its own. Seconds are of the processor, of all cores together; memory is the most
that the process held at once (Linux). Both runtimes get two threads.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from .report import table_lines

__all__ = ["build_lines"]

_OPTIMIZE_GOALS = {"resnet50": "3 s", "chain10000": "15 s, 600 MB"}
_RUNS = 5


def build_lines() -> Iterator[str]:
    """The lines of the tables."""
    yield from ("`passes.optimize` at O3, of a typed module:", "")
    rows = [(name, *_in_process("optimize", name), goal) for name, goal in _OPTIMIZE_GOALS.items()]
    yield from table_lines(("module", "seconds", "MB", "goal"), rows)
    yield from ("", "Evaluation of ResNet-18, batch 1, `float32`, the least of some runs:", "")
    ours, theirs = _in_process("evaluate", "ours"), _in_process("evaluate", "onnxruntime")
    times = float(ours[0]) / float(theirs[0]) if float(theirs[0]) else 0.0
    head = ("relay-lsp (s on the wall)", "onnxruntime (s on the wall)", "times", "goal")
    yield from table_lines(head, [(ours[0], theirs[0], f"{times:.1f}", "3")])


def _in_process(what: str, name: str) -> tuple[str, str]:
    command = (sys.executable, "-m", "benchmarks.builds", what, name)
    threads = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **threads})
    seconds, megabytes = run.stdout.split()
    return seconds, megabytes


def _optimize(name: str) -> float:
    from relay_lsp.frontends import from_onnx
    from relay_lsp.ir.inference import infer_types
    from relay_lsp.ir.syntax import parse
    from relay_lsp.passes import optimize

    from .imports import ResNet
    from .inputs import chain

    module = from_onnx(ResNet(50).model())[0] if name == "resnet50" else parse(chain(10_000)).module
    typed = infer_types(module).module
    started = time.process_time()
    optimize(typed, opt_level=3)
    return time.process_time() - started


def _evaluate(whose: str) -> float:
    import numpy as np

    from .imports import ResNet

    model = ResNet(18).model()
    image = np.random.default_rng(1).standard_normal((1, 3, 224, 224)).astype(np.float32)
    if whose == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        providers = ["CPUExecutionProvider"]
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
        return _least(lambda: session.run(None, {"x": image}))
    from relay_lsp.frontends import from_onnx
    from relay_lsp.ir.evaluation import evaluate
    from relay_lsp.ir.inference import infer_types

    module = infer_types(from_onnx(model)[0]).module
    return _least(lambda: evaluate(module, image))


def _least(work: Callable[[], object]) -> float:
    seconds: list[float] = []
    for _ in range(_RUNS):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def _megabytes() -> int:
    status = Path("/proc/self/status")
    if not status.exists():
        return 0
    return int(status.read_text("utf-8").partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    """Print the tables, or measure the one thing that is named."""
    if len(sys.argv) < 3:
        for line in build_lines():
            print(line, flush=True)
        return
    measure = {"optimize": _optimize, "evaluate": _evaluate}[sys.argv[1]]
    print(f"{measure(sys.argv[2]):.3f} {_megabytes()}")


if __name__ == "__main__":
    main()
