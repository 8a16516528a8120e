"""Scales along an axis move into weights, as long as the result is the same."""

from __future__ import annotations

import pytest

from relay_lsp.passes import PassContext, create
from relay_lsp.passes.verification import verify
from tests.passes.modules import assert_same, read

SCALED_FORWARDS = """
def @main(%x: Tensor[(2, 4, 4), float32], %s: Tensor[(4, 1), float32], %w: Tensor[(4, 4), float32]) {
  %0 = multiply(%x, %s);
  nn.dense(%0, %w, units=4)
}
"""

SCALED_BACKWARDS = """
def @main(%x: Tensor[(2, 4, 4), float32], %s: Tensor[(4, 1), float32], %w: Tensor[(4, 4), float32]) {
  %0 = nn.dense(%x, %w, units=4);
  multiply(%0, %s)
}
"""


@pytest.mark.parametrize(
    ("name", "text"), [("ForwardFoldScaleAxis", SCALED_FORWARDS), ("BackwardFoldScaleAxis", SCALED_BACKWARDS)]
)
def test_a_dense_layer_of_rank_3_keeps_a_scale_along_its_rows(name: str, text: str) -> None:
    before = read(text)
    with PassContext(opt_level=3):
        after = create(name)(before)
    assert_same(after, before)


def test_a_scaled_value_that_a_reference_holds_is_not_unscaled() -> None:
    before = read(
        """
        def @main(%x: Tensor[(2, 4), float32], %s: Tensor[(4), float32], %w: Tensor[(3, 4), float32]) {
          %0 = multiply(%x, %s);
          %1 = ref(%0);
          %2 = ref_read(%1);
          %3 = nn.dense(%0, %w, units=3);
          (%2, %3)
        }
        """
    )
    with PassContext(opt_level=3):
        after = create("ForwardFoldScaleAxis")(before)
    assert verify(before, after).agrees
