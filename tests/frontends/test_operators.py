"""Operators with a static and a dynamic form: what is known decides."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.frontends.folding import Folder
from relay_lsp.frontends.operators import Outputs, broadcast_to, pad, reshape, resize, split, strided_slice, topk
from relay_lsp.ir.builder import call, constant, function, var
from relay_lsp.ir.expressions import Call, Expr, Tuple
from relay_lsp.ir.printing import to_text


def body(expr: Expr) -> str:
    return to_text(function(expr)).split("{\n", 1)[1].rsplit("\n}", 1)[0].strip()


X = var("x", (2, 6))
SHAPE = var("shape", (2,), "int64")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (reshape(X, [3, 4]), "reshape(%x, newshape=[3, 4])"),
        (reshape(X, constant([3, 4], "int64")), "reshape(%x, newshape=[3, 4])"),
        (reshape(X, SHAPE), "dyn.reshape(%x, %shape, newshape=[])"),
        (broadcast_to(X, constant([2, 6], "int64")), "broadcast_to(%x, shape=[2i64, 6i64])"),
        (broadcast_to(X, SHAPE), "dyn.broadcast_to(%x, %shape, shape=None)"),
        (pad(X, [(0, 1), (0, 0)]), "nn.pad(%x, 0, pad_width=[[0, 1], [0, 0]])"),
        (strided_slice(X, [0], [1], axes=[1]), "strided_slice(%x, begin=[0], end=[1], strides=[1], axes=[1])"),
    ],
)
def test_the_form_follows_from_what_is_known(expr: Expr, text: str) -> None:
    assert body(expr) == text


def test_a_computed_slice_starts_inside_its_dimension() -> None:
    text = body(strided_slice(X, SHAPE, SHAPE))
    assert "slice_like" in text
    assert "dyn.strided_slice(%x, " in text


def test_only_images_of_two_dimensions_have_a_computed_size() -> None:
    with pytest.raises(ValueError, match="of a computed size"):
        resize(3, var("v", (1, 1, 2, 2, 2)), var("size", (3,), "int64"), layout="NCDHW")


def test_several_results() -> None:
    parts = split(X, 3, axis=1)
    assert len(parts) == 3
    assert body(parts[-1]).endswith("%0.2")
    with pytest.raises(IndexError, match="3 results"):
        parts[3]
    both = topk(X, 2)
    assert isinstance(both, Outputs)
    assert len(both) == 2


def test_constants_fold_once_they_are_known() -> None:
    folder = Folder()
    three = folder.fold(call("add", constant(1), constant(2)))
    assert body(three) == "3"
    unchanged = call("add", X, constant(np.float32(2)))
    assert folder.fold(unchanged) is unchanged
    nested = Tuple((call("multiply", X, call("add", constant(1.0), constant(1.0))), X))
    folded = folder.fold(nested)
    assert isinstance(folded, Tuple)
    assert isinstance(folded.fields[0], Call)
    assert body(folded.fields[0]) == "multiply(%x, 2f)"


def test_the_shape_of_what_is_no_constant_stays_a_question() -> None:
    asked = call("shape_of", X, dtype="int64")
    assert Folder().fold(asked) is asked
    assert body(Folder().fold(call("shape_of", constant([[1, 2]]), dtype="int64"))).startswith(
        "meta[relay.Constant][0]"
    )
