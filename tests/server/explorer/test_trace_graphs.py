"""Stages as graphs for other programs: Model Explorer and Graphviz, from the command line."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from relay_lsp.server.command_line.program import run

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 8, 8), float32], %g: Tensor[(4), float32], %w: Tensor[(4, 4, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]) /* si=block.conv */;
  %1 = nn.batch_norm(%0, %g, %g, %g, %g) /* si=block.norm */;
  let %kept = %1.0;
  nn.relu(%kept) /* si=block."relu" */
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.relay"
    path.write_text(TEXT)
    return path


@pytest.fixture
def folder(tmp_path: Path, model: Path) -> Path:
    folder = tmp_path / "graphs"
    passes = ["-p", "SimplifyInference", "-p", "ToGraphNormalForm", "-p", "FuseOps"]
    assert run(["trace", *passes, "--format", "model-explorer", "-o", str(folder), str(model)]) == 0
    return folder


def read(folder: Path, name: str) -> Any:
    return json.loads((folder / name).read_text())


class Record(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A class of Model Explorer 0.1.34, ``graph_builder.py`` and ``node_data_builder.py``, with the fields we write."""


class Attribute(Record):
    key: str
    value: str


class Output(Record):
    id: str
    attrs: list[Attribute] = []


class Edge(Record):
    source_node_id: str
    source_node_output_id: str = "0"
    target_node_input_id: str = "0"


class Node(Record):
    id: str
    label: str
    namespace: str = ""
    attrs: list[Attribute] = []
    incoming_edges: list[Edge] = []
    outputs_metadata: list[Output] = []


class Graph(Record):
    id: str
    nodes: list[Node] = []


class Collection(Record):
    label: str
    graphs: list[Graph] = []
    graph_sorting: Literal["node_count_asc", "node_count_desc", "name_asc", "name_desc"] = "node_count_desc"


class Value(Record):
    value: int | float


class Stop(Record):
    stop: int | float
    bg_color: str | None = None
    text_color: str | None = None


class NodeData(Record):
    results: dict[str, Value]
    name: str | None = None
    gradient: list[Stop] = []


class Entry(Record):
    left_node_ids: list[str]
    right_node_ids: list[str]


class Sync(Record):
    type: Literal["sync_navigation"]
    mapping_entries: list[Entry]
    disable_mapping_fallback: bool


def test_the_files_have_the_fields_and_values_that_model_explorer_reads(folder: Path):
    collection = msgspec.json.decode((folder / "graphs.json").read_bytes(), type=Collection)
    assert [graph.id for graph in collection.graphs] == sorted(graph.id for graph in collection.graphs)
    flops = msgspec.json.decode((folder / "flops.json").read_bytes(), type=dict[str, NodeData])
    assert set(flops) == {graph.id for graph in collection.graphs}
    for number, (left, right) in enumerate(pairwise(collection.graphs), 1):
        sync = msgspec.json.decode((folder / f"sync-{number}-{number + 1}.json").read_bytes(), type=Sync)
        for graph, nodes in (
            (left, [each for entry in sync.mapping_entries for each in entry.left_node_ids]),
            (right, [each for entry in sync.mapping_entries for each in entry.right_node_ids]),
        ):
            assert set(nodes) <= {node.id for node in graph.nodes}
            assert len(nodes) == len(set(nodes)), "a node may stand in one entry only"


def test_each_stage_is_a_graph_whose_edges_lead_to_its_own_nodes(folder: Path):
    graphs = read(folder, "graphs.json")["graphs"]
    assert [graph["id"].split(". ")[1] for graph in graphs][1:] == ["SimplifyInference", "ToGraphNormalForm", "FuseOps"]
    for graph in graphs:
        nodes = {node["id"]: node for node in graph["nodes"]}
        for node in graph["nodes"]:
            assert all(edge["sourceNodeId"] in nodes for edge in node["incomingEdges"])
    by_label = {node["label"]: node for node in graphs[0]["nodes"]}
    (source,) = by_label["nn.relu"]["incomingEdges"]
    assert source["sourceNodeId"] == by_label["projection .0"]["id"], "let is looked through"
    assert by_label["nn.conv2d"]["namespace"] == "block/conv"


def test_a_fused_function_is_a_namespace_and_its_parameters_are_what_it_is_called_with(folder: Path):
    fused = read(folder, "graphs.json")["graphs"][-1]["nodes"]
    convolution = next(node for node in fused if node["label"] == "nn.conv2d")
    labels = {node["id"]: node["label"] for node in fused}
    assert [labels[edge["sourceNodeId"]] for edge in convolution["incomingEdges"]] == ["%x", "%w"]
    assert "conv2d" in convolution["namespace"].split("/")[-1]


def test_flops_are_data_of_nodes(folder: Path):
    flops = read(folder, "flops.json")
    convolution = next(
        node for node in read(folder, "graphs.json")["graphs"][0]["nodes"] if node["label"] == "nn.conv2d"
    )
    results = next(iter(flops.values()))["results"]
    assert results[convolution["id"]]["value"] == 2 * 4 * 8 * 8 * 4 * 3 * 3


def test_measured_times_are_data_of_the_heaviest_node_of_their_layer(model: Path, tmp_path: Path):
    table = tmp_path / "times.csv"
    table.write_text("layer,ms\nblock.conv,2\nblock.conv,1\n")
    folder = tmp_path / "timed"
    command = [
        "trace",
        "-p",
        "FuseOps",
        "--format",
        "model-explorer",
        "--times",
        str(table),
        "-o",
        str(folder),
        str(model),
    ]
    assert run(command) == 0
    convolution = next(
        node for node in read(folder, "graphs.json")["graphs"][0]["nodes"] if node["label"] == "nn.conv2d"
    )
    results = next(iter(read(folder, "times.json").values()))["results"]
    assert results == {convolution["id"]: {"value": pytest.approx(0.003)}}


def test_a_table_without_times_says_what_it_needs(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    table = tmp_path / "table.csv"
    table.write_text("name,count\nx,1\n")
    command = [
        "trace",
        "-p",
        "FuseOps",
        "--format",
        "model-explorer",
        "--times",
        str(table),
        "-o",
        str(tmp_path),
        str(model),
    ]
    assert run(command) == 2
    assert "it needs the columns layer and seconds or ms or us" in capsys.readouterr().err


def test_a_node_stands_in_one_entry_of_a_mapping(folder: Path):
    names = sorted(path.name for path in folder.glob("sync-*.json"))
    assert names == ["sync-1-2.json", "sync-2-3.json", "sync-3-4.json", "sync-first-last.json"]
    for name in names:
        entries = read(folder, name)["mappingEntries"]
        for side in ("leftNodeIds", "rightNodeIds"):
            ids = [each for entry in entries for each in entry[side]]
            assert len(ids) == len(set(ids))
    first, last = read(folder, "graphs.json")["graphs"][:: len(names) - 1]
    left = {node["id"]: node["label"] for node in first["nodes"]}
    right = {node["id"]: node["label"] for node in last["nodes"]}
    entries = read(folder, "sync-first-last.json")["mappingEntries"]
    norm = next(entry for entry in entries if "nn.batch_norm" in [left[each] for each in entry["leftNodeIds"]])
    assert "sqrt" in [right[each] for each in norm["rightNodeIds"]]


def test_a_trace_gives_the_same_graphs_as_the_text(
    folder: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    capsys.readouterr()
    passes = ["-p", "SimplifyInference", "-p", "ToGraphNormalForm", "-p", "FuseOps"]
    assert run(["trace", *passes, "--format", "json", str(model)]) == 0
    trace = tmp_path / "model.jsonl"
    trace.write_text(capsys.readouterr().out)
    assert run(["trace", "--format", "model-explorer", "-o", str(tmp_path / "again"), str(trace)]) == 0
    assert read(tmp_path / "again", "graphs.json") == read(folder, "graphs.json")


def test_dot_is_the_last_stage_with_clusters_and_names_as_strings(model: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["trace", "-p", "SimplifyInference", "--format", "dot", str(model)]) == 0
    dot = capsys.readouterr().out
    assert dot.startswith('digraph "SimplifyInference" {')
    assert dot.count("{") == dot.count("}")
    assert 'label="block"' in dot
    assert 'label="\\"relu\\""' in dot
    assert "->" in dot


def test_what_is_no_trace_with_graphs_says_why(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["trace", "-p", "FuseOps", "--format", "model-explorer", str(model)]) == 2
    assert "name a folder with --output" in capsys.readouterr().err
    old = tmp_path / "old.jsonl"
    header = '{"record":"trace","format":"relay-lsp-trace","version":1}\n'
    stage = (
        '{"record":"stage","stage":0,"strings":[],"text":"","new":{"first":0,"kind":[],"label":[],"type":[],"layers":[]},'
        '"order":[],"start":[],"length":[],"operators":{}}\n'
    )
    old.write_text(header + stage)
    assert run(["trace", "--format", "dot", str(old)]) == 2
    assert "line 2: the trace does not say what expressions are made of" in capsys.readouterr().err
