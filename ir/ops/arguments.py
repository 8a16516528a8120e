"""What every type relation asks first of an argument: is it known, and is it a tensor?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ..attributes import Attrs
from ..types import IncompleteType, TensorType, TupleType, Type
from .operator import RelationContext, RelationError

__all__ = ["attributes_or_default", "require_dtype", "require_rank", "tensor_argument", "tensors_argument"]


AnyAttrs = TypeVar("AnyAttrs", bound=Attrs)


def attributes_or_default(given: object, declared: type[AnyAttrs]) -> AnyAttrs:
    """The attributes of a call, or those with every default where the text gives none.

    For the operators whose attributes a text can only give as ``meta[…]``: without it, TVM's own relation crashes.
    """
    return given if isinstance(given, declared) else declared()


def tensor_argument(context: RelationContext, argument: int, name: str) -> TensorType | None:
    """The tensor type of an argument, or ``None`` while it is not known.

    Raises:
        RelationError: the argument is not a tensor.
    """
    tensor = context.types[argument]
    if isinstance(tensor, TensorType):
        return tensor
    if isinstance(tensor, IncompleteType):
        return None
    raise RelationError(f"{name} must be a tensor, but it is {_in_words(tensor)}", argument=argument)


def tensors_argument(context: RelationContext, argument: int, name: str) -> tuple[TensorType, ...] | None:
    """The tensor types of the fields of a tuple argument, or ``None`` while one is not known.

    Raises:
        RelationError: the argument is not a tuple, or a field is not a tensor.
    """
    given = context.types[argument]
    if isinstance(given, IncompleteType):
        return None
    if not isinstance(given, TupleType):
        raise RelationError(f"{name} must be a tuple of tensors, but it is {_in_words(given)}", argument=argument)
    fields: list[TensorType] = []
    for index, field in enumerate(given.fields):
        if isinstance(field, IncompleteType):
            return None
        if not isinstance(field, TensorType):
            raise RelationError(
                f"field {index} of {name} must be a tensor, but it is {_in_words(field)}", argument=argument
            )
        fields.append(field)
    return tuple(fields)


def require_rank(tensor: TensorType, rank: int, argument: int, name: str, meaning: str = "") -> None:
    """Reject a tensor whose rank is not ``rank``; ``meaning`` says what its dimensions stand for.

    Raises:
        RelationError: the rank differs.
    """
    if tensor.ndim != rank:
        expected = f"{rank}-dimensional" + (f" ({meaning})" if meaning else "")
        raise RelationError(f"{name} must be {expected}, but it is {tensor!r}", argument=argument)


def require_dtype(tensor: TensorType, accepted: tuple[str, ...], argument: int, name: str) -> None:
    """Reject a tensor whose dtype is not among ``accepted``.

    Raises:
        RelationError: the dtype is another.
    """
    if tensor.dtype not in accepted:
        raise RelationError(
            f"{name} must be of dtype {alternatives(accepted)}, but it is {tensor.dtype}", argument=argument
        )


def alternatives(names: Sequence[str]) -> str:
    """``int8``, ``int8 or uint8``, ``int8, uint8 or int32``."""
    return " or ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else names[0]


def _in_words(given: Type) -> str:
    return f"a tuple {given!r}" if isinstance(given, TupleType) else repr(given)
