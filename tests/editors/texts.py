"""The files that are opened in every editor.

``python -m tests.editors.texts`` makes ``net.pt2`` anew, with PyTorch.
"""

import importlib.util
import io
import re
import zipfile
from pathlib import Path

import numpy as np

from tests.frontends.onnx.models import model, node
from tests.frontends.tflite import models as tflite

__all__ = ["BATCH_NORM", "BROKEN", "HAS_PYTORCH", "MODELS", "NETWORK"]

HAS_PYTORCH = importlib.util.find_spec("torch") is not None
"""Whether exported programs can be imported; without PyTorch an editor shows which extra is missing."""

_PROGRAM = Path(__file__).with_name("net.pt2")

NETWORK = model(
    [node("MatMul", "x w", "a", name="dense"), node("LeakyRelu", "a", alpha=0.5, name="activation")],
    {"x": ("float32", (2, 3))},
    constants={"w": np.ones((3, 8), np.float32)},
).SerializeToString()
"""A model of ONNX."""

MODELS = {
    "net.onnx": NETWORK,
    "lite.tflite": tflite.model(
        [tflite.Tensor("x", [2, 3]), tflite.constant("w", np.ones((8, 3), "float32")), tflite.Tensor("dense", [2, 8])],
        [tflite.Operator("FULLY_CONNECTED", ["x", "w", "_"], ["dense"], "FullyConnectedOptions")],
        ["x"],
        ["dense"],
    ),
    "program.pt2": _PROGRAM.read_bytes(),
}
"""A model of each framework by the name of its file."""

BROKEN = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 64), float32]) {
  %0 = nn.rellu(%x);
  add(%0, %x)
}
"""

BATCH_NORM = """#[version = "0.0.5"]
// The names and the comments outlive the pass.
def @main(%data: Tensor[(1, 3, 8, 8), float32], %gamma: Tensor[(3), float32], %beta: Tensor[(3), float32],
          %mean: Tensor[(3), float32], %variance: Tensor[(3), float32]) {
  %1 = nn.relu(%data); // kept as it stands
  %2 = nn.batch_norm(%1, %gamma, %beta, %mean, %variance);
  %2.0
}
"""


def _make_program() -> None:
    """Write ``net.pt2`` as PyTorch does, without the inputs that it pickles and the folders of this machine."""
    import torch  # type: ignore[import-not-found]

    layers = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU()).eval()
    buffer = io.BytesIO()
    torch.export.save(torch.export.export(layers, (torch.ones(2, 3),)), buffer)
    with zipfile.ZipFile(buffer) as made, zipfile.ZipFile(_PROGRAM, "w") as kept:
        for name in made.namelist():
            if "sample_inputs" not in name:
                kept.writestr(
                    zipfile.ZipInfo(name), re.sub(rb'(?<=File \\")[^"]*?site-packages/', b"", made.read(name))
                )


if __name__ == "__main__":
    _make_program()
