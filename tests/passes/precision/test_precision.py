"""Operators in another dtype."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.ir.inference import infer_statement
from relay_lsp.ir.ops import get
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassError, create
from relay_lsp.passes.precision import to_mixed_precision
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


def _alternating(count: int) -> str:
    """Each product is normalised, which one computes in the wide dtype."""
    lines = "".join(
        f"  %{i} = nn.dense({f'%{i - 1}' if i else '%x'}, %w, units=4);\n  %{i + 1} = nn.softmax(%{i});\n"
        for i in range(0, count, 2)
    )
    return f"def @main(%x: Tensor[(4, 4), float32], %w: Tensor[(4, 4), float32]) {{\n{lines}  %{count - 1}\n}}"


def _called_in_a_row(count: int) -> str:
    """A product of the result of each function is the argument of the next."""
    lines = "".join(
        f"  %{i} = fn (%p: Tensor[(4, 4), float32]) {{ nn.relu(%p) }};\n"
        f"  %{i + 1} = %{i}({f'%{i - 1}' if i else '%x'});\n"
        f"  %{i + 2} = nn.dense(%{i + 1}, %w, units=4);\n"
        for i in range(0, count, 3)
    )
    return f"def @main(%x: Tensor[(4, 4), float32], %w: Tensor[(4, 4), float32]) {{\n{lines}  %{count - 1}\n}}"


@pytest.mark.parametrize("write", [_alternating, _called_in_a_row])
def test_types_are_looked_for_once_however_long_the_chain_of_casts_is(write, monkeypatch):
    looked_at: list[int] = []

    def counted(*arguments, **options):
        made = infer_statement(*arguments, **options)
        looked_at.append(len(made.types))
        return made

    monkeypatch.setattr(to_mixed_precision, "infer_statement", counted)
    counts = []
    for statements in (30, 60):
        create("ToMixedPrecision")(typed(read(write(statements))))
        counts.append(sum(looked_at))
        looked_at.clear()
    assert counts[1] < 2.2 * counts[0]
