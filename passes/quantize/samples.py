"""What the values that are going to be quantised are on a data set.

Source of the rule: ``src/relay/quantize/calibrate.cc`` (``StatsCollector``),
``python/tvm/relay/quantize/_calibrate.py`` (``collect_stats``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from relay_lsp.ir.evaluation import EvaluationError, evaluate
from relay_lsp.ir.expressions import Call, Expr, Function, NDArray, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply, is_call_to
from relay_lsp.ir.visitor import free_vars

from ..construction import scalar
from ..infrastructure import PassError
from ..main_function import main_of
from ..provenance import ExprMutator
from .configuration import AnnotationKind

__all__ = ["collect_samples", "quantized_calls"]

SIMULATED_QUANTIZE = "relay.op.annotation.simulated_quantize"


def quantized_calls(function: Function) -> list[Call]:
    """The calls of ``simulated_quantize`` in ``function``, operands first."""
    collector = _Collector()
    collector.visit(function)
    return collector.calls


def collect_samples(
    module: IRModule, dataset: Sequence[Mapping[str, NDArray]], chunk_by: int = -1
) -> Iterator[NDArray]:
    """What the inputs and activations of ``@main`` that are quantised are over the whole data set, one flat array each.

    Args:
        module: one that ``QuantizeAnnotate`` has made.
        dataset: the values of the parameters of ``@main`` by name, a mapping for each run.
        chunk_by: how many of the arrays are kept at once; all of them with -1. Each chunk runs the whole data set.

    Raises:
        PassError: a run lacks a value, has one that does not fit, or fails.
    """
    var, main = main_of(module)
    collector = _Collector()
    profile = collector.visit(main.body)
    del profile
    wanted = collector.samples
    step = len(wanted) if chunk_by < 1 else chunk_by
    for start in range(0, len(wanted), step or 1):
        body = Tuple(tuple(wanted[start : start + step]))
        function = Function(tuple(free_vars(body)), body)
        profiled = module.with_function(var, function)
        runs = [_run(profiled, function, batch, number) for number, batch in enumerate(dataset)]
        for values in zip(*runs, strict=True):
            yield np.concatenate([np.reshape(value, -1) for value in values])


class _Collector(ExprMutator):
    """Lets every value through as it is, and keeps those that are quantised but no weights."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.samples: list[Expr] = []

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """The value before quantisation."""
        if not is_call_to(pre, SIMULATED_QUANTIZE):
            return post
        self.calls.append(pre)
        nothing = scalar(0.0, "float32")
        attrs: Any = pre.attrs
        identity = int(AnnotationKind.IDENTITY)
        new = apply(
            SIMULATED_QUANTIZE,
            post.args[0],
            nothing,
            nothing,
            nothing,
            kind=identity,
            sign=attrs.sign,
            rounding=attrs.rounding,
        )
        if attrs.kind != AnnotationKind.WEIGHT:
            self.samples.append(new)
        return new


def _run(module: IRModule, main: Function, batch: Mapping[str, NDArray], number: int) -> Sequence[NDArray]:
    names = [param.name_hint for param in main.params]
    missing = [name for name in names if name not in batch]
    if missing:
        raise PassError(f"batch {number} of the data set has no value for {', '.join(f'%{name}' for name in missing)}")
    try:
        values: Any = evaluate(module, *(batch[name] for name in names))
    except EvaluationError as error:
        raise PassError(f"@main does not run on batch {number} of the data set: {error}") from error
    return values
