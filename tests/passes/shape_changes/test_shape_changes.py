"""Parameters of other shapes."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.passes import PassError, create
from tests.passes.modules import assert_same, computed, read, typed

DENSE = "def @main(%x: Tensor[(1, 3), float32], %w: Tensor[(5, 3), float32]) { nn.dense(%x, %w, units=5) }"


def test_the_batch_is_the_first_dimension_of_the_first_parameter():
    wanted = read(DENSE.replace("(1, 3)", "(8, 3)"))
    assert_same(create("ChangeBatch", batch_size=8)(read(DENSE)), wanted)
    assert_same(create("ChangeBatch", data={"%x": -2}, batch_size=8)(read(DENSE)), wanted)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (DENSE, {"data": {"y": 0}}, "no parameter %y; it has %x, %w"),
        (DENSE, {"data": {"x": 2}}, "has 2 dimensions, and none of number 2"),
        (DENSE, {"data": {"x": 1}}, "ill-typed"),
        (DENSE, {"batch_size": 0}, "at least 1"),
        ("def @main(%x: (int32,)) { %x }", {}, "is no tensor"),
        ("def @main() { 1 }", {}, "no parameters"),
    ],
)
def test_what_has_no_batch_is_refused(text, options, message):
    with pytest.raises(PassError, match=message):
        create("ChangeBatch", **options)(read(text))


FLEXIBLE = """
def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(5, 3), float32]) -> Tensor[(2, 5), float32] {
  nn.dense(%x, %w, units=5)
}
"""


@pytest.mark.parametrize("auto_pad", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_every_size_computes_what_its_own_module_does(size, auto_pad):
    flexible = create("FlexibleShapeDispatch", buckets=[2, 4], auto_pad=auto_pad)(read(FLEXIBLE))
    fixed = typed(read(FLEXIBLE.replace("(2,", f"({size},")))
    random = np.random.default_rng(0)
    inputs = [random.uniform(size=shape).astype("float32") for shape in ((size, 3), (5, 3))]
    np.testing.assert_allclose(computed(flexible, *inputs), computed(fixed, *inputs), rtol=1e-6)
    assert [var.name_hint for var in flexible] == ["main", "main_2", "main_4", "main_dynamic"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buckets": [2], "input_indices": [2]}, "has 2 parameters"),
        ({"buckets": [2], "axis": 2}, "no axis 2"),
        ({"buckets": [2], "axis": 1}, "ill-typed"),
        ({"buckets": [2, 2]}, "already"),
        ({}, "buckets must be given"),
    ],
)
def test_what_cannot_be_flexible_is_refused(options, message):
    with pytest.raises(PassError, match=message):
        create("FlexibleShapeDispatch", **options)(read(FLEXIBLE))


@pytest.mark.parametrize(
    ("type", "message"),
    [
        ("Tensor[(?, 3, ?), float32]", "%x has no known size along axis 2"),
        ("(Tensor[(2), float32], Tensor[(2), float32])", "%x is no tensor"),
        ("float32", "no axis 0"),
    ],
)
def test_an_input_without_a_size_for_each_bucket_is_refused(type, message):
    with pytest.raises(PassError, match=message):
        create("FlexibleShapeDispatch", buckets=[2])(read(f"def @main(%x: {type}) {{ %x }}"))
