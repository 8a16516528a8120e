"""What stands in the graph of nodes and is no expression, type or attribute of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

from ..expressions import Var

__all__ = ["FieldText", "Identity", "Kind", "MetadataNode", "PrimType", "SharedArray", "SharedString", "Unreadable"]

Kind: TypeAlias = Literal["node", "tensor", "int", "bool", "float", "string", "dtype"]
"""How a field is written: as the number of another node or of a tensor, or as text in place."""


class SharedString(str):
    """A string that is one node of the graph wherever it occurs, as the keys of a target are."""

    __slots__ = ()


class SharedArray(tuple[object, ...]):
    """A list that is one node of the graph wherever it occurs."""

    __slots__ = ()


class FieldText(str):
    """A field of a node of unknown kind that is written in place, not as a node of its own."""

    __slots__ = ()


class MetadataNode(msgspec.Struct, frozen=True):
    """A node for which there is no class of ours: a target and what is in it, a registered function, or any other.

    It is only kept, to be written back.
    """

    type_key: str
    text: str = ""
    fields: Mapping[str, object] = msgspec.field(default_factory=dict)  # pyright: ignore[reportUnknownVariableType]

    def __hash__(self) -> int:
        return hash((self.type_key, self.text, *self.fields))


class Identity(msgspec.Struct, frozen=True):
    """What makes a variable itself under renaming and re-typing (``relay.Id``)."""

    name: str
    var: Var | None = None


class PrimType(msgspec.Struct, frozen=True):
    """The type of a symbolic dimension."""

    dtype: str


class Unreadable(msgspec.Struct, frozen=True):
    """Stands for an object whose node, or one below it, cannot be read."""

    reason: str
