"""Pipelines that ask for a pass after the form that it needs is gone: refused with the pass that brings it back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from relay_lsp.passes import PassError, Sequential, create
from tests.passes.modules import read

SHARED = """
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  %0 = nn.relu(%x);
  add(%0, %0)
}
"""


@pytest.mark.parametrize(
    ("passes", "remedy"),
    [
        (["ToGraphNormalForm", "to_cps"], "run ToANormalForm first"),
        (["ToANormalForm", "FuseOps", "ToCPS"], "run DefuseOps first"),
        (["ToANormalForm", "FirstOrderGradient"], "run ToGraphNormalForm first"),
        (["ToANormalForm", "FuseOps", "ManifestAlloc"], "run PlanDevices first"),
        (["PlanDevices", "CollagePartition"], "run CollagePartition before PlanDevices"),
    ],
)
def test_the_message_names_what_brings_the_form_back(passes: Sequence[str], remedy: str) -> None:
    with pytest.raises(PassError, match=remedy):
        Sequential([create(name) for name in passes])(read(SHARED))
