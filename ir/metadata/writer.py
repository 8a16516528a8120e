"""From objects to the text of a metadata section."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from ..attributes import Attrs
from ..dimensions import DimExpr, FloatImm, IntImm, immediate_dtype
from ..expressions import Clause, Constant, Expr, Pattern, VirtualDevice
from ..ops.operator import Op
from ..spans import SequentialSpan, SourceName, Span
from ..types import Type
from .attribute_fields import attribute_kinds
from .encoding import MetadataError
from .graph import GraphNode, graph_pieces
from .nodes import SCHEMAS, type_key_of
from .objects import FieldText, Identity, Kind, MetadataNode, SharedArray, SharedString
from .tensors import tensor_pieces

__all__ = ["metadata_pieces", "write_metadata"]

_BUCKETS: Final = 13
"""How many buckets libstdc++'s hash table has until it holds more elements than that."""


def write_metadata(table: Mapping[str, Sequence[object]], *, show_spans: bool = True) -> str:
    """The text of the section that holds ``table``: objects by type key, in the order of ``meta[type key][index]``.

    The type keys come in the order in which TVM's hash table would give them back. Without ``show_spans`` no object
    says where it comes from.

    Raises:
        MetadataError: an object has no counterpart in TVM.
    """
    return "".join(metadata_pieces(table, show_spans=show_spans))


def metadata_pieces(table: Mapping[str, Sequence[object]], *, show_spans: bool = True) -> Iterator[str]:
    """What :func:`write_metadata` gives, piece by piece: no piece holds more of a tensor than 256 KiB of its text.

    Raises:
        MetadataError: an object has no counterpart in TVM; raised at once, before the first piece is asked for.
    """
    root = {key: tuple(table[key]) for key in _hash_table_order(list(table))}
    return _Writer(show_spans).write(root)


def _hash_table_order(keys: Sequence[str]) -> list[str]:
    """The order of iteration of a ``std::unordered_map<String, …>`` after inserting ``keys`` one by one.

    A key whose bucket is empty goes to the front of the one list of all elements, any other behind the
    element before its bucket's first.
    """
    ordered: list[str] = []
    buckets: dict[int, list[str]] = {}
    for key in keys:
        bucket = buckets.setdefault(_stable_hash(key) % _BUCKETS, [])
        place = ordered.index(bucket[-1]) if bucket else 0
        ordered.insert(place, key)
        bucket.append(key)
    return ordered


def _stable_hash(text: str) -> int:
    """``String::StableHashBytes`` (``include/tvm/runtime/container/string.h``)."""
    raw = text.encode("utf-8", "surrogateescape")
    result = 0
    for start in range(0, len(raw), 8):
        result = (result * 1099511628211 + int.from_bytes(raw[start : start + 8], "little")) % 2**64 % 2147483647
    return result


class _Reference:
    """A place that refers to a node whose number is not known yet."""

    __slots__ = ("index", "value")

    def __init__(self, value: object) -> None:
        self.value = value
        self.index = 0


class _Draft:
    """A node while the numbers of its children are not known."""

    __slots__ = ("data", "node", "references")

    def __init__(self, node: GraphNode) -> None:
        self.node = node
        self.references: list[tuple[str, _Reference]] = []
        self.data: list[_Reference] = []


class _Writer:
    """Numbers the nodes in the order in which TVM does: each before its children, at first sight."""

    def __init__(self, show_spans: bool) -> None:
        self.show_spans: Final = show_spans
        self.drafts: list[_Draft] = [_Draft(GraphNode())]
        self.numbers: dict[object, int] = {}
        self.tensors: list[Iterator[str]] = []
        self.tensor_numbers: dict[int, int] = {}
        self.kept: list[object] = []

    def write(self, root: object) -> Iterator[str]:
        """The text of the graph of everything below ``root``, in pieces.

        Raises:
            MetadataError: an object has no counterpart in TVM.
        """
        top = _Reference(root)
        stack = [top]
        while stack:
            reference = stack.pop()
            value = reference.value
            if value is None:
                continue
            identity = _identity(value)
            if identity is not None:
                number = self.numbers.get(identity)
                if number is not None:
                    reference.index = number
                    continue
                self.numbers[identity] = len(self.drafts)
                self.kept.append(value)
            reference.index = len(self.drafts)
            draft = self._draft(value)
            self.drafts.append(draft)
            children = [*draft.data, *(child for _, child in draft.references)]
            stack.extend(reversed(children))
        for draft in self.drafts:
            for name, reference in draft.references:
                draft.node.fields[name] = str(reference.index)
            draft.node.data = [reference.index for reference in draft.data]
        return graph_pieces(top.index, [draft.node for draft in self.drafts], self.tensors)

    def _draft(self, value: object) -> _Draft:
        if isinstance(value, Op):
            return _Draft(GraphNode("Op", value.name.encode()))
        if isinstance(value, SourceName):
            return _Draft(GraphNode("SourceName", value.name.encode("utf-8", "surrogateescape")))
        key = type_key_of(value)
        draft = _Draft(GraphNode(key))
        if isinstance(value, str):
            draft.node.text = value.encode("utf-8", "surrogateescape")
        elif isinstance(value, (int, float)):
            number = str(int(value)) if isinstance(value, int) else _number_text(value)
            draft.node.fields = {"dtype": immediate_dtype(value), "value": number}
            draft.references.append(("span", _Reference(None)))
        elif isinstance(value, Mapping):
            self._draft_map(draft, cast("Mapping[object, object]", value))
        elif isinstance(value, (tuple, list)):
            draft.data = [_Reference(item) for item in cast("Sequence[object]", value)]
        elif isinstance(value, Attrs):
            fields = attribute_kinds(type(value))
            self._draft_fields(draft, fields, [getattr(value, name) for name, _ in fields])
        elif key in SCHEMAS:
            schema = SCHEMAS[key]
            self._draft_fields(draft, schema.fields, schema.take(value))
        elif isinstance(value, MetadataNode):
            draft.node.text = value.text.encode("utf-8", "surrogateescape")
            for name, part in value.fields.items():
                if isinstance(part, FieldText):
                    draft.node.fields[name] = str(part)
                else:
                    draft.references.append((name, _Reference(part)))
        else:
            raise MetadataError(f"a {key} cannot stand in the metadata section")
        return draft

    def _draft_map(self, draft: _Draft, items: Mapping[object, object]) -> None:
        if all(isinstance(key, str) for key in items):
            draft.node.keys = [str(key) for key in items]
            draft.data = [_Reference(item) for item in items.values()]
        else:
            draft.data = [_Reference(part) for pair in items.items() for part in pair]

    def _draft_fields(self, draft: _Draft, fields: Sequence[tuple[str, Kind]], values: Sequence[Any]) -> None:
        for (name, kind), value in zip(fields, values, strict=True):
            if kind == "node":
                hidden = name == "span" and not self.show_spans
                draft.references.append((name, _Reference(None if hidden else value)))
            elif kind == "tensor":
                draft.node.fields[name] = str(self._tensor_number(value))
            elif kind == "bool":
                draft.node.fields[name] = str(int(value))
            elif kind == "float":
                draft.node.fields[name] = _number_text(value)
            else:
                draft.node.fields[name] = "" if value is None else str(value)

    def _tensor_number(self, constant: Constant) -> int:
        number = self.tensor_numbers.get(id(constant.data))
        if number is None:
            number = self.tensor_numbers[id(constant.data)] = len(self.tensors)
            self.tensors.append(tensor_pieces(constant.data, constant.dtype))
        return number


def _identity(value: object) -> object:
    """By what a value that occurs twice is recognised as one node; ``None`` for what is a new node every time."""
    if isinstance(value, Op):
        return value
    if isinstance(value, Identity):
        return id(value.var), Identity
    if isinstance(value, SourceName):
        return SourceName, value.name
    if isinstance(value, MetadataNode) and value.text:
        return value.type_key, value.text
    if isinstance(
        value,
        (
            Expr,
            Type,
            DimExpr,
            Attrs,
            Pattern,
            Clause,
            Span,
            SequentialSpan,
            VirtualDevice,
            MetadataNode,
            SharedArray,
            SharedString,
            dict,
            IntImm,
            FloatImm,
        ),
    ):
        return id(cast("object", value))
    return None


def _number_text(value: float) -> str:
    """``value`` as C++ streams print a double with 17 significant digits."""
    return f"{float(value):.17g}"
