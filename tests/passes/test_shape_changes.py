"""Parameters of other shapes."""

from __future__ import annotations

import pytest

from relay_lsp.passes import PassError, create

from .modules import assert_same, read

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
