"""A stage of a trace as a graph for Graphviz."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from zlib import crc32

from .trace_graphs import StageGraph, StageNode

__all__ = ["dot_lines"]

_SHADES = 12
"""How many colours the scheme ``set312`` has."""


def dot_lines(stage: StageGraph) -> Iterator[str]:
    """The lines of the graph: a cluster for each layer and each fused function, operators in colours of their own."""
    yield f"digraph {_quoted(stage.name)} {{\n"
    yield '  node [shape=box, style="rounded,filled", fillcolor=white, colorscheme=set312, fontname="sans-serif"];\n'
    open_clusters: list[str] = []
    for index, node in enumerate(sorted(stage.nodes, key=lambda node: tuple(node.namespace))):
        shared = 0
        for one, other in zip(open_clusters, node.namespace, strict=False):
            if one != other:
                break
            shared += 1
        while len(open_clusters) > shared:
            yield "  " * len(open_clusters) + "}\n"
            open_clusters.pop()
        for part in node.namespace[shared:]:
            open_clusters.append(part)
            margin = "  " * len(open_clusters)
            yield f"{margin}subgraph {_quoted(f'cluster_{index}_{len(open_clusters)}')} {{\n"
            yield f"{margin}  label={_quoted(part)};\n"
        yield "  " * (len(open_clusters) + 1) + _node(node)
    while open_clusters:
        yield "  " * len(open_clusters) + "}\n"
        open_clusters.pop()
    yield from _edges(stage.nodes)
    yield "}\n"


def _node(node: StageNode) -> str:
    colour = f", fillcolor={crc32(node.label.encode()) % _SHADES + 1}" if node.flops != 0 else ""
    return f"n{node.expression} [label={_quoted(node.label)}, tooltip={_quoted(node.type)}{colour}];\n"


def _edges(nodes: Sequence[StageNode]) -> Iterator[str]:
    for node in nodes:
        for source in node.inputs:
            yield f"  n{source} -> n{node.expression};\n"


def _quoted(text: str) -> str:
    """A string of the DOT language, whose escapes are those of JSON for all that a name holds."""
    return json.dumps(text, ensure_ascii=False)
