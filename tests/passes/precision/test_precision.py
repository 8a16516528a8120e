"""Operators in another dtype."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.ir.ops import get
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassError, create
from tests.passes.modules import assert_same, computed, read, typed

LAYERS = """
def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(4, 4), float32]) {
  %0 = nn.dense(%x, %w, units=4);
  %1 = nn.relu(%0);
  %2 = nn.dense(%1, %w, units=4);
  nn.dense(%2, %w, units=4)
}
"""


def dtypes(module):
    """The dtype that each product gives."""
    calls = [expr for expr in post_order(module["main"]) if isinstance(expr, ir.Call)]
    types = [call.checked_type for call in calls if call.op is get("nn.dense")]
    return [type.dtype for type in types if isinstance(type, ir.TensorType)]


@pytest.mark.parametrize(
    ("skipped", "wanted"),
    [
        ((), ["float16"] * 3),
        ((0,), ["float32", "float16", "float16"]),
        ((-1,), ["float16", "float16", "float32"]),
        ((0, 1, 2), ["float32"] * 3),
    ],
)
def test_layers_are_counted_from_the_inputs(skipped, wanted):
    options = {"dtype": "float16", "out_dtype": "float16", "ops": ["nn.dense"], "skip_layers": skipped}
    before = typed(read(LAYERS))
    after = typed(create("recast", **options)(before))
    assert dtypes(after) == wanted
    inputs = [np.linspace(0, 1, 8, dtype="float32").reshape(2, 4), np.eye(4, dtype="float32")]
    np.testing.assert_allclose(computed(after, *inputs), computed(before, *inputs), rtol=1e-2)


def test_the_fields_of_a_concatenation_are_cast():
    before = read("def @main(%x: Tensor[(4), float32]) { concatenate((%x, %x)) }")
    after = create("recast", dtype="int8", out_dtype="int8", ops=["concatenate"])(before)
    wanted = """
    def @main(%x: Tensor[(4), float32]) {
      %0 = (cast(%x, dtype="int8"), cast(%x, dtype="int8"));
      cast(concatenate(%0), dtype="float32")
    }
    """
    assert_same(after, read(wanted))


def test_an_unknown_operator_is_refused():
    with pytest.raises(PassError, match=r"no operator nn\.dance"):
        create("recast", dtype="int8", out_dtype="int8", ops=["nn.dance"])(read(LAYERS))


@pytest.mark.parametrize("dtype", ["float13", "int8", "bfloat8"])
def test_no_precision_but_that_of_numbers_that_there_are(dtype: str):
    module = read("def @main(%x: Tensor[(1, 4), float32], %w: Tensor[(2, 4), float32]) { nn.dense(%x, %w, units=2) }")
    with pytest.raises(PassError, match=f"mixed_precision_type must be float16, bfloat16, .* not {dtype}"):
        create("ToMixedPrecision", mixed_precision_type=dtype)(module)


def test_a_call_that_does_not_type_in_the_narrow_dtype_is_refused_with_the_reason():
    module = read(
        """
        def @main(%x: Tensor[(1, 4), int8], %w: Tensor[(2, 4), int8], %b: Tensor[(2), int8]) {
          %0 = nn.dense(%x, %w, units=2);
          %1 = nn.bias_add(%0, %b);
          nn.relu(%1)
        }
        """
    )
    with pytest.raises(PassError, match=r"of float16, nn\.bias_add: bias is of dtype int8, but data is of float16"):
        create("ToMixedPrecision")(module)
