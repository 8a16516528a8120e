"""What a rule sees of the call that it replaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from relay_lsp.ir.expressions import Call, Constant, Expr
from relay_lsp.ir.types import TensorType, Type

from ..infrastructure import PassError

__all__ = ["LegalizationRule", "OperatorCall"]


@dataclass(frozen=True, slots=True)
class OperatorCall:
    """A call: ``args`` are rewritten already, ``types`` are those of the old arguments, ``place`` is the old call."""

    args: tuple[Expr, ...]
    attrs: Any
    types: Sequence[Type | None]
    place: Call

    def tensor_type(self, argument: int) -> TensorType:
        """The type of an argument.

        Raises:
            PassError: it is not a tensor.
        """
        tensor_type = self.types[argument]
        if not isinstance(tensor_type, TensorType):
            raise self.refused(f"argument {argument} must be a tensor")
        return tensor_type

    def static_shape(self, argument: int) -> tuple[int, ...]:
        """The shape of an argument.

        Raises:
            PassError: a dimension is not known.
        """
        shape: list[int] = []
        for size in self.tensor_type(argument).shape:
            if not isinstance(size, int):
                raise self.refused(f"every dimension of argument {argument} must be known")
            shape.append(size)
        return tuple(shape)

    def static_size(self, argument: int, axis: int) -> int:
        """The size of one dimension of an argument.

        Raises:
            PassError: it is not known, or there is no such dimension.
        """
        shape = self.tensor_type(argument).shape
        size = shape[axis] if axis < len(shape) else None
        if not isinstance(size, int):
            raise self.refused(f"dimension {axis} of argument {argument} must be known")
        return size

    def is_scalar(self, argument: int) -> bool:
        """Whether an argument has rank 0."""
        return self.tensor_type(argument).ndim == 0

    def constant(self, value: Expr, name: str) -> Constant:
        """``value`` as a constant.

        Raises:
            PassError: it is not one.
        """
        if not isinstance(value, Constant):
            raise self.refused(f"{name} must be a constant")
        return value

    def constant_scalar(self, value: Expr, name: str) -> Constant:
        """``value`` as a constant of rank 0.

        Raises:
            PassError: it is not one.
        """
        constant_scalar = self.constant(value, name)
        if not constant_scalar.is_scalar:
            raise self.refused(f"{name} must be a scalar")
        return constant_scalar

    def refused(self, reason: str) -> PassError:
        """Why the call cannot be replaced."""
        return PassError(f"{self.place.op!r} cannot be replaced: {reason}", place=self.place)


LegalizationRule: TypeAlias = Callable[[OperatorCall], "Expr | None"]
"""What a call becomes; ``None`` where it stays."""
