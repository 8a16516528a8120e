"""How many floating-point operations a call takes: the rules that declarations of operators name (``flops=``).

A multiplication and an addition are two operations, a function such as ``exp`` is one; so is a comparison. Of integers,
what they take in place of floating-point numbers is counted. Moving data takes none. The counts are those of the
definition of the operator, not of a schedule: a Winograd convolution counts as a direct one.

Source of the rule: ``src/relay/analysis/mac_count.cc``, where a multiplication with an addition is one; a transposed
convolution is counted there as if each element of the result met the whole kernel, here by what it multiplies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..types import TensorType, TupleType, Type
from .data_layout import Layout
from .operator import FlopRule

__all__ = [
    "UnknownSizeError",
    "convolution_flops",
    "element_count",
    "flops_per_input",
    "flops_per_result",
    "matrix_flops",
    "no_flops",
    "pool_flops",
    "transformed_convolution_flops",
    "transposed_convolution_flops",
]


class UnknownSizeError(ValueError):
    """A shape is open, or a type is none of a tensor, so that nothing can be counted."""


def element_count(type: Type) -> int:
    """The elements of a tensor, or of the tensors of a tuple.

    Raises:
        UnknownSizeError: a shape is open, or something is no tensor.
    """
    total, stack = 0, [type]
    while stack:
        current = stack.pop()
        if isinstance(current, TupleType):
            stack.extend(current.fields)
            continue
        if not isinstance(current, TensorType):
            raise UnknownSizeError(f"{current!r} is no tensor")
        sizes = [size for size in current.shape if isinstance(size, int)]
        if len(sizes) != current.ndim:
            raise UnknownSizeError(f"{current!r} has an open shape")
        total += math.prod(sizes)
    return total


def no_flops(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
    """None: the operator moves data, or makes it from nothing."""
    return 0


def flops_per_result(count: int) -> FlopRule:
    """``count`` for each element of the result."""

    def rule(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
        return count * element_count(result)

    return rule


def flops_per_input(count: int) -> FlopRule:
    """``count`` for each element of the first argument."""

    def rule(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
        return count * element_count(arguments[0])

    return rule


def convolution_flops(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
    """For each element of the result, a multiplication and an addition for each weight of its channel."""
    channels = _channels(attrs.out_layout or attrs.data_layout, result)
    return 2 * element_count(result) * element_count(arguments[1]) // channels


def transposed_convolution_flops(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
    """For each element of the data, a multiplication and an addition for each weight of its channel."""
    channels = _channels(attrs.data_layout, arguments[0])
    return 2 * element_count(arguments[0]) * element_count(arguments[1]) // channels


def transformed_convolution_flops(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
    """Those of the convolution that it stands for, whose weight has been rearranged: ``kernel_size`` says how many
    places of each input channel are multiplied and added."""
    sizes = [size for size in attrs.kernel_size or () if isinstance(size, int)]
    if not sizes or len(sizes) != len(attrs.kernel_size):
        raise UnknownSizeError("kernel_size is not given")
    per_group = _channels(attrs.data_layout, arguments[0]) // max(attrs.groups, 1)
    return 2 * element_count(result) * math.prod(sizes) * per_group


def _channels(layout: str, type: Type) -> int:
    if not isinstance(type, TensorType):
        raise UnknownSizeError(f"{type!r} is no tensor")
    axes = zip(Layout.parse(layout).axes, type.shape, strict=False)
    sizes = [size for axis, size in axes if axis.primal == "C" and isinstance(size, int)]
    return max(math.prod(sizes), 1)


def matrix_flops(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
    """For each element of the result, a multiplication and an addition for each of the elements that are summed."""
    first = arguments[0]
    is_transposed = bool(getattr(attrs, "transpose_a", False))
    if not isinstance(first, TensorType) or first.ndim < 1 + is_transposed:
        raise UnknownSizeError(f"{first!r} is no matrix")
    summed = first.shape[-2 if is_transposed else -1]
    if not isinstance(summed, int):
        raise UnknownSizeError(f"{first!r} has an open shape")
    return 2 * element_count(result) * summed


def pool_flops(attrs: Any, arguments: Sequence[Type], result: Type) -> int:
    """For each element of the result one for each place of its window, as far as padding does not matter."""
    sizes = [size for size in attrs.pool_size if isinstance(size, int)]
    if len(sizes) != len(attrs.pool_size):
        raise UnknownSizeError("the size of the window is open")
    return element_count(result) * math.prod(sizes)
