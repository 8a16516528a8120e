"""The files that are opened in every editor."""

import numpy as np

from tests.frontends.onnx.models import model, node

__all__ = ["BATCH_NORM", "BROKEN", "NETWORK"]

NETWORK = model(
    [node("MatMul", "x w", "a", name="dense"), node("LeakyRelu", "a", alpha=0.5, name="activation")],
    {"x": ("float32", (2, 3))},
    constants={"w": np.ones((3, 8), np.float32)},
).SerializeToString()
"""A model of ONNX."""

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
