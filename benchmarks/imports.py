"""How long models take to import, type and print, and how much memory: ``python -m benchmarks.imports``.

The models are made here, with random weights: ResNet-50 in 224 by 224 pixels, and a chain of 10,000 nodes. Each is
imported in a process of its own, once with its weights beside the text and once with its weights in it, as
``relay-lsp import`` does with and without ``--params``. Times are the processor's. Memory is what the process takes at
most beside Python and its packages (Linux).

``python -m benchmarks.imports MODEL…`` measures models in files.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

_STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Channels, blocks, and stride of the first block."""


class ResNet:
    """The nodes and weights of ResNet-50, or of ResNet-18, which has plain blocks."""

    def __init__(self, layers: int = 50) -> None:
        self._is_plain = layers == 18
        self._random = np.random.default_rng(0)
        self._nodes: list[NodeProto] = []
        self._weights: list[TensorProto] = []

    def model(self) -> ModelProto:
        """The model, for an image of 224 by 224 pixels."""
        value = self._relu(self._convolution("x", 3, 64, 7, 2))
        value = self._node("MaxPool", [value], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        channels = 64
        for width, blocks, stride in _STAGES:
            for block in range(2 if self._is_plain else blocks):
                made = self._plain_block if self._is_plain else self._block
                value = made(value, channels, width, stride if block == 0 else 1, block == 0)
                channels = width if self._is_plain else 4 * width
        value = self._node("Flatten", [self._node("GlobalAveragePool", [value])])
        value = self._node("Gemm", [value, self._weight(1000, channels), self._weight(1000)], transB=1)
        return _model(self._nodes, [1, 3, 224, 224], value, [1, 1000], self._weights)

    def _block(self, value: str, channels: int, width: int, stride: int, widens: bool) -> str:
        inner = self._relu(self._convolution(value, channels, width, 1))
        inner = self._relu(self._convolution(inner, width, width, 3, stride))
        inner = self._convolution(inner, width, 4 * width, 1)
        beside = self._convolution(value, channels, 4 * width, 1, stride) if widens else value
        return self._relu(self._node("Add", [inner, beside]))

    def _plain_block(self, value: str, channels: int, width: int, stride: int, widens: bool) -> str:
        inner = self._relu(self._convolution(value, channels, width, 3, stride))
        inner = self._convolution(inner, width, width, 3)
        beside = self._convolution(value, channels, width, 1, stride) if widens and channels != width else value
        return self._relu(self._node("Add", [inner, beside]))

    def _convolution(self, value: str, inputs: int, outputs: int, size: int, stride: int = 1) -> str:
        weight = self._weight(outputs, inputs, size, size)
        made = self._node("Conv", [value, weight], kernel_shape=[size] * 2, strides=[stride] * 2, pads=[size // 2] * 4)
        return self._node("BatchNormalization", [made, *(self._weight(outputs) for _ in range(4))])

    def _relu(self, value: str) -> str:
        return self._node("Relu", [value])

    def _node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        name = f"{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def _weight(self, *shape: int) -> str:
        values = np.abs(self._random.standard_normal(shape)).astype(np.float32)
        self._weights.append(numpy_helper.from_array(values, f"w{len(self._weights)}"))
        return self._weights[-1].name


def _chain(length: int) -> ModelProto:
    nodes: list[NodeProto] = []
    value = "x"
    for index in range(length):
        operator = ("Relu", "Add", "Mul", "Tanh")[index % 4]
        inputs = [value, "x"] if operator in ("Add", "Mul") else [value]
        value = f"v{index}"
        nodes.append(helper.make_node(operator, inputs, [value], name=f"n{index}"))
    return _model(nodes, [1, 64], value, [1, 64], [])


def _model(
    nodes: list[NodeProto], shape: list[int], output: str, result: list[int], weights: list[TensorProto]
) -> ModelProto:
    infos = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)
        for name, sizes in (("x", shape), (output, result))
    ]
    graph = helper.make_graph(nodes, "graph", infos[:1], infos[1:], weights)
    # Runtimes take a version of the format that is some years old; the newest is what the package would write.
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def _measure(path: Path, weights_aside: bool) -> None:
    from relay_lsp.frontends.model_text import model_text_pieces
    from relay_lsp.frontends.models import framework_of, read_model

    importlib.import_module(f"relay_lsp.frontends.{framework_of(path).name}")

    def megabytes() -> float:
        # Not `ru_maxrss`, which begins with what the parent had.
        status = Path("/proc/self/status").read_text("utf-8")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024

    before, start = megabytes(), time.process_time()
    imported = read_model(path)
    between = time.process_time()
    with Path(os.devnull).open("w", encoding="utf-8") as file:
        file.writelines(model_text_pieces(imported, weights_aside)[0])
    done = time.process_time()
    size = path.stat().st_size / 2**20
    print(
        f"{path.stem}, weights {'beside' if weights_aside else 'in'} the text: imported in {between - start:.2f} s, "
        f"typed and printed in {done - between:.2f} s; {megabytes() - before:.0f} MB for {size:.0f} MB in the file",
        flush=True,
    )


def main() -> None:
    """Make the models, or take those that are named, and measure each."""
    if sys.argv[1:2] in (["--beside"], ["--inside"]):
        _measure(Path(sys.argv[2]), sys.argv[1] == "--beside")
        return
    for name in sys.argv[1:]:
        _measure_apart(Path(name))
    if len(sys.argv) > 1:
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, model in (("resnet50", ResNet().model()), ("chain of 10000", _chain(10_000))):
            path = Path(folder) / f"{name}.onnx"
            path.write_bytes(model.SerializeToString())
            _measure_apart(path)


def _measure_apart(path: Path) -> None:
    for mode in ("--beside", "--inside"):
        subprocess.run([sys.executable, "-m", "benchmarks.imports", mode, str(path)], check=True)


if __name__ == "__main__":
    main()
