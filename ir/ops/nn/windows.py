"""What convolutions and pools have in common: a window that slides over the spatial axes.

The relations compute with dimensions that may be symbolic; the kernels with numbers.

Source of the rule: ``src/relay/op/op_common.h`` (``GetPaddingWidth`` and its siblings), ``src/relay/op/nn/pooling.cc``
(``calculate_pool_dimension``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ...dimensions import ANY, Dim, Shape
from ...expressions import NDArray
from ...lazy_numpy import np
from ..data_layout import Layout, LayoutError, convert_shape
from ..operator import RelationError
from ..shapes import add, floor_divide, in_words, multiply, subtract, truncate_divide

__all__ = [
    "Dims",
    "Padding",
    "convertible_layout",
    "dilated_size",
    "element",
    "pad_spatial",
    "padding_on_both_sides",
    "padding_pairs",
    "require_lengths",
    "shape_in",
    "sliding_windows",
    "static",
    "total_padding",
    "window_count",
]

Dims: TypeAlias = tuple[Dim, ...]
"""The value of an attribute that lists one dimension per spatial axis."""

Padding: TypeAlias = tuple[tuple[int, int], ...]
"""Elements added before and after, for each spatial axis."""


def element(values: Dims, index: int, attribute: str) -> Dim:
    """``values[index]`` of the attribute called ``attribute``.

    Raises:
        RelationError: the list is too short.
    """
    if index >= len(values):
        raise RelationError(
            f"{attribute} has {len(values)} elements, but at least {index + 1} are needed", attribute=attribute
        )
    return values[index]


def require_lengths(rank: int, **lists: Dims) -> None:
    """Require that each attribute lists exactly ``rank`` values.

    Raises:
        RelationError: one has another length.
    """
    for attribute, values in lists.items():
        if len(values) != rank:
            raise RelationError(f"{attribute} must have {rank} elements, not {len(values)}", attribute=attribute)


def total_padding(padding: Dims, rank: int) -> Dims:
    """Padding before and after put together, for each of ``rank`` spatial axes.

    One value is for every side; ``rank`` values are for both sides of each axis; twice as many are first all the
    sides before, then all the sides after.

    Raises:
        RelationError: ``padding`` has none of these lengths.
    """
    if len(padding) == 2 * rank:
        return tuple(add(padding[axis], padding[axis + rank]) for axis in range(rank))
    if len(padding) == 1:
        return (multiply(padding[0], 2),) * rank
    if len(padding) == rank:
        return tuple(multiply(size, 2) for size in padding)
    lengths = ", ".join(str(length) for length in sorted({1, rank, 2 * rank}))
    raise RelationError(f"padding may have {lengths} elements, not {len(padding)}", attribute="padding")


def padding_on_both_sides(padding: Dims, rank: int) -> Dims:
    """Padding before each of ``rank`` axes, then after each, also where ``padding`` has one value for both sides."""
    return padding * 2 if len(padding) == rank else padding


def dilated_size(kernel_size: Dim, dilation: Dim) -> Dim:
    """How far a window of ``kernel_size`` elements reaches when they stand ``dilation`` apart."""
    return add(multiply(subtract(kernel_size, 1), dilation), 1)


def window_count(
    size: Dim, padding: Dim, reach: Dim, stride: Dim, *, ceil: bool = False, truncate: bool = False
) -> Dim:
    """How many windows of ``reach`` fit at steps of ``stride``; ``?`` stays ``?``.

    ``ceil`` counts a last window that fits in part. ``truncate`` divides as C does instead of rounding down, which
    differs only where the window does not fit at all.

    Raises:
        RelationError: ``stride`` is zero.
    """
    if size is ANY:
        return ANY
    if stride == 0:
        raise RelationError("strides must not be 0", attribute="strides")
    room = subtract(add(size, padding), reach)
    if ceil:
        room = add(room, subtract(stride, 1))
    return add((truncate_divide if truncate else floor_divide)(room, stride), 1)


def convertible_layout(name: str, reference: Layout, attribute: str) -> Layout:
    """The layout called ``name``, which must have the axes of ``reference``.

    Raises:
        RelationError: it is not a layout, or has other axes.
    """
    try:
        layout = Layout.parse(name)
    except LayoutError as error:
        raise RelationError(str(error), attribute=attribute) from None
    if layout.conversion(reference) is None:
        raise RelationError(f"{attribute} must have the axes of {reference}, but it is {name}", attribute=attribute)
    return layout


def shape_in(shape: Shape, layout: Layout, target: Layout, argument: int, name: str) -> Shape:
    """The shape of an argument of ``layout``, seen in the layout ``target``.

    Raises:
        RelationError: its rank or a split axis does not fit ``layout``.
    """
    try:
        return convert_shape(shape, layout, target)
    except LayoutError as error:
        raise RelationError(f"{name} has shape {in_words(shape)}: {error}", argument=argument) from None


def static(values: Sequence[Dim]) -> tuple[int, ...]:
    """The numbers of an attribute or a shape; a kernel runs only where all are known.

    Raises:
        TypeError: one is not a number.
    """
    for value in values:
        if not isinstance(value, int):
            raise TypeError(f"{value} is not a number")
    return tuple(int(value) for value in values if isinstance(value, int))


def padding_pairs(padding: Sequence[Dim], rank: int) -> Padding:
    """The padding before and after each spatial axis, from any of the accepted lengths (see :func:`total_padding`)."""
    numbers = static(padding)
    if len(numbers) == 2 * rank:
        return tuple(zip(numbers[:rank], numbers[rank:], strict=True))
    if len(numbers) == 1:
        return ((numbers[0], numbers[0]),) * rank
    return tuple((number, number) for number in numbers[:rank])


def sliding_windows(
    array: NDArray, window: Sequence[int], strides: Sequence[int], dilation: Sequence[int], counts: Sequence[int]
) -> NDArray:
    """A view of the windows over the last axes of ``array``: ``(…, *counts, *window)``. It must not be written to."""
    rank = len(window)
    leading = array.ndim - rank
    steps = array.strides[leading:]
    return np.lib.stride_tricks.as_strided(
        array,
        shape=(*array.shape[:leading], *counts, *window),
        strides=(
            *array.strides[:leading],
            *(step * stride for step, stride in zip(steps, strides, strict=True)),
            *(step * apart for step, apart in zip(steps, dilation, strict=True)),
        ),
        writeable=False,
    )


def pad_spatial(array: NDArray, padding: Padding, value: Any = 0) -> NDArray:
    """``array`` with ``value`` around its last ``len(padding)`` axes; a negative amount crops."""
    if not any(before or after for before, after in padding):
        return array
    leading = array.ndim - len(padding)
    cropped = array[
        (
            *(slice(None),) * leading,
            *(
                slice(max(-before, 0), size - max(-after, 0))
                for (before, after), size in zip(padding, array.shape[leading:], strict=True)
            ),
        )
    ]
    grown = [(max(before, 0), max(after, 0)) for before, after in padding]
    return np.pad(cropped, [(0, 0)] * leading + grown, constant_values=value)
