"""Seeded random inputs for a function."""

from __future__ import annotations

from math import prod

import numpy as np

from ...ir.arrays import numpy_dtype
from ...ir.dimensions import Dim
from ...ir.evaluation import Value
from ...ir.expressions import Function
from ...ir.types import TensorType, TupleType, Type

__all__ = ["Unverifiable", "random_arguments"]

_LARGEST = 1 << 24
"""Elements of a parameter beyond which a module is not run."""

_UNKNOWN_SIZE = 3
"""What a dimension that is not a number becomes. All become the same, so that equal ones stay equal."""


class Unverifiable(Exception):
    """A module whose meaning cannot be compared by running it; the message says why."""


def random_arguments(function: Function, seed: int = 0) -> tuple[Value, ...]:
    """One value for each parameter of a typed function; the same for the same seed.

    Floats lie between 0.1 and 1.1, so that logarithms and divisions are defined; integers of 8 bits have any value,
    larger ones are 0, 1 or 2, so that they serve as indices.

    Raises:
        Unverifiable: a parameter is a function, a reference or an algebraic data type, or too large.
    """
    generator = np.random.default_rng(seed)
    return tuple(_random(param.checked_type or param.type_annotation, generator) for param in function.params)


def _random(expected: Type | None, generator: np.random.Generator) -> Value:
    if isinstance(expected, TupleType):
        return tuple(_random(field, generator) for field in expected.fields)
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
            return generator.integers(0, 3, shape).astype(dtype)
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)
    return (generator.random(shape) + 0.1).astype(dtype)


def _size(dim: Dim) -> int:
    return dim if isinstance(dim, int) else _UNKNOWN_SIZE
