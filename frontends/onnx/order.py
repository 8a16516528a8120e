"""The order of a graph's nodes: a value is made before it is used. A model that lists them otherwise is reordered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx import AttributeProto, GraphProto, NodeProto

__all__ = ["graphs_of", "in_order"]


def in_order(nodes: Sequence[NodeProto]) -> tuple[list[int], list[int]]:
    """The indices of ``nodes`` with each after those that it depends on, and the indices that form cycles.

    Nodes that are in order stay as they are; those of cycles come last, as the model has them.
    """
    producer: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in node.output:
            if name:
                producer.setdefault(name, index)
    needs = [{producer[name] for name in _used_names(node) if name in producer} for node in nodes]
    if all(all(other < index for other in producers) for index, producers in enumerate(needs)):
        return list(range(len(nodes))), []
    users: list[list[int]] = [[] for _ in nodes]
    missing = [len(producers) for producers in needs]
    for index, producers in enumerate(needs):
        for other in producers:
            users[other].append(index)
    order: list[int] = []
    ready = [index for index in reversed(range(len(nodes))) if not missing[index]]
    while ready:
        index = ready.pop()
        order.append(index)
        for user in reversed(users[index]):
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    placed = set(order)
    cycle = [index for index in range(len(nodes)) if index not in placed]
    return order + cycle, cycle


def _used_names(node: NodeProto) -> Iterator[str]:
    """What a node uses, and what the graphs among its attributes use of outer graphs (or of themselves)."""
    yield from filter(None, node.input)
    graphs = list(graphs_of(node))
    while graphs:
        graph = graphs.pop()
        own = {name for inner in graph.node for name in inner.output}
        own.update(info.name for info in graph.input)
        own.update(tensor.name for tensor in graph.initializer)
        for info in graph.output:
            if info.name not in own:
                yield info.name
        for inner in graph.node:
            yield from (name for name in inner.input if name and name not in own)
            graphs.extend(graphs_of(inner))


def graphs_of(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs among the attributes of a node."""
    for declared in node.attribute:
        if declared.type == AttributeProto.GRAPH:
            yield declared.g
        elif declared.type == AttributeProto.GRAPHS:
            yield from declared.graphs
