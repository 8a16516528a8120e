"""Seeded random inputs for a function, of several kinds: what one kind hides, another shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.dimensions import Dim
from relay_lsp.ir.evaluation import Value
from relay_lsp.ir.expressions import Function
from relay_lsp.ir.types import TensorType, TupleType, Type

__all__ = ["FALLBACKS", "KINDS", "InputKind", "Unverifiable", "random_arguments"]

_LARGEST = 1 << 24
"""Elements of a parameter beyond which a module is not run."""

_UNKNOWN_SIZE = 3
"""What a dimension that is not a number becomes. All become the same, so that equal ones stay equal."""


class Unverifiable(Exception):
    """A module whose meaning cannot be compared by running it; the message says why."""


@dataclass(frozen=True, slots=True)
class InputKind:
    """The interval of floats, and the largest of the integers that serve as indices or sizes."""

    lowest: float
    highest: float
    largest_integer: int = 2

    def scaled(self, factor: float) -> InputKind:
        """The same with an interval that is ``factor`` times as long."""
        return replace(self, lowest=self.lowest * factor, highest=self.highest * factor)


KINDS = (InputKind(-1.0, 1.0), InputKind(0.1, 1.1))
"""Both signs, which rectifiers and scales tell apart; and above 0, where logarithms and roots are defined."""

FALLBACKS = (InputKind(0.1, 1.1, 1), InputKind(0.1, 1.1, 0))
"""For modules that run with none of :data:`KINDS`, because an integer is an index out of bounds."""


def random_arguments(function: Function, seed: int = 0, kind: InputKind = KINDS[1]) -> tuple[Value, ...]:
    """One value for each parameter of a typed function; the same for the same seed and kind.

    Integers of 8 bits have any value, since they are quantized numbers; larger ones are small enough for an index.

    Raises:
        Unverifiable: a parameter is a function, a reference or an algebraic data type, or too large.
    """
    generator = np.random.default_rng(seed)
    return tuple(_random(param.checked_type or param.type_annotation, generator, kind) for param in function.params)


def _random(expected: Type | None, generator: np.random.Generator, kind: InputKind) -> Value:
    if isinstance(expected, TupleType):
        return tuple(_random(field, generator, kind) for field in expected.fields)
    if not isinstance(expected, TensorType):
        raise Unverifiable(f"a parameter has the type {expected!r}, for which there are no random values")
    shape = tuple(_size(dim) for dim in expected.shape)
    if prod(shape) > _LARGEST:
        raise Unverifiable(f"a parameter of the type {expected!r} is too large to run")
    dtype = numpy_dtype(expected.dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        if dtype.itemsize > 1:
            return generator.integers(0, kind.largest_integer, shape, endpoint=True).astype(dtype)
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)
    return generator.uniform(kind.lowest, kind.highest, shape).astype(dtype)


def _size(dim: Dim) -> int:
    return dim if isinstance(dim, int) else _UNKNOWN_SIZE
