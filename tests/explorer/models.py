"""The modules that the explorer's tests show, and what other programs wrote about one of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.conformance import records

VERSION = '#[version = "0.0.5"]\n'

LAYERS = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %g: Tensor[(4), float32], %w: Tensor[(4, 4, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]) /* si=torch.convolution_1 */;
  %1 = nn.batch_norm(%0, %g, %g, %g, %g) /* si=torch.batch_norm_2 */;
  %2 = %1.0 /* si=torch.batch_norm_2 */;
  %3 = nn.dropout(%2);
  nn.relu(%3.0) /* si=torch.relu_3 */
}
"""

REMOVED = """
def @main(%x: Tensor[(4), float32]) {
  let %unused = tanh(%x);
  let %used = nn.relu(%x);
  exp(%used)
}
"""

CLOSURES = """
type List[A] {
  Cons(A, List[A]),
  Nil,
}
def @main(%x: Tensor[(3), float32], %y: Tensor[(3), float32]) -> Tensor[(3), float32] {
  let %scale = fn (%a: Tensor[(3), float32]) -> Tensor[(3), float32] {
    multiply(%a, %x)
  };
  %0 = %scale(%y);
  %1 = Cons(%0, Nil);
  match (%1) {
    Cons(%head, _) => { add(%head, %y) },
    Nil => { %y },
  }
}
"""

HOSTILE_LAYER = "</script><img/src=x/onerror=window.injected=1>\u202etorch\u2066&'quoted'🙂"
HOSTILE = f"""
def @main(%x: Tensor[(4), float32]) {{
  %0 = nn.relu(%x) /* si={HOSTILE_LAYER} */;
  exp(%0) // 🙂 <script>window.injected=1</script>
}}
"""

OVERLAID = """
def @main(%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]) /* si=stem.conv */;
  %1 = nn.relu(%0) /* si=stem.relu */;
  %2 = nn.conv2d(%1, %w, padding=[1, 1, 1, 1]) /* si=body.conv */;
  %3 = nn.relu(%2) /* si=body.relu */;
  %4 = nn.global_avg_pool2d(%3) /* si=head.pool */;
  nn.batch_flatten(%4) /* si=head.flat */
}
"""

TIMES = """Name,Duration (us),Percent,Device
tvmgen_default_fused_nn_conv2d_nn_relu,100.0,20,cpu0
tvmgen_default_fused_nn_conv2d_nn_relu_1,300.0,60,cpu0
tvmgen_default_fused_nn_global_avg_pool2d,50.0,10,cpu0
tvmgen_default_fused_nn_dense,50.0,10,cpu0
Total,500.0,100,cpu0
"""

TIR = """@tvmgen_default_fused_nn_global_avg_pool2d = primfn(p0_1: handle, out_1: handle) -> ()
  attr = {"global_symbol": "tvmgen_default_fused_nn_global_avg_pool2d", "tir.noalias": True} {
  for (i: int32, 0, 4) { out[i] = 0f32 }
}
"""

LOG = (
    '{"input": ["llvm", "conv2d_nchw.x86", [["TENSOR", [1, 4, 8, 8], "float32"], '
    '["TENSOR", [4, 4, 3, 3], "float32"], [1, 1]],'
    ' {}], "config": {}, "result": [[0.002], 0, 1.0, 2.0], "version": 0.2}\n'
)


def overlays(folder: Path) -> list[str]:
    """Files of other programs about ``OVERLAID``, as arguments of the command."""
    kernels = ["nn_conv2d_nn_relu", "nn_conv2d_nn_relu_1", "nn_global_avg_pool2d", "nn_batch_flatten"]
    nodes: list[dict[str, Any]] = [{"op": "null", "name": "x", "inputs": []}]
    for number, kernel in enumerate(kernels):
        name = f"tvmgen_default_fused_{kernel}"
        nodes.append({"op": "tvm_op", "name": name, "attrs": {"func_name": name}, "inputs": [[number, 0, 0]]})
    graph = {"nodes": nodes, "arg_nodes": [0], "heads": [[4, 0, 0]], "attrs": {}}
    lines = "line,seconds\n4,0.25\n99,1\n"
    files = {
        "times.csv": TIMES,
        "graph.json": json.dumps(graph),
        "kernels.tir": TIR,
        "tuning.log": LOG,
        "lines.csv": lines,
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return [argument for name in files for argument in ("--overlay", str(folder / name))]


NEGATIVES = "".join(f"  %{number} = negative(%{number - 1});\n" for number in range(1, 12))
FOLDS = f"""
def @main(%x: Tensor[(4), float32]) {{
  %0 = exp(%x);
{NEGATIVES}  %12 = nn.dropout(%11);
  nn.relu(%12.0)
}}
"""

PARAMETERS = ", ".join(f"%parameter_{number}: Tensor[(4), float32]" for number in range(300))
LONG_LINE = f"def @main({PARAMETERS}) {{\n  add(%parameter_0, %parameter_299)\n}}\n"


def large() -> str:
    """A module of 10,000 statements, each of a layer."""
    statements: list[str] = []
    last = "%x"
    for number in range(2_500):
        base = number * 4
        statements += [
            f"  %{base} = nn.conv2d({last}, %w, padding=[1, 1, 1, 1]) /* si=torch.convolution_{number} */;",
            f"  %{base + 1} = nn.bias_add(%{base}, %b) /* si=torch.convolution_{number} */;",
            f"  %{base + 2} = add(%{base + 1}, 1f) /* si=torch.add_{number} */;",
            f"  %{base + 3} = nn.relu(%{base + 2}) /* si=torch.relu_{number} */;",
        ]
        last = f"%{base + 3}"
    parameters = "%x: Tensor[(1, 4, 8, 8), float32], %w: Tensor[(4, 4, 3, 3), float32], %b: Tensor[(4), float32]"
    return "\n".join([f"def @main({parameters}) {{", *statements, f"  nn.relu({last})", "}\n"])


def onnx_model(path: Path) -> None:
    """A convolution and an activation."""
    from onnx import TensorProto, helper, save

    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="conv"),
        helper.make_node("Relu", ["c"], ["y"], name="act"),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8]),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, [4, 3, 3, 3]),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 6, 6])]
    save(
        helper.make_model(helper.make_graph(nodes, "g", inputs, outputs), opset_imports=[helper.make_opsetid("", 13)]),
        path,
    )


RECORDED = {"prelude": ("passes/InferType", "76792bae8225"), "gradient": ("cross", "e78d407586bd")}
"""Modules with closures and data types that TVM printed, by file and number of the record: prelude, gradient cells."""


def recorded(record: tuple[str, str]) -> str:
    """The text that TVM printed last in a record of the sample."""
    file, number = record
    return next(each["after"] for each in records.load(file) if each["id"] == number)
