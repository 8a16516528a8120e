"""The graphs of a trace for Model Explorer: a graph collection, data of nodes, and how the stages correspond.

Source of the forms: ``graph_builder.py``, ``node_data_builder.py`` and ``sync_navigation.ts`` of google-ai-edge's
Model Explorer. A node may stand in one entry of a mapping only, so links that share a node are one entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from .trace_graphs import StageGraph, StageNode, TraceGraphs

__all__ = ["model_explorer_files"]

_GRADIENT = [{"stop": 0, "bgColor": "#ffffff"}, {"stop": 1, "bgColor": "#f28b61"}]


def model_explorer_files(graphs: TraceGraphs, times: Mapping[str, float] | None = None) -> dict[str, object]:
    """The files by name, each as what its JSON holds.

    ``graphs.json`` is the collection, with one graph for each stage; ``flops.json`` and ``times.json`` are data of its
    nodes; ``sync-1-2.json`` says which nodes of the first graph became which of the second, and
    ``sync-first-last.json`` the same from end to end.

    Args:
        graphs: the stages.
        times: seconds by layer; nothing is written about times without them.
    """
    stages = graphs.stages
    # Model Explorer lists graphs by name or by size alone: numbers of one length keep their order.
    width = len(str(len(stages)))
    names = {stage.number: f"{index:0{width}}. {stage.name}" for index, stage in enumerate(stages, 1)}
    files: dict[str, object] = {
        "graphs.json": {
            "label": graphs.source or "trace",
            "graphs": [{"id": names[stage.number], "nodes": list(map(_node, stage.nodes))} for stage in stages],
            "graphSorting": "name_asc",
        },
        "flops.json": {names[stage.number]: _data("floating-point operations", _flops(stage)) for stage in stages},
    }
    if times:
        files["times.json"] = {names[stage.number]: _data("seconds", _seconds(stage, times)) for stage in stages}
    for index, (before, after) in enumerate(pairwise(stages), 1):
        files[f"sync-{index}-{index + 1}.json"] = _sync(graphs, before, after)
    if len(stages) > 2:
        files["sync-first-last.json"] = _sync(graphs, stages[0], stages[-1])
    return files


def _node(node: StageNode) -> dict[str, object]:
    attributes = [("type", node.type), *(("layer", name) for name in node.layers)]
    if node.flops > 0:
        attributes.append(("flops", str(node.flops)))
    return {
        "id": str(node.expression),
        "label": node.label,
        "namespace": "/".join(part.replace("/", "_") for part in node.namespace),
        "attrs": [{"key": key, "value": value} for key, value in attributes if value],
        "incomingEdges": [
            {"sourceNodeId": str(source), "sourceNodeOutputId": "0", "targetNodeInputId": str(index)}
            for index, source in enumerate(node.inputs)
        ],
        "outputsMetadata": [{"id": "0", "attrs": [{"key": "shape", "value": node.type}]}] if node.type else [],
    }


def _flops(stage: StageGraph) -> dict[str, float]:
    return {str(node.expression): node.flops for node in stage.nodes if node.flops > 0}


def _seconds(stage: StageGraph, times: Mapping[str, float]) -> dict[str, float]:
    """The time of each layer at the value of it that takes the most operations."""
    heaviest: dict[str, StageNode] = {}
    for node in stage.nodes:
        for layer in node.layers:
            if layer in times and (layer not in heaviest or node.flops > heaviest[layer].flops):
                heaviest[layer] = node
    seconds: dict[str, float] = {}
    for layer, node in heaviest.items():
        key = str(node.expression)
        seconds[key] = seconds.get(key, 0.0) + times[layer]
    return seconds


def _data(name: str, values: Mapping[str, float]) -> dict[str, object]:
    return {"name": name, "results": {key: {"value": value} for key, value in values.items()}, "gradient": _GRADIENT}


def _sync(graphs: TraceGraphs, before: StageGraph, after: StageGraph) -> dict[str, object]:
    return {
        "type": "sync_navigation",
        "mappingEntries": [
            {"leftNodeIds": list(map(str, left)), "rightNodeIds": list(map(str, right))}
            for left, right in graphs.links(before, after)
        ],
        "disableMappingFallback": True,
    }
