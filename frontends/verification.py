"""Whether an imported module computes what the model's own runtime computes, on random inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.evaluation import ADTValue, EvaluationError, evaluate
from relay_lsp.ir.expressions import NDArray, Var
from relay_lsp.ir.types import TensorType

from .imported import ImportedModel
from .models import run_model

__all__ = ["Comparison", "compare_with_runtime", "largest_difference", "random_inputs"]

_UNKNOWN_DIMENSION = 2
"""The size of an input's dimension that the model leaves open."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far the module and the runtime are apart: ``difference`` counts tolerances; up to 1 they agree."""

    agrees: bool
    difference: float
    message: str


def random_inputs(imported: ImportedModel, seed: int = 0) -> dict[str, NDArray]:
    """Random numbers for the inputs of the model, by name; integers are 0 and 1, which most indices may be."""
    generator = np.random.default_rng(seed)
    inputs: dict[str, NDArray] = {}
    for var in imported.module["main"].params:
        if var.name_hint in imported.params:
            continue
        type = var.type_annotation
        if not isinstance(type, TensorType):
            raise ValueError(f"the input {var.name_hint} is no tensor")
        shape = tuple(dim if isinstance(dim, int) else _UNKNOWN_DIMENSION for dim in type.shape)
        dtype = numpy_dtype(type.dtype)
        is_real = str(type.dtype).startswith(("float", "bfloat"))
        values = generator.standard_normal(shape) if is_real else generator.integers(0, 2, shape)
        inputs[var.name_hint] = np.asarray(values).astype(dtype)
    return inputs


def compare_with_runtime(imported: ImportedModel, path: Path, seed: int = 0) -> Comparison:
    """Evaluate the module and run the model on the same inputs.

    Floating-point results agree within 1e-3 of their size and 1e-4, quantised ones within one step.

    Raises:
        ValueError: an input is no tensor.
    """
    inputs = random_inputs(imported, seed)
    expected = run_model(path, imported.source.framework, inputs)

    def argument(var: Var) -> NDArray:
        return inputs[var.name_hint] if var.name_hint in inputs else imported.params[var.name_hint]

    try:
        result = evaluate(imported.module, *map(argument, imported.module["main"].params))
    except EvaluationError as error:
        return Comparison(False, float("inf"), f"the module cannot be evaluated: {error}")
    actual = _flat(result)
    if len(actual) != len(expected):
        return Comparison(False, float("inf"), f"the module has {len(actual)} outputs, the model {len(expected)}")
    worst = 0.0
    for index, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
        if ours.shape != theirs.shape:
            message = f"output {index} has the shape {ours.shape} in the module and {theirs.shape} in the model"
            return Comparison(False, float("inf"), message)
        worst = max(worst, largest_difference(ours, theirs))
    outputs = f"{len(expected)} output{'' if len(expected) == 1 else 's'}"
    if worst > 1:
        return Comparison(False, worst, f"{outputs} compared: they are apart by {worst:.3g} times the tolerance")
    return Comparison(True, worst, f"{outputs} compared: they agree (apart by {worst:.3g} of the tolerance)")


def largest_difference(ours: NDArray, theirs: NDArray) -> float:
    """How many tolerances the farthest elements are apart."""
    if not ours.size:
        return 0.0
    left, right = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    tolerance: NDArray = np.full(left.shape, 1.0)
    if theirs.dtype.kind not in "iub":
        tolerance = 1e-4 + 1e-3 * np.abs(right)
    elif theirs.dtype.kind == "b":
        tolerance = np.full(left.shape, 0.5)
    with np.errstate(invalid="ignore"):
        apart = np.where((left == right) | (np.isnan(left) & np.isnan(right)), 0.0, np.abs(left - right) / tolerance)
    return float(np.max(np.where(np.isnan(apart), np.inf, apart)))


def _flat(value: Any) -> list[NDArray]:
    elements: list[NDArray] = []
    while isinstance(value, ADTValue) and value.constructor.name_hint == "Cons":
        head, value = value.fields
        elements += _flat(head)
    if isinstance(value, ADTValue):  # The end of a list.
        return elements
    if isinstance(value, tuple):
        return [array for part in cast("Sequence[object]", value) for array in _flat(part)]
    return [np.asarray(value)]
