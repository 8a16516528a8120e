"""``verify`` compares two modules by running them; ``KeepsMeaning`` does it after every pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relay_lsp.ir.evaluation import EvaluationError, Value, evaluate_and_keep
from relay_lsp.ir.expressions import Expr, Function
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.visitor import children, post_order

from ..infrastructure import PassError, PassInfo, PassInstrument
from ..provenance import TraceStep
from .comparison import Difference, largest_difference
from .inputs import FALLBACKS, KINDS, InputKind, Unverifiable, random_arguments
from .ranges import fits, narrowest_float, rounded_floats

__all__ = [
    "BOUNDS",
    "OTHER_SIGNATURE",
    "ComparisonFailed",
    "KeepsMeaning",
    "Verdict",
    "bound_of",
    "entry_function",
    "verify",
]

BOUNDS: Mapping[str, float] = {
    "FastMath": 1e-2,
    "ToMixedPrecision": 5e-2,
    "FakeQuantizationToInteger": 2e-2,
    "recast": 5e-2,
}
"""Passes that compute something else on purpose, and how much of the largest element it may be."""


OTHER_SIGNATURE = frozenset(
    {
        "AutoQuantize",
        "BindParams",
        "ChangeBatch",
        "Conv2dToSparse",
        "DenseToSparse",
        "FirstOrderGradient",
        "QuantizeAnnotate",
        "QuantizeCalibrate",
        "SimplifyFCTranspose",
        "ToCPS",
        "gradient",
        "to_cps",
        "un_cps",
    }
)
"""Passes after which, or after a step of which, a function takes or returns something else on purpose."""


class ComparisonFailed(PassError):
    """A pass changed what the module computes."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a comparison found. ``largest`` is the largest difference of the results, ``None`` where they are equal.

    ``first`` is the first expression of the module after whose value differs from that of ``origin``, the one of the
    module before that it stems from. A pass that moves a factor changes values on the way, too: then ``first`` is only
    where to begin to look.
    """

    largest: Difference | None
    first: Expr | None = field(default=None, repr=False)
    origin: Expr | None = field(default=None, repr=False)

    @property
    def agrees(self) -> bool:
        """Whether the two modules compute the same, up to rounding."""
        return self.largest is None or not self.largest.exceeds


def verify(
    before: IRModule,
    after: IRModule,
    *,
    function: str | None = None,
    seed: int = 0,
    bound: float | None = None,
    steps: Iterable[TraceStep] = (),
    passes: Iterable[str] = (),
) -> Verdict:
    """Run a function of both modules on the same random inputs of several kinds, and compare.

    Args:
        before: the module as it was; it must be one that runs.
        after: the module as it is now.
        function: which function, without ``@``; by default ``main``, or the only one.
        seed: of the random inputs.
        bound: how far results may be apart, as a part of the largest element; the dtype's rounding by default. With a
            bound, inputs are made small enough for the narrowest dtype of floats that ``after`` computes in.
        steps: what led from ``before`` to ``after``, in order; with them the verdict names the first expression.
        passes: the names of the passes that led there. A function to which one of :data:`OTHER_SIGNATURE` gave another
            type takes other inputs, or gives another result, which are not compared.

    Returns:
        The verdict on the kind of inputs where the results are furthest apart.

    Raises:
        Unverifiable: ``before`` has no such function, takes inputs that cannot be made up, or runs with none; or, with
            a bound, has values that ``after`` has no numbers for, or moves as far when its inputs are rounded; or the
            function has another type, which is the purpose of one of ``passes``.
    """
    function = function or entry_function(before)
    if function not in before:
        raise Unverifiable(f"the module has no function @{function}")
    typed = infer_types(before).module
    purposes = OTHER_SIGNATURE.intersection(passes)
    if purposes and not _has_type_of(typed[function], after, function):
        raise Unverifiable(f"{min(purposes)} gives @{function} other parameters or another result")
    worst: Verdict | None = None
    reason: Unverifiable | None = None
    for kind in (*KINDS, *FALLBACKS):
        if worst is not None and kind in FALLBACKS:
            break
        try:
            runs = _run(before, after, function, typed[function], seed, kind, bound)
        except EvaluationError as error:
            reason = reason or Unverifiable(f"the module does not run: {error.message}")
            continue
        except Unverifiable as out_of_range:
            reason = reason or out_of_range
            continue
        if isinstance(runs, Verdict):
            return runs
        largest = largest_difference(runs.expected, runs.actual, bound)
        if largest is not None and largest.exceeds:
            if runs.narrow is not None and bound is not None and _hangs_on_rounding(before, function, runs, bound):
                reason = reason or Unverifiable(f"what the module gives hangs on how {runs.narrow} rounds its inputs")
                continue
            return Verdict(largest, *_first(after[function], runs.old_values, runs.new_values, tuple(steps), bound))
        if worst is None or (largest is not None and (worst.largest is None or largest.size > worst.largest.size)):
            worst = Verdict(largest)
    if worst is None:
        assert reason is not None
        raise reason
    return worst


def _has_type_of(function: Function, module: IRModule, name: str) -> bool:
    """Whether the function of this name in ``module`` has the type of ``function``."""
    return name in module and structural_equal(function.checked_type, infer_types(module).module[name].checked_type)


@dataclass(frozen=True, slots=True)
class _Runs:
    """What a function gives before and after for arguments, and the values of its expressions.

    ``narrow`` is the narrowest dtype of floats after, where differences are examined with a bound.
    """

    arguments: tuple[Value, ...]
    narrow: np.dtype[Any] | None
    expected: Value
    actual: Value
    old_values: Mapping[Expr, Value]
    new_values: Mapping[Expr, Value]


_SCALES = (1.0, 2.0**-3, 2.0**-6, 2.0**-9, 2.0**-12)
"""How much smaller inputs are made, one after the other, for a dtype that cannot hold what comes of them."""


def _run(
    before: IRModule,
    after: IRModule,
    function: str,
    typed: Function,
    seed: int,
    kind: InputKind,
    bound: float | None,
) -> _Runs | Verdict:
    """Both modules on one kind of inputs; the verdict where ``after`` gives no result at all.

    Raises:
        EvaluationError: ``before`` does not run.
        Unverifiable: as for :func:`random_arguments`; or ``after`` computes in a dtype that cannot hold the values of
            ``before``, however small the inputs.
    """
    narrow: np.dtype[Any] | None = None
    for scale in _SCALES:
        arguments = random_arguments(typed, seed, kind.scaled(scale))
        expected, old_values = evaluate_and_keep(before, *arguments, function=function)
        try:
            actual, new_values = evaluate_and_keep(after, *arguments, function=function)
        except EvaluationError as error:
            return Verdict(Difference("", float("inf"), 0.0, f"no result: {error.message}"), error.expr)
        narrow = None if bound is None else narrowest_float(new_values.values())
        if narrow is None or fits(old_values.values(), narrow):
            return _Runs(arguments, narrow, expected, actual, old_values, new_values)
    raise Unverifiable(f"the values of the module are too large for {narrow}, which the module after computes in")


def _hangs_on_rounding(before: IRModule, function: str, runs: _Runs, bound: float) -> bool:
    """Whether the module before gives something else, too, when its inputs are rounded to the narrow dtype.

    Then these inputs tell nothing of the pass: what the module computes of them is not defined that well.
    """
    assert runs.narrow is not None
    rounded = rounded_floats(runs.arguments, runs.narrow)
    moved = largest_difference(runs.expected, evaluate_and_keep(before, *rounded, function=function)[0], bound / 2)
    return moved is not None and moved.exceeds


def entry_function(module: IRModule) -> str:
    """The function by which a module is run: ``main``, or the only one.

    Raises:
        Unverifiable: there are several, none of them called ``main``, or there is none.
    """
    names = [var.name_hint for var in module]
    if "main" in names:
        return "main"
    if len(names) != 1:
        raise Unverifiable("the module has no function @main")
    return names[0]


def _first(
    function: Function,
    old_values: Mapping[Expr, Value],
    new_values: Mapping[Expr, Value],
    steps: tuple[TraceStep, ...],
    bound: float | None,
) -> tuple[Expr | None, Expr | None]:
    """The first expression whose value differs from that of its one origin, and whose parts do not; and that origin."""
    differing: set[Expr] = set()
    for expr in post_order(function.body):
        origin = _one_origin(expr, steps)
        if origin is None or expr not in new_values or origin not in old_values:
            continue
        difference = largest_difference(old_values[origin], new_values[expr], bound)
        if difference is not None and difference.exceeds:
            if not differing.intersection(children(expr)):
                return expr, origin
            differing.add(expr)
    return None, None


def _one_origin(expr: Expr, steps: tuple[TraceStep, ...]) -> Expr | None:
    """What ``expr`` stems from, where that is one expression at every step."""
    for step in reversed(steps):
        origins = step.origins(expr)
        if len(origins) != 1:
            return None
        (expr,) = origins
    return expr


def bound_of(names: Iterable[str]) -> float | None:
    """The bound of passes that run one after the other: the sum of those they have; ``None`` where none has one."""
    bounds = [BOUNDS[name] for name in names if name in BOUNDS]
    return sum(bounds) if bounds else None


class KeepsMeaning(PassInstrument):
    """Runs the module before and after each pass, and stops at the first pass that changes its results.

    A pipeline is a pass, too: it may do what the passes in it may.
    Modules that cannot be run are listed with the reason in ``skipped``; what was found of the others is in
    ``verdicts``. Both have the pass's name first.
    """

    def __init__(self, *, function: str | None = None, seed: int = 0) -> None:
        self.function = function
        self.seed = seed
        self.verdicts: list[tuple[str, Verdict]] = []
        self.skipped: list[tuple[str, str]] = []
        self._before: list[IRModule] = []
        self._finished: list[list[str]] = [[]]

    def enter_pass_ctx(self) -> None:
        """Forget what an interrupted run has left."""
        self._before.clear()
        self._finished = [[]]

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Keep the module that the pass gets; passes nest."""
        self._before.append(mod)
        self._finished.append([])

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Compare with the module that the pass got.

        Raises:
            ComparisonFailed: the results differ by more than rounding.
        """
        before, names = self._before.pop(), [info.name, *self._finished.pop()]
        self._finished[-1].extend(names)
        if before is mod:
            return
        try:
            bound = bound_of(names)
            verdict = verify(before, mod, function=self.function, seed=self.seed, bound=bound, passes=names)
        except Unverifiable as reason:
            self.skipped.append((info.name, str(reason)))
            return
        self.verdicts.append((info.name, verdict))
        if not verdict.agrees:
            assert verdict.largest is not None
            raise ComparisonFailed(f"changed the result: {verdict.largest.message}", pass_name=info.name)
