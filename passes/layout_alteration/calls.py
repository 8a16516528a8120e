"""What a rule for layouts gets: a call, the types of its arguments and result, and the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from relay_lsp.ir.dimensions import Dim
from relay_lsp.ir.expressions import Call, Expr
from relay_lsp.ir.types import TensorType, Type

from ..infrastructure import PassError
from ..targets import Target

__all__ = ["AlteredCall", "LayoutRule"]


@dataclass(frozen=True, slots=True)
class AlteredCall:
    """A call whose layouts may change: ``types`` are those of the old arguments, ``args`` the new arguments."""

    args: tuple[Expr, ...]
    attrs: Any
    types: Sequence[Type | None]
    result_type: Type | None
    target: Target
    place: Call

    def tensor(self, argument: int) -> TensorType:
        """The type of an old argument.

        Raises:
            PassError: it is no tensor.
        """
        tensor = self.types[argument]
        if not isinstance(tensor, TensorType):
            raise self.refused(f"argument {argument} must be a tensor")
        return tensor

    def shape(self, argument: int, rank: int) -> tuple[Dim, ...]:
        """The shape of an old argument, which must have ``rank`` dimensions.

        Raises:
            PassError: it has more or fewer.
        """
        shape = self.tensor(argument).shape
        if len(shape) != rank:
            raise self.refused(f"argument {argument} must have {rank} dimensions, but it has {len(shape)}")
        return shape

    @property
    def result(self) -> TensorType:
        """The type of the result."""
        if not isinstance(self.result_type, TensorType):
            raise self.refused("the result must be a tensor")
        return self.result_type

    def refused(self, message: str) -> PassError:
        """Why the target cannot compute the call."""
        return PassError(f"the target {self.target.kind.name} cannot choose a layout: {message}", place=self.place)


LayoutRule: TypeAlias = Callable[[AlteredCall], "Call | None"]
"""The call in the layouts that the target wants, with as many arguments; ``None`` leaves it as it is.

It raises a ``PassError`` (:meth:`AlteredCall.refused`) where the target cannot compute the call.
"""
