"""What other programs wrote about a module, in the formats of TVM v0.12.0: read, and linked to the module's values.

Sources of the formats: ``python/tvm/contrib/debugger/debug_result.py`` (the debug executor's table, graph and Chrome
trace), ``src/runtime/profiling.cc`` (the profiler's CSV, JSON and table), ``python/tvm/autotvm/record.py``,
``src/relay/backend/graph_executor_codegen.cc``, and TVMScript as ``IRModule.script`` prints it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from relay_lsp.server.pass_calls import parse_pipeline
from relay_lsp.server.worker.tracing import TracePasses

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (ROOT / "explorer/node_modules/vite").exists(),
    reason="there is no node, or ./dev explorer did not run",
)

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32], %d: Tensor[(10, 4), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]) /* si=stem.conv */;
  %1 = nn.relu(%0) /* si=stem.relu */;
  %2 = nn.conv2d(%1, %w, padding=[1, 1, 1, 1]) /* si=body.conv */;
  %3 = nn.relu(%2) /* si=body.relu */;
  %4 = nn.global_avg_pool2d(%3) /* si=head.pool */;
  %5 = nn.batch_flatten(%4) /* si=head.flat */;
  nn.dense(%5, %d, units=None) /* si=head.fc */
}
"""

PREFIX = "tvmgen_default_fused"
KERNELS = ["nn_conv2d_nn_relu", "nn_conv2d_nn_relu", "nn_global_avg_pool2d", "nn_batch_flatten", "nn_dense"]
"""In the order in which they run; the first two are equal, so TVM compiles one of them and calls it twice."""

NODES = [f"{PREFIX}_{name}" for name in KERNELS]
NODES[1] += "_1"
"""The names of the graph's nodes: a name that is taken gets a number."""

MICROSECONDS = [100.5, 300.25, 50.0, 0.125, 1500.0]


def graph(*, is_debug: bool = False) -> str:
    nodes: list[dict[str, Any]] = [{"op": "null", "name": name, "inputs": []} for name in ("x", "p0", "p1")]
    for index, (node, kernel) in enumerate(zip(NODES, KERNELS, strict=True)):
        attributes = {
            "num_inputs": "1",
            "num_outputs": "1",
            "flatten_data": "0",
            "func_name": f"{PREFIX}_{kernel}",
            "out_layout": "",
            "kernel_layout": "OIHW",
            "data_layout": "NCHW",
        }
        source = 0 if index == 0 else index + 2
        nodes.append({"op": "tvm_op", "name": node, "attrs": attributes, "inputs": [[source, 0, 0]]})
    if is_debug:  # What the debug executor dumps are the nodes as it changed them in place.
        for node in nodes:
            node["inputs"] = [nodes[source]["name"] for source, _, _ in node["inputs"]]
            node["op"] = "param" if node["op"] == "null" else node["attrs"]["func_name"]
            node.setdefault("attrs", {})["T"] = "type: float32"
            node["shape"] = [1, 4, 8, 8]
    types = {"shape": ["list_shape", [[1]] * 8], "dltype": ["list_str", ["float32"] * 8]}
    return json.dumps(
        {
            "nodes": nodes,
            "arg_nodes": [0, 1, 2],
            "heads": [[7, 0, 0]],
            "attrs": {**types, "storage_id": ["list_int", [*range(8)]]},
            "node_row_ptr": [*range(9)],
        },
        indent=2,
    )


def debug_table() -> str:
    """As ``DebugResult.get_debug_result`` prints it: sorted by time, a total below."""
    heads = ["Node Name", "Ops", "Time(us)", "Time(%)", "Shape", "Inputs", "Outputs", "Measurements(us)"]
    rows = [
        [node, f"{PREFIX}_{kernel}", time, 10.0, "(1, 4, 8, 8)", "2", "1", f"[{time}, {time}]"]
        for node, kernel, time in zip(NODES, KERNELS, MICROSECONDS, strict=True)
    ]
    rows.sort(key=lambda row: -row[2])
    rows.append(["Total_time", "-", sum(MICROSECONDS), "-", "-", "-", "-", "-"])
    lines = [heads, ["-" * len(head) for head in heads], *rows]
    widths = [max(len(str(line[column])) for line in lines) + 2 for column in range(len(heads))]
    return "\n".join("".join(f"{cell!s:<{width}}" for cell, width in zip(line, widths, strict=True)) for line in lines)


def chrome_trace() -> str:
    events: list[dict[str, Any]] = []
    clock = 0.0
    for name, took in [("x", 0.0), ("p0", 0.0), *zip(NODES, MICROSECONDS, strict=True)]:
        events.append({"ts": clock, "tid": 1, "pid": 1, "name": name, "ph": "B"})
        clock += took
        events.append({"ts": clock, "tid": 1, "pid": 1, "name": name, "ph": "E"})
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events})


def calls() -> list[dict[str, Any]]:
    rows = zip(KERNELS, MICROSECONDS, strict=True)
    return [
        {
            "Argument Shapes": "float32[1, 4, 8, 8], float32[4, 4, 3, 3]",
            "Count": 1,
            "Device": "cpu0",
            "Duration (us)": time,
            "Hash": f"{index:016x}",
            "Name": f"{PREFIX}_{kernel}",
            "Percent": 20.0,
        }
        for index, (kernel, time) in enumerate(rows)
    ]


def profiler_csv() -> str:
    """As ``ReportNode::AsCSV``: heads in alphabetical order, texts in quotes."""
    rows = [",".join(f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in row.values()) for row in calls()]
    return "\n".join([",".join(calls()[0]), *rows, ""])


def profiler_json() -> str:
    kinds = {"Count": "count", "Duration (us)": "microseconds", "Percent": "percent"}
    rows = [{name: {kinds.get(name, "string"): cell} for name, cell in row.items()} for row in calls()]
    total = {"Duration (us)": {"microseconds": 2000.0}, "Percent": {"percent": 100.0}}
    configuration = {"Executor": {"string": "Graph"}, "Number of threads": {"count": 2}}
    return json.dumps({"calls": rows, "device_metrics": {"cpu0": total}, "configuration": configuration})


def profiler_table() -> str:
    """As ``ReportNode::AsTable``: sorted, equal calls added up, cells to the right, sums without a hash."""
    heads = ["Name", "Duration (us)", "Percent", "Device", "Count", "Argument Shapes", "Hash"]
    rows = [[str(row[head]) for head in heads] for row in calls()[2:]]
    rows.append([f"{PREFIX}_nn_conv2d_nn_relu", "1,400.75", "20.00", "cpu0", "2", "float32[1, 4, 8, 8]", ""])
    rows += [["----------", *[""] * 6], ["Sum", "1,950.88", "100.00", "", "5", "", ""]]
    rows.append(["Total", "2,000.00", "", "cpu0", "1", "", ""])
    lines = [heads, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "".join(
        line[0].ljust(widths[0])
        + "  "
        + "  ".join(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        + "  \n"
        for line in lines
    )


def tuning_log() -> str:
    tensors = [["TENSOR", [1, 4, 8, 8], "float32"], ["TENSOR", [4, 4, 3, 3], "float32"]]
    convolution = ["conv2d_NCHWc.x86", [*tensors, [1, 1], [1, 1, 1, 1], [1, 1], "NCHW", "NCHW", "float32"]]
    records: list[Any] = []
    for costs, error in (([0.002, 0.004], 0), ([1e9], 4)):
        result = [costs, error, 0.5, 1700000000.0]
        config = {"index": 7, "code_hash": None, "entity": [["tile_ic", "sp", [-1, 4]]]}
        records.append(
            {
                "input": ["llvm -keys=cpu", *convolution, {}],
                "config": config,
                "result": result,
                "version": 0.2,
                "tvm_version": "0.12.0",
            }
        )
    records.append({"i": [['["b32ed43fb351136894c322ee49097a1a", 1, 4]', "llvm"], [[], []]], "r": [[0.1], 0, 1, 1]})
    return "\n".join(map(json.dumps, records))


def script() -> str:
    """As ``IRModule.script`` prints lowered functions."""
    functions = [
        f"""    @T.prim_func
    def {PREFIX}_{kernel}(p0: T.handle, T_relu: T.handle):
        T.func_attr({{"from_legacy_te_schedule": T.bool(True), "global_symbol": "{PREFIX}_{kernel}"}})
        for i in range(4):
            T.evaluate(0)
"""
        for kernel in dict.fromkeys(KERNELS)
    ]
    heads = ["# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n"]
    return "\n".join([*heads, *functions])


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the explorer reads in each file, and to what it links it."""
    folder = tmp_path_factory.mktemp("overlays")
    trace = folder / "model.trace.jsonl"
    passes = tuple(parse_pipeline(["FuseOps", "InferType", "LabelOps"]))
    lines = TracePasses(MODEL, "model.relay", passes).run(lambda _: None).lines
    assert lines is not None
    trace.write_text("".join(lines))
    files = {
        "graph.json": graph(),
        "_tvmdbg_graph_dump.json": graph(is_debug=True),
        "debug.txt": debug_table(),
        "_tvmdbg_execution_trace.json": chrome_trace(),
        "profile.csv": profiler_csv(),
        "profile.json": profiler_json(),
        "profile.txt": profiler_table(),
        "tuning.log": tuning_log(),
        "lowered.py": script(),
        "notes.txt": "nothing of the kind\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    command = [
        "node",
        str(Path(__file__).with_name("overlays.mjs")),
        str(trace),
        *(str(folder / name) for name in files),
    ]
    output = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    return dict(zip(files, json.loads(output), strict=True))


STEM, BODY = ["stem.conv", "stem.relu"], ["body.conv", "body.relu"]
IN_ORDER = [STEM, BODY, ["head.pool"], ["head.flat"], ["head.fc"]]


@pytest.mark.parametrize("name", ["graph.json", "_tvmdbg_graph_dump.json"])
def test_nodes_of_the_graph_executor_are_linked_in_the_order_of_evaluation(laid: dict[str, Any], name: str):
    assert laid[name]["kind"] == "graph executor"
    assert [entry["layers"] for entry in laid[name]["entries"]] == IN_ORDER
    assert laid[name]["unlinked"] == []


@pytest.mark.parametrize("name", ["_tvmdbg_execution_trace.json", "profile.csv", "profile.json"])
def test_times_in_the_order_of_evaluation_are_linked_call_by_call(laid: dict[str, Any], name: str):
    entries = laid[name]["entries"]
    assert [entry["layers"] for entry in entries] == IN_ORDER
    assert [entry["seconds"] for entry in entries] == pytest.approx([time / 1e6 for time in MICROSECONDS])


def test_the_debug_executors_table_is_linked_by_its_nodes_though_it_is_sorted_by_time(laid: dict[str, Any]):
    by_time = sorted(zip(MICROSECONDS, IN_ORDER, strict=True), reverse=True)
    assert [entry["layers"] for entry in laid["debug.txt"]["entries"]] == [layers for _, layers in by_time]
    assert laid["debug.txt"]["unlinked"] == [], "the total is no kernel"


def test_the_profilers_table_may_have_empty_cells_and_adds_calls_up(laid: dict[str, Any]):
    entries = laid["profile.txt"]["entries"]
    assert [entry["name"].removeprefix(f"{PREFIX}_") for entry in entries] == [*KERNELS[2:], KERNELS[0]]
    assert entries[-1]["seconds"] == pytest.approx(1400.75e-6)
    assert entries[-1]["layers"] == [*STEM, *BODY], "a row of both calls speaks of both"


def test_tuned_tasks_are_linked_by_operator_and_shapes_and_failed_measurements_have_no_time(laid: dict[str, Any]):
    first, failed, _ = laid["tuning.log"]["entries"]
    assert sorted(first["layers"]) == ["body.conv", "stem.conv"]
    assert first["operators"] == ["nn.conv2d"]
    assert failed["layers"] == first["layers"]
    assert failed["seconds"] is None
    assert laid["tuning.log"]["unlinked"] == ['["b32ed43fb351136894c322ee49097a1a", 1, 4]']


def test_lowered_functions_speak_of_all_calls_of_their_kernel(laid: dict[str, Any]):
    assert laid["lowered.py"]["kind"] == "TIR"
    assert [entry["layers"] for entry in laid["lowered.py"]["entries"]] == [[*STEM, *BODY], *IN_ORDER[2:]]


def test_what_is_none_of_these_is_refused(laid: dict[str, Any]):
    assert laid["notes.txt"] is None
