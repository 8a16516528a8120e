"""How long each pass takes, and how that grows: ``python -m benchmarks.passes [PASS…] [--sizes 1000 10000]``.

The module is a chain of convolution, bias, relu, multiply and add with skips. Times are of the processor, the least of
three runs; the exponent says how the time grows with the size (1 is linear). Beside them stands what TVM v0.12.0 took
for the same chain on a quiet machine of this kind, as it was recorded.
"""

from __future__ import annotations

import argparse
import gc
import math
import time

from relay_lsp.ir.module import IRModule
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import PassContext, PassError, create, registered

from .inputs import chain
from .report import machine, table

OPTIONS: dict[str, dict[str, object]] = {
    "AnnotateTarget": {"targets": "dnnl"},
    "ConvertLayout": {"desired_layouts": {"nn.conv2d": ["NHWC", "HWIO"]}},
    "SimplifyFCTranspose": {"target_weight_name": ["w"]},
    "SplitArgs": {"max_function_args": 10},
    "MergeComposite": {"pattern_table": []},
}
"""What the passes need that have options without a default."""

REFERENCE_AT_10000 = {
    **dict.fromkeys(
        (
            "InferType",
            "FoldConstant",
            "FuseOps",
            "CanonicalizeOps",
            "FastMath",
            "SimplifyInference",
            "ToGraphNormalForm",
        ),
        2.0,
    ),
    "ForwardFoldScaleAxis": 2.8,
    "BackwardFoldScaleAxis": 2.8,
    "CombineParallelConv2D": 2.9,
    "AnnotateSpans": 3.0,
    "ConvertLayout": 6.0,
    "DynamicToStatic": 12.3,
    "ToMixedPrecision": 13.1,
    "EliminateCommonSubexpr": 11.9,
    "SimplifyExpr": 106.0,
    "FoldScaleAxis": 330.0,
    "ToANormalForm": 0.39,
    "DeadCodeElimination": 0.18,
}
"""Seconds that TVM took for 10,000 operators; the least where it varied."""


def seconds(name: str, module: IRModule, runs: int = 3) -> float:
    """The least processor time of some runs."""
    least = math.inf
    for _ in range(runs):
        gc.collect()
        with PassContext(opt_level=4):
            item = create(name, **OPTIONS.get(name, {}))
            started = time.process_time()
            item(module)
            least = min(least, time.process_time() - started)
    return least


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("passes", nargs="*", help="the passes to measure; all of them by default")
    parser.add_argument("--sizes", nargs=2, type=int, default=[1000, 10_000], help="operators in the chain")
    arguments = parser.parse_args()
    quiet = {"PrintIR", "DebugPrint"}
    names = arguments.passes or [name for name in registered() if name not in quiet]
    small, large = arguments.sizes
    modules = [create("InferType")(parse(chain(size)).module) for size in (small, large)]
    rows: list[tuple[object, ...]] = []
    for name in names:
        try:
            times = [seconds(name, module) for module in modules]
        except PassError as error:
            rows.append((name, "", "", "", "", str(error)))
            continue
        exponent = math.log(times[1] / times[0]) / math.log(large / small)
        reference = REFERENCE_AT_10000.get(name, "") if large == 10_000 else ""
        rows.append((name, f"{times[0]:.3f}", f"{times[1]:.3f}", f"{exponent:.2f}", reference, ""))
    print(machine())
    print(table(("pass", f"{small} (s)", f"{large} (s)", "exponent", "TVM (s)", ""), rows))


if __name__ == "__main__":
    main()
