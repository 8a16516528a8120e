"""What a pass leaves is looked at, and typed no oftener than needed."""

from __future__ import annotations

import pytest

from relay_lsp.ir.module import IRModule
from relay_lsp.passes import PassError, create
from relay_lsp.passes.instruments import require_sound
from tests.passes.modules import read

TEXT = """
def @main(%x: Tensor[(4), float32]) {
  nn.relu(exp(%x))
}
"""


def test_what_types_were_just_worked_out_for_is_not_typed_again(monkeypatch: pytest.MonkeyPatch):
    fused = create("FuseOps")(read(TEXT))

    def infer_again(module: IRModule) -> None:
        raise AssertionError(f"{module!r} is typed again")

    monkeypatch.setattr("relay_lsp.passes.instruments.verifying.infer_types", infer_again)
    require_sound(fused, "FuseOps")


def test_a_module_without_types_is_typed_and_refused_where_it_cannot_be():
    ill_typed = read("def @main(%x: Tensor[(4), float32], %y: Tensor[(3), float32]) {\n  add(%x, %y)\n}\n")
    with pytest.raises(PassError, match="left a broken module"):
        require_sound(ill_typed, "Mine")
