"""Operators as functions with TVM's parameters, generated from the operators' declarations."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np
import pytest

from relay_lsp.compat.operator_functions import operator_function
from relay_lsp.compat.tvm import relay
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.ops import registered


def text(expr: Expr) -> str:
    """The last line of the text of an expression."""
    return str(expr).splitlines()[-1]


X, Y = relay.var("x", shape=(1, 4, 8, 8)), relay.var("y")

CALLS: list[tuple[Callable[[], Expr], str]] = [
    (lambda: relay.nn.conv2d(X, Y, 2, 1), "nn.conv2d(%x, %y, strides=[2, 2], padding=[1, 1, 1, 1])"),
    (lambda: relay.nn.conv2d(X, Y), "nn.conv2d(%x, %y, padding=[0, 0, 0, 0])"),
    (lambda: relay.nn.max_pool2d(X, 3, padding=(1, 0)), "pool_size=[3, 3], padding=[1, 0, 1, 0])"),
    (lambda: relay.nn.dense(X, Y), "nn.dense(%x, %y, units=None)"),
    (lambda: relay.nn.dense(X, Y, 10), "nn.dense(%x, %y, units=10)"),
    (lambda: relay.op.nn.relu(X), "nn.relu(%x)"),
    (lambda: relay.take(X, Y, 1), "take(%x, %y, axis=1)"),
    (lambda: relay.sum(X, 1, True), "sum(%x, axis=[1], keepdims=True)"),
    (lambda: relay.clip(X, 0, 6), "clip(%x, a_min=0f, a_max=6f)"),
    (lambda: relay.clip(a=X, a_min=0.0, a_max=6.0), "clip(%x, a_min=0f, a_max=6f)"),
    (lambda: relay.transpose(X, (0, 2, 3, 1)), "transpose(%x, axes=[0, 2, 3, 1])"),
    (lambda: relay.reshape(X, -1), "reshape(%x, newshape=[-1])"),
    (lambda: relay.concatenate([X, Y], 1), "concatenate(%0, axis=1)"),
    (lambda: relay.nn.leaky_relu(X), "nn.leaky_relu(%x, alpha=0.01f)"),
    (lambda: relay.nn.batch_matmul(X, Y), "nn.batch_matmul(%x, %y, transpose_b=True)"),
    (lambda: relay.cast(X, "int8"), 'cast(%x, dtype="int8")'),
    (lambda: relay.squeeze(X, 0), "squeeze(%x, axis=[0])"),
    (lambda: relay.nn.pad(X, ((0, 0), (1, 1))), "nn.pad(%x, 0 /*"),
    (lambda: relay.image.resize2d(X, (16, 16)), "image.resize2d(%x, size=[16, 16]"),
    (lambda: relay.qnn.op.quantize(X, relay.const(0.5), relay.const(0)), 'qnn.quantize(%x, 0.5f, 0, out_dtype="int8")'),
    (lambda: relay.nn.dropout(X), "%0.0"),
    (lambda: relay.split(X, 2, 1)[1], "%0.1"),
    (lambda: relay.argsort(X), 'argsort(%x, dtype="int32")'),
    (lambda: relay.image.resize2d(X, (16, 16), None, "NHWC", "linear"), 'layout="NHWC"'),
    (lambda: relay.nn.space_to_batch_nd(X, [2, 2], [[0, 0], [0, 0]]), "block_shape=[2, 2], paddings=[[0, 0], [0, 0]]"),
    (lambda: relay.nn.batch_to_space_nd(X, [2, 2], [[0, 0], [0, 0]]), "block_shape=[2, 2], crops=[[0, 0], [0, 0]]"),
    (lambda: relay.nn.sparse_dense(X, (Y, Y, Y), True), "nn.sparse_dense(%x, %y, %y, %y, sparse_lhs=True)"),
    (lambda: relay.reverse_reshape(X, (-1, 0)), "contrib_reverse_reshape(%x, newshape=[-1, 0])"),
    (lambda: relay.stft(X, 4), "n_fft=4, hop_length=1, win_length=4"),
    (lambda: relay.random.uniform(Y, (2,), "float64", 0, 3), "random.uniform(%y, 0f64, 3f64"),
    (lambda: relay.collapse_sum_to(X, (8,)), "shape=[8]"),
    (lambda: relay.qnn.op.batch_matmul(X, X, Y, Y, Y, Y), 'out_dtype="int32", transpose_b=True)'),
]


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=[expected.partition("(")[0] for _, expected in CALLS])
def test_calls_are_those_that_tvms_functions_build(call: Callable[[], Expr], expected: str) -> None:
    assert expected.removesuffix(" /*") in text(call())


@pytest.mark.parametrize("name", sorted(registered()))
def test_every_operator_has_a_function(name: str) -> None:
    function = operator_function(registered()[name])
    assert inspect.signature(function) is not None
    assert function.__doc__


def test_several_results_have_names() -> None:
    value, mean, variance = relay.nn.batch_norm(X, Y, Y, Y, Y)
    assert [text(each) for each in (value, mean, variance)] == ["%0.0", "%0.1", "%0.2"]
    assert [text(part) for part in relay.split(X, 2)] == ["%0.0", "%0.1"]


def test_an_operator_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"relay.nn has no operator conv2e; did you mean conv2d"):
        relay.nn.conv2e  # noqa: B018


def test_constants_have_the_dtypes_of_tvm() -> None:
    assert [relay.const(value).dtype for value in (1, 1.0, True, np.zeros(2), np.zeros(2, "int8"))] == [
        "int32",
        "float32",
        "bool",
        "float32",
        "int8",
    ]
    assert relay.const(2, "float16").dtype == "float16"
