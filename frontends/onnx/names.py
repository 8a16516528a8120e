"""Whether the names in a model are text: protobuf accepts other bytes, and no look-up by such a name succeeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from onnx import GraphProto, ModelProto, NodeProto

from .order import graphs_of

__all__ = ["find_unreadable_name"]


def find_unreadable_name(model: ModelProto) -> bytes | None:
    """A name that is not UTF-8, if there is one."""
    nodes: list[Sequence[NodeProto]] = [function.node for function in model.functions]
    names: list[Iterable[object]] = [
        (function.name, function.domain, *function.input, *function.output) for function in model.functions
    ]
    graphs = [model.graph]
    while graphs or nodes:
        if graphs:
            graph = graphs.pop()
            names.append(_names_of_graph(graph))
            nodes.append(graph.node)
        for node in nodes.pop() if nodes else ():
            names.append((node.name, node.op_type, node.domain, *node.input, *node.output))
            names.append(name for declared in node.attribute for name in (declared.name, declared.ref_attr_name))
            graphs.extend(graphs_of(node))
    return next((name for group in names for name in group if isinstance(name, bytes)), None)


def _names_of_graph(graph: GraphProto) -> Iterator[object]:
    yield graph.name
    for info in (*graph.input, *graph.output, *graph.value_info):
        yield info.name
    for tensor in graph.initializer:
        yield tensor.name
