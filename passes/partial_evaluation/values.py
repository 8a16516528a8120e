"""Values that are known in part, the store of references, and what makes inlining end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from relay_lsp.ir.expressions import Constant, Constructor, Expr, Function
from relay_lsp.ir.ops.operator import Op

__all__ = [
    "Fuel",
    "KnownCallable",
    "KnownData",
    "KnownReference",
    "KnownTensor",
    "KnownTuple",
    "PartialValue",
    "Static",
    "Store",
    "fuel_of",
    "meet",
]


@dataclass(frozen=True, eq=False, slots=True)
class KnownTensor:
    """A tensor whose elements are known."""

    constant: Constant


@dataclass(frozen=True, eq=False, slots=True)
class KnownTuple:
    """A tuple, of fields that may be known themselves."""

    fields: Sequence[PartialValue]


@dataclass(frozen=True, eq=False, slots=True)
class KnownData:
    """A value of a data type whose constructor is known."""

    constructor: Constructor
    fields: Sequence[PartialValue]


@dataclass(frozen=True, eq=False, slots=True)
class KnownReference:
    """A cell that was created here; what is in it stands in the store."""


@dataclass(frozen=True, eq=False, slots=True)
class KnownCallable:
    """An operator, a constructor or a function; ``name`` is the variable or global name that calls a function."""

    callee: Op | Constructor | Function
    name: Expr


Static: TypeAlias = KnownTensor | KnownTuple | KnownData | KnownReference | KnownCallable


@dataclass(frozen=True, eq=False, slots=True)
class PartialValue:
    """A value: what is known of it, or ``None``; the atom that computes it at run time; and when it was made."""

    static: Static | None
    dynamic: Expr
    time: int


Fuel: TypeAlias = "tuple[tuple[int, int], ...] | None"
"""For each argument when it was made, and its value if it is a known positive integer; ``None`` before any call."""


def fuel_of(args: Sequence[PartialValue]) -> tuple[tuple[int, int], ...]:
    """The fuel of a call with these arguments."""
    return tuple((value.time, _count(value)) for value in args)


def _count(value: PartialValue) -> int:
    if not isinstance(value.static, KnownTensor):
        return 0
    constant = value.static.constant
    if not constant.is_scalar or constant.dtype not in ("int32", "int64"):
        return 0
    return max(0, int(constant.data))


def meet(known: Fuel, new: tuple[tuple[int, int], ...]) -> tuple[Fuel, bool]:
    """The smaller of both in each part, and whether that is less than ``known``: a function is entered only then.

    Numbers that are not negative cannot become smaller forever, and so inlining ends.
    """
    if known is None:
        return new, True
    least = tuple((min(a, c), min(b, d)) for (a, b), (c, d) in zip(known, new, strict=True))
    return least, least != known


@dataclass(eq=False, slots=True)
class _Layer:
    contents: dict[KnownReference, PartialValue] = field(default_factory=dict["KnownReference", "PartialValue"])
    hides_others: bool = False
    """Whether what is below may have changed, because something unknown has run."""


class Store:
    """What is in the references, in layers, so that the effects of a branch can be taken back."""

    def __init__(self) -> None:
        self._layers = [_Layer()]

    def enter(self) -> int:
        """Begin a branch; what is returned ends it."""
        self._layers.append(_Layer())
        return len(self._layers) - 1

    def leave(self, mark: int) -> None:
        """Take back everything since :meth:`enter`."""
        del self._layers[mark:]

    def insert(self, reference: KnownReference, value: PartialValue) -> None:
        """Put a value into a cell."""
        self._layers[-1].contents[reference] = value

    def lookup(self, reference: KnownReference) -> PartialValue | None:
        """What is in a cell, if that is known."""
        for layer in reversed(self._layers):
            if reference in layer.contents:
                return layer.contents[reference]
            if layer.hides_others:
                return None
        return None

    def invalidate(self) -> None:
        """Forget what is in every cell: something unknown may have written to it."""
        if self._layers[-1].hides_others:
            self._layers[-1].contents.clear()
        else:
            self._layers.append(_Layer(hides_others=True))
