"""The models that the tests of the command line run over."""

from __future__ import annotations

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = add(%x, %x);
  %1 = add(%x, %x);
  multiply(%0, %1)
}
"""
BROKEN = MODEL.replace("multiply(%0", "multiplie(%0")
