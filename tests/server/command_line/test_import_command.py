"""``relay-lsp import``."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from relay_lsp import ir
from relay_lsp.ir.model_reference import ModelReference
from relay_lsp.server.command_line.program import run
from tests.frontends.onnx.models import model, node
from tests.frontends.tflite.models import Operator, Tensor, constant
from tests.frontends.tflite.models import model as tflite_model


@pytest.fixture
def path(tmp_path: Path) -> Path:
    weights = {"w": np.random.default_rng(0).standard_normal((3, 8)).astype(np.float32)}
    nodes = [node("MatMul", "in:0 w", "a", name="dense"), node("Relu", "a")]
    path = tmp_path / "net.onnx"
    path.write_bytes(model(nodes, {"in:0": ("float32", (2, 3))}, constants=weights).SerializeToString())
    return path


def test_a_model_becomes_a_text(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = tmp_path / "net.relay"
    assert run(["import", str(path), "-o", str(written), "--verify"]) == 0
    text = written.read_text()
    assert text.splitlines()[1].startswith("/* from net.onnx (onnx), sha256 ")
    assert "span=dense:0:0" in text
    assert not ir.parse(text).diagnostics
    assert "verified: 1 output compared: they agree" in capsys.readouterr().err


def test_weights_may_stand_beside_the_text(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", str(path), "--params", str(tmp_path / "net.npz")]) == 0
    parsed = ir.parse(capsys.readouterr().out)
    assert not parsed.diagnostics
    names = [var.name_hint for var in parsed.module["main"].params]
    assert names[0] == "in_0"
    with np.load(tmp_path / "net.npz") as params:
        assert set(params) == set(names[1:])
        data = np.ones((2, 3), np.float32)
        result = ir.evaluate(parsed.module, data, *(params[name] for name in names[1:]))
    assert result.shape == (2, 8)  # type: ignore[union-attr]


def test_weights_may_be_left_out(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", str(path)]) == 0
    assert "#[metadata]" in capsys.readouterr().out
    assert run(["import", str(path), "--without-weights"]) == 0
    assert "#[metadata]" not in capsys.readouterr().out


def test_a_model_s_parameters_are_in_the_text_where_they_go_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tensors = [Tensor("x", (1, 6)), constant("dense/kernel", np.ones((6, 6), np.float32)), Tensor("y", (1, 6))]
    dense = Operator("FULLY_CONNECTED", ["x", "dense/kernel"], ["y"], "FullyConnectedOptions")
    path = tmp_path / "net.tflite"
    path.write_bytes(tflite_model(tensors, [dense], ["x"], ["y"]))
    assert run(["import", str(path)]) == 0
    module = ir.parse(capsys.readouterr().out).module
    assert [var.name_hint for var in module["main"].params] == ["x"]
    np.testing.assert_array_equal(ir.evaluate(module, np.ones((1, 6), np.float32)), np.full((1, 6), 6.0))
    assert run(["import", str(path), "--params", str(tmp_path / "net.npz")]) == 0
    parsed = ir.parse(capsys.readouterr().out)
    with np.load(tmp_path / "net.npz") as params:
        assert [var.name_hint for var in parsed.module["main"].params] == ["x", *params]


def test_a_tflite_model_is_verified_by_litert_where_it_is_installed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.tflite"
    tensors = [Tensor("x", (2, 3)), constant("w", np.ones((4, 3), np.float32)), Tensor("y", (2, 4))]
    dense = Operator("FULLY_CONNECTED", ["x", "w", "_"], ["y"], "FullyConnectedOptions")
    path.write_bytes(tflite_model(tensors, [dense], ["x"], ["y"]))
    code = run(["import", str(path), "--without-weights", "--verify"])
    messages = capsys.readouterr().err
    if importlib.util.find_spec("ai_edge_litert"):
        assert (code, "verified: 1 output compared: they agree" in messages) == (0, True)
    else:
        assert (code, "not verified: " in messages, "pip install ai-edge-litert" in messages) == (1, True, True)


def test_a_comparison_without_end_is_stopped(tmp_path: Path) -> None:
    turn = helper.make_graph(
        [node("Identity", "c", "again"), node("Exp", "v", "w")],
        "turn",
        [
            helper.make_tensor_value_info(name, dtype, shape)
            for name, dtype, shape in (("i", TensorProto.INT64, ()), ("c", TensorProto.BOOL, ()), ("v", 1, (1,)))
        ],
        [
            helper.make_tensor_value_info(name, dtype, shape)
            for name, dtype, shape in (("again", TensorProto.BOOL, ()), ("w", 1, (1,)))
        ],
    )
    constants = {"most": np.int64(2**60), "true": np.array(True)}
    endless = node("Loop", "most true x", body=turn)
    path = tmp_path / "endless.onnx"
    path.write_bytes(model([endless], {"x": ("float32", (1,))}, constants=constants).SerializeToString())
    arguments = ["import", str(path), "-o", str(tmp_path / "endless.relay"), "--verify", "--timeout", "0.1"]
    done = subprocess.run(
        [sys.executable, "-m", "relay_lsp.server", *arguments], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "the comparison was stopped after 0.1 seconds; nothing is known about the numbers" in done.stderr
    assert "while_loop" in (tmp_path / "endless.relay").read_text()


def test_the_text_finds_its_model_from_where_it_lies(path: Path, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    written = tmp_path / "texts" / "net.relay"
    assert run(["import", str(path), "-o", str(written)]) == 0
    reference = ModelReference.read(written.read_text())
    assert reference is not None
    assert (reference.file, reference.framework) == ("../net.onnx", "onnx")


def test_what_cannot_be_converted_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.onnx"
    path.write_bytes(model([node("Foo", name="odd")], {"x": ("float32", (2,))}).SerializeToString())
    assert run(["import", str(path)]) == 1
    said = capsys.readouterr()
    assert "onnx.Foo(%x)" in said.out
    assert "error: node odd (Foo): there is no operator Foo" in said.err
    assert run(["import", "--verify", str(path)]) == 1
    assert "not verified: a part of the model could not be converted" in capsys.readouterr().err
    assert run(["import", "--strict", str(path)]) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.onnx"], "nowhere.onnx was not imported"),
        (["model.txt"], "a model's file ends with .onnx"),
        (["--shape", "x", "net.onnx"], "--shape takes NAME=1,3,224,224"),
        (["--shape", "y=1", "net.onnx"], "a shape is given for y"),
        (["--dtype", "in:0", "net.onnx"], "--dtype takes NAME=int64"),
        (["--dtype", "in:0=number", "net.onnx"], "--dtype takes NAME=int64"),
        (["--dtype", "y=int64", "net.onnx"], "a dtype is given for y"),
        (["--params", "weights.bin", "net.onnx"], "written as .npz or .safetensors"),
        (["--framework", "torch", "net.onnx"], "there is no framework 'torch'; there are onnx, pytorch, tflite"),
        (["-"], "a model is read from a file"),
    ],
)
def test_trouble(
    arguments: list[str],
    words: str,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(path.parent)
    assert run(["import", *arguments]) == 2
    assert words in capsys.readouterr().err
