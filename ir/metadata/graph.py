"""The JSON graph itself: numbered nodes with textual fields, and tensors. What the nodes mean is in :mod:`.nodes`.

Source of the rule: ``JSONGraph`` and ``JSONNode`` in ``src/node/serialization.cc``; the line breaks are those of
dmlc's ``JSONWriter``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from .encoding import MetadataError, decode_base64, encode_base64
from .partial_json import members_before

__all__ = ["CUT_OFF", "CUT_OFF_REASON", "CutOffError", "Graph", "GraphNode", "graph_pieces", "read_graph"]

_TVM_VERSION: Final = "0.12.0"

CUT_OFF: Final = object()
"""Stands for a node or a tensor that is missing because the text stops being JSON before it."""

CUT_OFF_REASON: Final = "the metadata section stops being JSON before it"
_MOST_MISSING: Final = 100

_LONG_ARRAY: Final = 10
"""An array of more numbers than this is written one number a line."""


class CutOffError(MetadataError):
    """The text of a metadata section stops being JSON at an offset, and nothing can be read of it."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"the metadata section is not valid JSON: {reason}")
        self.offset: Final = offset
        self.reason: Final = reason


class GraphNode(msgspec.Struct):
    """One node: its type key; its text, for a string or a registered name; its fields; what it contains."""

    type_key: str = ""
    text: bytes = b""
    fields: dict[str, str] = msgspec.field(default_factory=dict)  # pyright: ignore[reportUnknownVariableType]
    keys: list[str] = msgspec.field(default_factory=list)  # pyright: ignore[reportUnknownVariableType]
    data: list[int] = msgspec.field(default_factory=list)  # pyright: ignore[reportUnknownVariableType]
    fault: str = ""
    """Why the node cannot be read; it has nothing else then."""


class Graph(msgspec.Struct):
    """All nodes, which of them is the root, and the tensors in base64. Node 0 is the null reference."""

    root: int
    nodes: list[GraphNode]
    tensors: Sequence[object]
    """Strings, where they can be read."""
    cut_at: tuple[int, str] | None = None
    """Where the text stops being JSON, and why. Nodes and tensors that are missing then have :data:`CUT_OFF`."""


def read_graph(text: str) -> Graph:
    """Read the JSON text of a metadata section. A node that cannot be read has its :attr:`GraphNode.fault`.

    Of a text that stops being JSON somewhere, the nodes before that place are read, and the tensors.

    Raises:
        CutOffError: the text stops being JSON before anything can be read.
        MetadataError: the text is not JSON, or not a graph of nodes.
    """
    try:
        loaded = json.loads(text)
    except json.JSONDecodeError as error:
        return _read_cut(text, error)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or nested too deep
        raise MetadataError(f"the metadata section is not valid JSON: {error}") from None
    return _read_top(_mapping(loaded, "the metadata section"))


def _read_cut(text: str, error: json.JSONDecodeError) -> Graph:
    """The graph of a text as far as it is JSON."""
    cut_at = (error.pos, error.msg)
    top = dict(members_before(text, error.pos))
    nodes = top.get("nodes")
    try:
        if isinstance(nodes, list):
            given = cast("list[object]", nodes)
            tensors = top.get("b64ndarrays", [])
            tensors = cast("list[object]", tensors) if isinstance(tensors, list) else []
            # How many there are of either is not known; no node is referred to that is far beyond what has been read.
            top["nodes"] = [*given, *[CUT_OFF] * (_MOST_MISSING + 3 * len(given))]
            top["b64ndarrays"] = [*tensors, *[CUT_OFF] * (_MOST_MISSING + len(given))]
        graph = _read_top(top)
    except MetadataError:
        raise CutOffError(*cut_at) from None
    graph.cut_at = cut_at
    return graph


def _read_top(top: Mapping[str, Any]) -> Graph:
    root = top.get("root")
    if not isinstance(root, int):
        raise MetadataError("the metadata section names no root node")
    given = _sequence(top.get("nodes"), "nodes")
    nodes = [_read_or_fault(node, len(given)) for node in given]
    tensors = _sequence(top.get("b64ndarrays", []), "b64ndarrays")
    if not 0 <= root < len(nodes):
        raise MetadataError(f"the root of the metadata section, {root}, is not one of its {len(nodes)} nodes")
    return Graph(root, nodes, tensors)


def _read_or_fault(node: object, count: int) -> GraphNode:
    """A node of a graph of ``count`` nodes."""
    if node is CUT_OFF:
        return GraphNode(fault=CUT_OFF_REASON)
    try:
        return _read_node(_mapping(node, "a metadata node"), count)
    except MetadataError as error:
        return GraphNode(fault=str(error))


def _read_node(node: Mapping[str, Any], count: int) -> GraphNode:
    made = GraphNode(_string(node.get("type_key", ""), "a type key"))
    if "repr_str" in node:
        try:
            made.text = _string(node["repr_str"], "repr_str").encode("utf-8")
        except UnicodeEncodeError:
            raise MetadataError("a string of the metadata section has half a surrogate pair in it") from None
    elif "repr_b64" in node:
        made.text = _decode_text(_string(node["repr_b64"], "repr_b64"))
    made.fields = {
        key: _string(value, f"attribute {key}") for key, value in _mapping(node.get("attrs", {}), "attrs").items()
    }
    made.keys = [_string(key, "a key") for key in _sequence(node.get("keys", []), "keys")]
    for index in _sequence(node.get("data", []), "data"):
        if not isinstance(index, int):
            raise MetadataError("data of a metadata node must be node numbers")
        if not 0 <= index < count:
            raise MetadataError(f"a metadata node refers to node {index}, and there are {count}")
        made.data.append(index)
    return made


def _decode_text(blob: str) -> bytes:
    raw = decode_base64(blob)
    length = int.from_bytes(raw[:8], "little")
    return raw[8 : 8 + length]


def _encode_text(text: bytes) -> str:
    return encode_base64(len(text).to_bytes(8, "little") + text)


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise MetadataError(f"{what} must be a JSON object")
    return cast("dict[str, Any]", value)


def _sequence(value: object, what: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise MetadataError(f"{what} must be a JSON list")
    return cast("list[Any]", value)


def _string(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise MetadataError(f"{what} must be a string")
    return value


def graph_pieces(root: int, nodes: Iterable[GraphNode], tensors: Iterable[Iterable[str]]) -> Iterator[str]:
    """The JSON text of a graph, laid out as TVM lays it out, piece by piece: what tensors hold can be large.

    Args:
        root: the number of the root node.
        nodes: all nodes; node 0 is the null reference.
        tensors: the text in base64 of each tensor, in pieces.
    """
    written = ", ".join("\n    " + _write_node(node) for node in nodes)
    yield f'{{\n  "root": {root}, \n  "nodes": [{written}\n  ], \n  "b64ndarrays": ['
    separator, closing = "", ""
    for pieces in tensors:
        yield f'{separator}\n    "'
        yield from pieces
        yield '"'
        separator, closing = ", ", "\n  "
    yield f'{closing}], \n  "attrs": {{"tvm_version": "{_TVM_VERSION}"}}\n}}'


def _write_node(node: GraphNode) -> str:
    parts = [f'"type_key": {_quote(node.type_key)}']
    if node.text:
        if all(32 <= byte < 127 for byte in node.text):
            parts.append(f'"repr_str": {_quote(node.text.decode("ascii"))}')
        else:
            parts.append(f'"repr_b64": "{_encode_text(node.text)}"')
    if node.fields:
        entries = [f"{_quote(key)}: {_quote(node.fields[key])}" for key in sorted(node.fields)]
        if len(entries) > 1:
            parts.append('"attrs": {' + ", ".join("\n        " + entry for entry in entries) + "\n      }")
        else:
            parts.append('"attrs": {' + entries[0] + "}")
    if node.keys:
        parts.append('"keys": [' + ", ".join("\n        " + _quote(key) for key in node.keys) + "\n      ]")
    if node.data:
        if len(node.data) > _LONG_ARRAY:
            parts.append('"data": [' + ", ".join(f"\n        {index}" for index in node.data) + "\n      ]")
        else:
            parts.append(f'"data": [{", ".join(map(str, node.data))}]')
    return "{" + ", ".join("\n      " + part for part in parts) + "\n    }"


_ESCAPES: Final = str.maketrans({"\r": "\\r", "\n": "\\n", "\\": "\\\\", "\t": "\\t", '"': '\\"'})


def _quote(text: str) -> str:
    return '"' + text.translate(_ESCAPES) + '"'
