"""What a type relation of a user's may give, or say: types whose parts, dimensions and dtypes are those of Relay."""

from __future__ import annotations

from typing import cast

from ..dimensions import DimExpr
from ..types import CompositeType, DataType, TensorType, Type
from .operator import Op, RelationError

__all__ = ["require_type", "sound_refusal"]

_LARGEST = 2**63 - 1
"""Dimensions are of int64."""

_MOST_CHARACTERS = 2_000
"""How much of the message of a refusal is told."""


def require_type(result: object, name: str) -> None:
    """Look at what the relation of the operator ``name`` gave; each part of it once.

    Raises:
        TypeError: it is no type, or something in it is not of its kind.
    """
    seen: set[int] = set()
    waiting: list[object] = [result]
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if not isinstance(current, Type):
            raise TypeError(f"the relation of {name} gave {_short(current)}, which is no type")
        if isinstance(current, TensorType):
            _require_tensor(current, name)
        elif isinstance(current, CompositeType):
            waiting.extend(current.parts)


def sound_refusal(refusal: RelationError, op: Op) -> RelationError:
    """What a relation refused with, without what is no text, argument or attribute of a call of ``op``."""
    said, argument, name = cast("tuple[object, object, object]", (refusal.message, refusal.argument, refusal.attribute))
    message = said if isinstance(said, str) else _short(said)
    if len(message) > _MOST_CHARACTERS:
        message = f"{message[:_MOST_CHARACTERS]}…"
    known = () if op.attrs_type is None else op.attrs_type.fields()
    return RelationError(
        message,
        argument=argument if isinstance(argument, int) else None,
        attribute=name if isinstance(name, str) and name in known else None,
        code=refusal.code if isinstance(cast("object", refusal.code), str) else "type-mismatch",
        related=refusal.related,
    )


def _require_tensor(type: TensorType, name: str) -> None:
    for dim in cast("tuple[object, ...]", type.shape):
        if not isinstance(dim, DimExpr) and not (isinstance(dim, int) and 0 <= dim <= _LARGEST):
            wanted = f"one is an int from 0 to {_LARGEST}"
            raise TypeError(f"the relation of {name} gave a tensor with the dimension {_short(dim)}; {wanted}")
    dtype = cast("object", type.dtype)
    if not (isinstance(dtype, str) and DataType(dtype).is_valid):
        raise TypeError(f"the relation of {name} gave a tensor of {_short(dtype)}, which is no dtype")


def _short(value: object) -> str:
    try:
        words = repr(value)
    except Exception:  # Of a number with too many digits, too.
        words = "a value"
    kind = type(value).__name__
    return f"{words[:100]}{'…' * (len(words) > 100)} ({kind})"
