"""From the text of a metadata section to objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ..attributes import AttributeValueError, find_attributes
from ..dimensions import FloatImm, IntImm, SizeVar
from ..expressions import Expr, NDArray
from ..internal_errors import internal_error
from ..ops.operator import find
from ..spans import SourceName
from ..text.text_span import TextSpan
from ..type_visitor import type_children
from ..types import DataType, TensorType, Type
from ..visitor import children
from .attribute_fields import attribute_kinds
from .encoding import MetadataError
from .graph import CUT_OFF, CUT_OFF_REASON, CutOffError, Graph, GraphNode, read_graph
from .node_places import node_places
from .nodes import SCHEMAS
from .objects import FieldText, Kind, MetadataNode, SharedArray, SharedString, Unreadable
from .tensors import decode_tensor

__all__ = ["MetadataFault", "MetadataTables", "read_metadata", "read_metadata_parts"]

_NO_TENSOR = MetadataError("an entry of b64ndarrays must be a string")
_CUT_OFF = MetadataError(CUT_OFF_REASON)
_MOST_DIGITS = 10
"""Of the number of a node."""


class MetadataFault(NamedTuple):
    """Something in a metadata section that cannot be read."""

    message: str
    span: TextSpan | None
    """Of the node, in the section's JSON text; ``None`` where it is the section."""
    is_end: bool = False
    """Whether the text stops being JSON there."""


class MetadataTables(NamedTuple):
    """What a metadata section holds, as far as it can be read."""

    tables: Mapping[str, Sequence[object]]
    """The objects by type key; :class:`.Unreadable` in the places of those that use a node at fault."""
    faults: Sequence[MetadataFault]


def read_metadata(json_text: str) -> dict[str, Sequence[object]]:
    """The objects of a metadata section by type key, in the order that ``meta[type key][index]`` counts.

    Raises:
        MetadataError: the text is not a metadata section, or a node lacks what nodes of its kind have.
    """
    tables, faults = read_metadata_parts(json_text)
    if faults:
        raise MetadataError(faults[0].message)
    return dict(tables)


def read_metadata_parts(json_text: str) -> MetadataTables:
    """The objects of a metadata section of which some nodes may be at fault: these cost what uses them."""
    try:
        reader = _Reader(read_graph(json_text))
        tables = reader.tables()
    except CutOffError as error:
        return MetadataTables({}, [_end_fault(json_text, error.offset, f"{error.reason}; nothing of it can be read")])
    except MetadataError as error:
        return MetadataTables({}, [MetadataFault(str(error), None)])
    except Exception as error:
        message = internal_error(error, "reading the metadata section", TextSpan(0, 0)).message
        return MetadataTables({}, [MetadataFault(message, None)])
    own = sorted((number, why) for number, why in reader.faults.items() if why != CUT_OFF_REASON)
    cut_at = reader.graph.cut_at
    places = node_places(json_text if cut_at is None else json_text[: cut_at[0]]) if own else ()
    faults = [MetadataFault(message, places[number]) for number, message in own]
    return MetadataTables(
        tables,
        faults
        if cut_at is None
        else [*faults, _end_fault(json_text, cut_at[0], f"{cut_at[1]}; what stands before is read")],
    )


def _end_fault(text: str, offset: int, reason: str) -> MetadataFault:
    """What is said where a text stops being JSON."""
    end = min(offset + 1, len(text.rstrip()))
    message = f"the metadata section is not valid JSON from here on: {reason}"
    return MetadataFault(message, TextSpan(max(0, end - 1), end), is_end=True)


def _is_sound(made: object) -> bool:
    """Whether what an expression or type consists of is expressions and types (a damaged section may have anything)."""
    if isinstance(made, TensorType):
        shape = cast("object", made.shape)
        return isinstance(shape, tuple) and not any(
            isinstance(dim, (Expr, Type, str)) or dim is None for dim in cast("tuple[object, ...]", shape)
        )
    try:
        if isinstance(made, Expr):
            return all(isinstance(child, Expr) for child in cast("Sequence[object]", children(made)))
        if isinstance(made, Type):
            return all(isinstance(child, Type) for child in cast("Sequence[object]", type_children(made)))
        if isinstance(made, SizeVar):
            return isinstance(cast("object", made.name), str)
    except (TypeError, AttributeError):  # where a list of parts should be is something else
        return False
    return True


class _Reader:
    """Makes each node's object once, children before parents; what cannot be made has a reason, looked for once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.objects: dict[int, object] = {}
        self.faults: dict[int, str] = {}
        """What is wrong with the nodes at fault, by their numbers."""
        self._unreadable: dict[int, str] = {}
        """These, and those that use them, each with the reason."""
        self.tensors: dict[int, tuple[NDArray, DataType] | MetadataError] = {}
        self.numbers = {id(node): number for number, node in enumerate(graph.nodes)}
        self.children = [self._children(number, node) for number, node in enumerate(graph.nodes)]
        self.inside_targets = self._nodes_of_targets()
        self.uses = Counter(child for children in self.children for child in children)

    def _children(self, number: int, node: GraphNode) -> Sequence[int]:
        """The nodes that a node refers to, in order; none where it is at fault, which is noted."""
        if not node.fault:
            try:
                return [child for _, child in self._references(node)]
            except MetadataError as error:
                node.fault = str(error)
        self.faults[number] = self._unreadable[number] = node.fault
        return ()

    def tables(self) -> Mapping[str, Sequence[object]]:
        """The objects of the root by type key.

        Raises:
            MetadataError: the root is no ``Map`` of type keys.
        """
        root = self.graph.nodes[self.graph.root]
        if root.fault:
            raise MetadataError(root.fault)
        keys: Sequence[object] = root.keys or [self._object(child) for child in root.data[::2]]
        if root.type_key != "Map" or not all(isinstance(key, str) for key in keys):
            self.read(self.graph.root)  # raises what is wrong with it, where that can be said
            raise MetadataError("the root of the metadata section must be a Map of type keys")
        lists = root.data if root.keys else root.data[1::2]
        return {str(key): self._entries(str(key), number) for key, number in zip(keys, lists, strict=False)}

    def _entries(self, key: str, number: int) -> Sequence[object]:
        node = self.graph.nodes[number]
        if node.type_key != "Array" and not node.fault:
            self.faults[number] = f"the metadata section must hold a list of objects under {key}"
        return [self._object(child) for child in node.data] if number not in self.faults else ()

    def _object(self, number: int) -> object:
        try:
            return self.read(number)
        except MetadataError as error:
            return Unreadable(str(error))

    def _nodes_of_targets(self) -> set[int]:
        """The nodes below targets, where one string is used in several places."""
        nodes: set[int] = set()
        stack = [index for index, node in enumerate(self.graph.nodes) if node.type_key in ("Target", "TargetKind")]
        while stack:
            index = stack.pop()
            if index not in nodes:
                nodes.add(index)
                stack.extend(self.children[index])
        return nodes

    def _fields(self, node: GraphNode) -> Sequence[tuple[str, Kind]]:
        schema = SCHEMAS.get(node.type_key)
        if schema is not None:
            return schema.fields
        if node.type_key in ("IntImm", "FloatImm", "tir.StringImm"):
            return ()
        cls = find_attributes(node.type_key)
        return self._guess(node) if cls is None else attribute_kinds(cls)

    def _guess(self, node: GraphNode) -> Sequence[tuple[str, Kind]]:
        """What the fields of a node of unknown kind are, which its text does not say.

        Nodes are numbered as they are first met, so a number above the node's own is taken to be another node's, and
        the fields' order is that of those numbers. Anything else is taken as it stands.
        """
        own = self.numbers[id(node)]
        references: list[tuple[int, str]] = []
        plain: list[tuple[str, Kind]] = []
        for name, text in node.fields.items():
            if _is_number(text) and own < int(text) < len(self.graph.nodes):
                references.append((int(text), name))
            else:
                plain.append((name, "string"))
        return [*plain, *((name, "node") for _, name in sorted(references))]

    def _references(self, node: GraphNode) -> list[tuple[str, int]]:
        """The nodes that ``node`` refers to, by field; what it contains has no field."""
        references = [("", index) for index in node.data]
        for name, kind in self._fields(node):
            if kind == "node":
                references.append((name, self._number(node, name, len(self.graph.nodes))))
        return references

    def _number(self, node: GraphNode, name: str, limit: int) -> int:
        text = _field(node, name)
        if not _is_number(text) or int(text) >= limit:
            raise MetadataError(f"field {name} of a {node.type_key} must be a number below {limit}, not {text!r}")
        return int(text)

    def read(self, root: int) -> object:
        """The object of node ``root``.

        Raises:
            MetadataError: the nodes cannot be read.
        """
        stack: list[tuple[int, bool]] = [(root, False)]
        open_nodes: set[int] = set()
        while stack:
            index, expanded = stack.pop()
            try:
                if index in self._unreadable:
                    raise MetadataError(self._unreadable[index])
                if expanded:
                    open_nodes.discard(index)
                    self.objects[index] = self._make(index, self.graph.nodes[index])
                elif index not in self.objects:
                    if index in open_nodes:
                        raise MetadataError("the metadata section refers to itself in a circle")
                    open_nodes.add(index)
                    stack.append((index, True))
                    stack.extend(
                        (child, False) for child in reversed(self.children[index]) if child not in self.objects
                    )
            except MetadataError as error:
                self._fail(index, str(error), open_nodes)
                raise
            except Exception as error:
                fault = internal_error(error, "reading a node of the metadata section", TextSpan(0, 0))
                self._fail(index, fault.message, open_nodes)
                raise MetadataError(fault.message) from error
        return self.objects[root]

    def _fail(self, index: int, reason: str, users: Iterable[int]) -> None:
        """Note that a node cannot be read, nor what uses it."""
        if index not in self._unreadable:
            self.faults[index] = reason
        self._unreadable.update(dict.fromkeys((index, *users), reason))

    def _make(self, index: int, node: GraphNode) -> object:
        key = node.type_key
        if key == "":
            return None
        if key == "runtime.String":
            text = node.text.decode("utf-8", "surrogateescape")
            return SharedString(text) if index in self.inside_targets else text
        if key == "Array":
            items = (self.objects[child] for child in node.data)
            return SharedArray(items) if self.uses[index] > 1 and index in self.inside_targets else tuple(items)
        if key == "Map":
            return self._make_map(node)
        if key == "IntImm":
            return _make_integer(node, shared=self.uses[index] > 1)
        if key == "FloatImm":
            dtype = _field(node, "dtype")
            value = _float(node, "value")
            return value if dtype == "float32" and self.uses[index] < 2 else FloatImm(value, dtype)
        if key == "tir.StringImm":
            return _field(node, "value")
        if key == "SourceName":
            return SourceName(node.text.decode("utf-8", "surrogateescape"))
        if key == "Op":
            name = node.text.decode("utf-8", "surrogateescape")
            return find(name) or MetadataNode("Op", name)
        schema = SCHEMAS.get(key)
        if schema is not None:
            values = {name: self._value(node, name, kind) for name, kind in schema.fields}
            try:
                made = schema.make(values)
            except (TypeError, AttributeError, ValueError):  # a part is of a kind that does not tell what is needed
                made = None
            if made is None or not _is_sound(made):
                raise MetadataError(f"a {key} in the metadata section has a part that cannot be there")
            return made
        cls = find_attributes(key)
        if cls is not None:
            try:
                values = {
                    name: declared.convert(self._value(node, name, kind))
                    for (name, kind), declared in zip(attribute_kinds(cls), cls.fields().values(), strict=True)
                    if name in node.fields
                }
                return cls(**values)
            except (AttributeValueError, TypeError) as error:
                raise MetadataError(f"a {key} in the metadata section is wrong: {error}") from None
        kept = {
            name: self._value(node, name, kind) if kind == "node" else FieldText(_field(node, name))
            for name, kind in self._fields(node)
        }
        return MetadataNode(key, node.text.decode("utf-8", "surrogateescape"), kept)

    def _make_map(self, node: GraphNode) -> dict[object, object]:
        if node.keys or not node.data:
            return dict(zip(node.keys, (self.objects[child] for child in node.data), strict=False))
        items = [self.objects[child] for child in node.data]
        if any(isinstance(key, (tuple, dict)) for key in items[::2]):
            # Where lists share lists, their hash takes exponential time.
            raise MetadataError("a Map in the metadata section has a key that cannot be one: a list or a Map")
        try:
            return dict(zip(items[::2], items[1::2], strict=False))
        except TypeError:  # what has no hash
            raise MetadataError("a Map in the metadata section has a key that cannot be one") from None

    def _value(self, node: GraphNode, name: str, kind: Kind) -> Any:
        if kind == "node":
            return self.objects[self._number(node, name, len(self.graph.nodes))]
        if kind == "tensor":
            number = self._number(node, name, len(self.graph.tensors))
            return self._tensor(number)
        if kind == "int":
            return _integer(node, name)
        if kind == "bool":
            return _integer(node, name) != 0
        if kind == "float":
            return _float(node, name)
        return DataType(_field(node, name)) if kind == "dtype" else _field(node, name)

    def _tensor(self, number: int) -> tuple[NDArray, DataType]:
        if number not in self.tensors:
            blob = self.graph.tensors[number]
            try:
                lost = _CUT_OFF if blob is CUT_OFF else _NO_TENSOR
                self.tensors[number] = decode_tensor(blob) if isinstance(blob, str) else lost
            except MetadataError as error:
                self.tensors[number] = MetadataError(str(error))
        known = self.tensors[number]
        if isinstance(known, MetadataError):
            raise MetadataError(str(known))
        return known


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < _MOST_DIGITS


def _make_integer(node: GraphNode, shared: bool) -> int:
    """A plain number, unless it has a dtype of its own or is one node in several places, which writing must keep."""
    value, dtype = _integer(node, "value"), _field(node, "dtype")
    if dtype == "bool":
        return value != 0
    return value if dtype == "int32" and not shared else IntImm(value, dtype)


def _field(node: GraphNode, name: str) -> str:
    fields: Mapping[str, str] = node.fields
    if name not in fields:
        raise MetadataError(f"a {node.type_key} in the metadata section has no field {name}")
    return fields[name]


def _integer(node: GraphNode, name: str) -> int:
    try:
        return int(_field(node, name))
    except ValueError:
        raise MetadataError(f"field {name} of a {node.type_key} must be an integer") from None


def _float(node: GraphNode, name: str) -> float:
    try:
        return float(_field(node, name))
    except ValueError:
        raise MetadataError(f"field {name} of a {node.type_key} must be a number") from None
