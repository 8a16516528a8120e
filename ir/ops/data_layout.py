"""Layouts such as ``NCHW`` and ``NCHW16c``, and what it takes to go from one to another.

A capital letter is a primal axis. A lower-case letter with a factor before it is a subordinate axis: ``C`` and ``16c``
together hold the channels, ``16c`` the fast-moving sixteen of them. Converting a shape or an array works on primal axes
put back together, so that two layouts convert into one another when they have the same primal axes.

Source of the rule: ``include/tvm/tir/data_layout.h``, ``src/tir/ir/data_layout.cc``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import prod
from typing import Final, TypeAlias

import msgspec

from ..dimensions import Dim, Shape
from ..expressions import NDArray
from ..lazy_numpy import np
from .shapes import ceil_divide, convert, multiply, simplify

__all__ = ["Layout", "LayoutAxis", "LayoutError", "convert_array", "convert_shape", "is_convertible"]

_AXIS = re.compile(r"(\d*)([A-Za-z])")


class LayoutError(ValueError):
    """A string that is not a layout, or two layouts or a shape that do not go together."""


class LayoutAxis(msgspec.Struct, frozen=True):
    """One axis: its letter, and its size where it is subordinate (0 where it is primal)."""

    letter: str
    factor: int = 0

    @property
    def is_primal(self) -> bool:
        """Whether this is a whole axis rather than the inner part of one."""
        return self.letter.isupper()

    @property
    def primal(self) -> str:
        """The letter of the whole axis that this is, or is a part of."""
        return self.letter.upper()

    def __str__(self) -> str:
        return f"{self.factor or ''}{self.letter}"


class Layout:
    """The axes of a tensor in order; the layout of a scalar has none. Compared by name."""

    __slots__ = ("_conversions", "axes", "name", "primal_rank", "rank")

    def __init__(self, axes: tuple[LayoutAxis, ...]) -> None:
        self.axes: Final = axes
        self.name: Final = "".join(map(str, axes))
        """The layout as TVM writes it."""
        self.rank: Final = len(axes)
        """The number of axes, subordinate ones included."""
        self.primal_rank: Final = sum(axis.is_primal for axis in axes)
        """The number of primal axes."""
        self._conversions: Final[dict[str, _Conversion | None]] = {}

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse(name: str) -> Layout:
        """The layout called ``name``. A number without a letter after it is passed over, as in TVM (``1``: a scalar).

        Raises:
            LayoutError: ``name`` has other characters, a factor before a primal axis, a subordinate axis without a
                factor or without its primal axis.
        """
        layout = Layout.parse_part(name)
        primal = {axis.letter for axis in layout.axes if axis.is_primal}
        for axis in layout.axes:
            if axis.primal not in primal:
                raise LayoutError(f"layout {name} splits the axis {axis.primal}, which it does not have")
        return layout

    @staticmethod
    @lru_cache(maxsize=1024)
    def parse_part(name: str) -> Layout:
        """As :meth:`parse`, also for a :meth:`part` that has lost the primal axis of one that it splits (``16c``).

        Raises:
            LayoutError: ``name`` has other characters, a factor before a primal axis, or a subordinate axis without a
                factor.
        """
        axes: list[LayoutAxis] = []
        end = 0
        for match in _AXIS.finditer(name):
            if match.start() != end:
                break
            end = match.end()
            factor, letter = int(match[1] or 0), match[2]
            if letter.isupper() and factor:
                raise LayoutError(f"layout {name} has the factor {factor} before the primal axis {letter}")
            if letter.islower() and not factor:
                raise LayoutError(f"layout {name} lacks a factor before the subordinate axis {letter}")
            axes.append(LayoutAxis(letter, factor))
        if name[end:].strip("0123456789"):
            raise LayoutError(f"layout {name} may hold letters and factors only")
        return Layout(tuple(axes))

    def index(self, letter: str) -> int:
        """Where the axis ``letter`` stands; -1 where there is none."""
        for position, axis in enumerate(self.axes):
            if axis.letter == letter:
                return position
        return -1

    def factor(self, letter: str) -> int:
        """How many elements of the axis ``letter`` its subordinate axes hold; -1 where it is not split."""
        factors = [axis.factor for axis in self.axes if axis.letter == letter.lower()]
        return prod(factors) if factors else -1

    def part(self, start: int, length: int) -> Layout:
        """The layout of ``length`` axes from ``start`` on."""
        return Layout(self.axes[start : start + length])

    def __contains__(self, letter: str) -> bool:
        return self.index(letter) >= 0

    def conversion(self, target: Layout) -> _Conversion | None:
        """How each axis of ``target`` comes from this layout; ``None`` where the two do not have the same axes."""
        if target.name not in self._conversions:
            self._conversions[target.name] = _conversion(self, target)
        return self._conversions[target.name]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Layout({self.name!r})"


_Conversion: TypeAlias = "tuple[tuple[int, int, int], ...]"
"""Per axis of the target: where its primal axis stands in the source (-1 for a subordinate axis), by what that is
multiplied, and by what the product is divided."""


def _conversion(source: Layout, target: Layout) -> _Conversion | None:
    if not source.axes or {axis.primal for axis in source.axes} != {axis.primal for axis in target.axes}:
        return None
    steps: list[tuple[int, int, int]] = []
    for axis in target.axes:
        if axis.is_primal:
            whole, part = max(source.factor(axis.letter), 1), max(target.factor(axis.letter), 1)
            if whole == part:
                whole = part = 1
            steps.append((source.index(axis.letter), whole, part))
        else:
            steps.append((-1, axis.factor, 1))
    return tuple(steps)


def is_convertible(source: Layout, target: Layout) -> bool:
    """Whether tensors go from ``source`` to ``target`` and back: neither is a scalar's, and the axes are the same."""
    return source.conversion(target) is not None


def convert_shape(shape: Shape, source: Layout, target: Layout) -> Shape:
    """The shape in ``target`` of a tensor whose shape in ``source`` is ``shape``; splitting an axis rounds up.

    Every dimension comes out as ``int32``, the dtype that layouts count in, and simplified.

    Raises:
        LayoutError: the layouts do not convert, ``shape`` has another rank than ``source``, or another number where
            ``source`` has a factor.
    """
    steps = source.conversion(target)
    if steps is None:
        raise LayoutError(f"layout {source} does not convert to {target}")
    if len(shape) != source.rank:
        raise LayoutError(f"a tensor of layout {source} has {source.rank} dimensions, not {len(shape)}")
    if source.rank != source.primal_rank:
        _require_factors(shape, source)
    converted: list[Dim] = []
    for position, whole, part in steps:
        if position < 0:
            converted.append(whole)
            continue
        size = shape[position]
        if type(size) is not int:
            size = convert(simplify(size), "int32")
        if whole > 1:
            size = multiply(size, whole)
        if part > 1:
            size = ceil_divide(size, part)
        converted.append(size)
    return tuple(converted)


def _require_factors(shape: Shape, layout: Layout) -> None:
    for size, axis in zip(shape, layout.axes, strict=True):
        if not axis.is_primal and isinstance(size, int) and size != axis.factor:
            raise LayoutError(f"layout {layout} has {axis.factor} elements on the axis {axis}, not {size}")


def convert_array(array: NDArray, source: Layout, target: Layout) -> NDArray:
    """``array`` rearranged from ``source`` to ``target``; what splitting an axis adds beyond its end is zero.

    Raises:
        LayoutError: the layouts do not convert, or ``array`` does not have the shape of ``source``.
    """
    if not is_convertible(source, target):
        raise LayoutError(f"layout {source} does not convert to {target}")
    if array.ndim != source.rank:
        raise LayoutError(f"a tensor of layout {source} has {source.rank} dimensions, not {array.ndim}")
    _require_factors(tuple(array.shape), source)
    if source == target:
        return array
    letters = [axis.letter for axis in target.axes if axis.is_primal]
    order = [
        position
        for letter in letters
        for position in (source.index(letter), *(i for i, a in enumerate(source.axes) if a.letter == letter.lower()))
    ]
    whole_shape = [array.shape[source.index(letter)] * max(source.factor(letter), 1) for letter in letters]
    whole = array.transpose(order).reshape(whole_shape)
    split_shape: list[int] = []
    places: dict[str, list[int]] = {}
    padding: list[tuple[int, int]] = []
    for letter, size in zip(letters, whole_shape, strict=True):
        factors = [axis.factor for axis in target.axes if axis.letter == letter.lower()]
        inner = prod(factors)
        outer = -(-size // inner)
        padding.append((0, outer * inner - size))
        places[letter] = [len(split_shape)]
        places[letter.lower()] = list(range(len(split_shape) + 1, len(split_shape) + 1 + len(factors)))
        split_shape += [outer, *factors]
    if any(after for _, after in padding):
        whole = np.pad(whole, padding)
    return whole.reshape(split_shape).transpose([places[axis.letter].pop(0) for axis in target.axes])
