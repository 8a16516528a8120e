"""Operators whose result is their argument, or has its type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..types import IncompleteType, Type
from .operator import RelationContext

__all__ = ["identity_kernel", "identity_relation"]


def identity_relation(context: RelationContext) -> Type | None:
    """The result has the type of the first argument, whatever type that is; each gives the other its type.

    Source of the rule: ``src/relay/op/type_relations.cc`` (``IdentityRel``).
    """
    type = context.types[0]
    if not isinstance(type, IncompleteType):
        return type
    if isinstance(context.output, IncompleteType):
        return None
    context.assign(0, context.output)
    return context.output


def identity_kernel(attrs: object, inputs: Sequence[Any], result_type: Type) -> Any:
    """The first argument itself."""
    return inputs[0]
