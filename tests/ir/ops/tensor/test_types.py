"""The types of calls, operator by operator: a call, the types of its arguments, the type of its result."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relay_lsp.ir.types import Type

TypeOf = Callable[..., Type | None]

F = "float32"


def tensor(*dims: int | str, dtype: str = F) -> str:
    return f"Tensor[({', '.join(map(str, dims))}), {dtype}]"


BROADCASTING = [
    (tensor(3, 1), tensor(1, 4), tensor(3, 4)),
    (tensor(4), tensor(2, 3, 4), tensor(2, 3, 4)),
    (F, tensor(2, 3), tensor(2, 3)),
    (tensor("?", 4), tensor(1, 4), tensor("?", 4)),
    (tensor("?", 4), tensor(8, 4), tensor(8, 4)),
    (tensor("?", 4), tensor("?", 1), tensor("?", 4)),
]


@pytest.mark.parametrize(("lhs", "rhs", "result"), BROADCASTING)
def test_operands_broadcast(type_of: TypeOf, lhs: str, rhs: str, result: str) -> None:
    assert repr(type_of("add(%x, %y)", x=lhs, y=rhs)) == result
    assert repr(type_of("add(%x, %y)", x=rhs, y=lhs)) == result
    assert repr(type_of("less(%x, %y)", x=lhs, y=rhs)) == result.replace(F, "bool")


RESHAPES = [
    ("[4, 0, 2]", tensor(2, 3, 4), tensor(4, 3, 2)),
    ("[6, 1, -1]", tensor(2, 3, 4), tensor(6, 1, 4)),
    ("[-2, 1, 1]", tensor(2, 3, 4), tensor(2, 3, 4, 1, 1)),
    ("[-3, 4]", tensor(2, 3, 4), tensor(6, 4)),
    ("[0, -3]", tensor(2, 3, 4), tensor(2, 12)),
    ("[-4, 1, 2, -2]", tensor(2, 3, 4), tensor(1, 2, 3, 4)),
    ("[2, -4, -1, 3, -2]", tensor(2, 3, 4), tensor(2, 1, 3, 4)),
    ("[-1, 12]", tensor("?", 3, 4), tensor("?", 12)),
    ("[0, -1]", tensor("?", 3, 4), tensor("?", 12)),
    ("[0, -3]", tensor(2, "?", 4), tensor(2, "?")),
    ("[-4, -1, 2, 0]", tensor("?", 4), tensor("?", 2, 4)),
    ("[5, 7]", tensor("?", 4), tensor(5, 7)),
]


@pytest.mark.parametrize(("newshape", "data", "result"), RESHAPES)
def test_reshape(type_of: TypeOf, newshape: str, data: str, result: str) -> None:
    assert repr(type_of(f"reshape(%x, newshape={newshape})", x=data)) == result


def test_reverse_reshape_reads_from_the_right(type_of: TypeOf) -> None:
    result_type = type_of("contrib_reverse_reshape(%x, newshape=[-1, 0])", x=tensor(10, 5, 4))
    assert repr(result_type) == tensor(50, 4)


ONE_TENSOR = [
    ("cast(%x, dtype='int8')", tensor(2, 3), tensor(2, 3, dtype="int8")),
    ("isnan(%x)", tensor(2, "?"), tensor(2, "?", dtype="bool")),
    ("expand_dims(%x, axis=-1, num_newaxis=2)", tensor(2, 3), tensor(2, 3, 1, 1)),
    ("squeeze(%x)", tensor(1, 3, 1), tensor(3)),
    ("squeeze(%x, axis=[-1])", tensor(1, "?", 1), tensor(1, "?")),
    ("transpose(%x, axes=None)", tensor(1, 2, 3), tensor(3, 2, 1)),
    ("transpose(%x, axes=[-1, 0, 1])", tensor(1, 2, 3), tensor(3, 1, 2)),
    ("sum(%x)", tensor(2, 3), F),
    ("sum(%x, axis=[-1])", tensor(2, "?"), tensor(2)),
    ("sum(%x, axis=[1], keepdims=True)", tensor(2, "?"), tensor(2, 1)),
    ("sum(%x, axis=[1], exclude=True)", tensor(2, 3, 4), tensor(3)),
    ("argmax(%x, axis=[0])", tensor(2, 3), tensor(3, dtype="int32")),
    ("repeat(%x, repeats=2, axis=-1)", tensor(2, 3), tensor(2, 6)),
    ("tile(%x, reps=[2, 3])", tensor(4), tensor(2, 12)),
    ("tile(%x, reps=[1])", tensor("?"), tensor("?")),
    ("broadcast_to(%x, shape=[2, 3])", tensor(1, 3), tensor(2, 3)),
    ("argwhere(%x)", tensor(2, 3), tensor("?", 2, dtype="int32")),
    ("shape_of(%x, dtype='int64')", tensor(2, 3), tensor(2, dtype="int64")),
    ("ndarray_size(%x, dtype='int32')", tensor(2, "?"), "int32"),
    ("strided_slice(%x, begin=[1], end=[9], strides=[2], axes=None)", tensor(6, 3), tensor(3, 3)),
    ("strided_slice(%x, begin=[-1], end=[-9], strides=[-1], axes=None)", tensor(6), tensor(6)),
    ("strided_slice(%x, begin=[0], end=[2], strides=[1], axes=None)", tensor("?", 3), tensor("?", 3)),
    (
        "strided_slice(%x, begin=[1], end=[-1], strides=[1], slice_mode='size', axes=[1])",
        tensor(2, 5),
        tensor(2, 4),
    ),
    ("sliding_window(%x, axis=1, window_shape=[3], strides=[2])", tensor(2, 7), tensor(2, 3, 3)),
    ("layout_transform(%x, src_layout='NHWC', dst_layout='NCHW4c')", tensor(1, 5, 6, 8), tensor(1, 2, 5, 6, 4)),
    ("argsort(%x, dtype='int32')", tensor(2, "?"), tensor(2, "?", dtype="int32")),
    ("topk(%x, k=2, ret_type='values')", tensor(3, 5), tensor(3, 2)),
    ("topk(%x, k=0, dtype='int64')", tensor(3), f"({tensor(3)}, {tensor(3, dtype='int64')})"),
    ("split(%x, indices_or_sections=2, axis=1)", tensor(3, 4), f"({tensor(3, 2)}, {tensor(3, 2)})"),
    ("split(%x, indices_or_sections=[1, 3])", tensor("?"), f"({tensor(1)}, {tensor(2)}, {tensor('?')})"),
]


@pytest.mark.parametrize(("call", "data", "result"), ONE_TENSOR)
def test_one_tensor(type_of: TypeOf, call: str, data: str, result: str) -> None:
    assert repr(type_of(call.replace("'", '"'), x=data)) == result


INDICES = [
    ("take(%x, %i)", tensor(2, 3), tensor(5, dtype="int32"), tensor(5)),
    ("take(%x, %i, axis=1)", tensor(2, 3, 4), tensor(5, 6, dtype="int32"), tensor(2, 5, 6, 4)),
    ("take(%x, %i, batch_dims=1, axis=1)", tensor(2, 3, 4), tensor(2, 6, dtype="int32"), tensor(2, 6, 4)),
    ("gather(%x, %i, axis=1)", tensor(2, 3), tensor(2, 7, dtype="int64"), tensor(2, 7)),
    ("gather_nd(%x, %i)", tensor(2, 3, 4), tensor(2, 5, dtype="int32"), tensor(5, 4)),
    ("gather_nd(%x, %i, batch_dims=1)", tensor(2, 3, 4), tensor(1, 2, 5, dtype="int32"), tensor(2, 5, 4)),
    ("adv_index((%x, %i, %i))", tensor(2, 3, 4), tensor(5, dtype="int32"), tensor(5, 4)),
    ("reverse_sequence(%x, %i)", tensor(2, 3), tensor(2, dtype="int32"), tensor(2, 3)),
    ("searchsorted(%x, %i)", tensor(9, dtype="int32"), tensor(2, 3, dtype="int32"), tensor(2, 3, dtype="int32")),
    ("one_hot(%i, 1f, 0f, depth=4, axis=0, dtype='float32')", F, tensor(5, dtype="int32"), tensor(4, 5)),
    ("unravel_index(%i, %i)", F, tensor(2, dtype="int32"), tensor(2, 2, dtype="int32")),
    ("slice_like(%x, %i, axes=None)", tensor(4, 5), tensor(3, dtype="int32"), tensor(3, 5)),
    ("reshape_like(%x, %i, lhs_begin=1, rhs_end=2)", tensor(2, 12), tensor(3, 4, 9, dtype="int8"), tensor(2, 3, 4)),
    ("dyn.reshape(%x, %i, newshape=None)", tensor(2, 12), tensor(3, dtype="int64"), tensor("?", "?", "?")),
    ("dyn.topk(%x, %i, k=None, ret_type='values')", tensor(2, 12), "int32", tensor(2, "?")),
    ("dyn.squeeze(%x, %i)", tensor(2, 1, 1), tensor(2, dtype="int64"), tensor("?")),
]


@pytest.mark.parametrize(("call", "data", "indices", "result"), INDICES)
def test_indices(type_of: TypeOf, call: str, data: str, indices: str, result: str) -> None:
    assert repr(type_of(call.replace("'", '"'), x=data, i=indices)) == result


TUPLES = [
    ("concatenate(%x, axis=1)", f"({tensor(2, 3)}, {tensor(2, 4)})", tensor(2, 7)),
    ("concatenate(%x)", f"({tensor(1, '?')}, {tensor(1, 3)})", tensor(2, "?")),
    ("concatenate(%x)", f"({tensor('?', '?')}, {tensor(1, 3)})", tensor("?", 3)),
    ("stack(%x, axis=-1)", f"({tensor(2, 3)}, {tensor(2, 3)})", tensor(2, 3, 2)),
    ("meshgrid(%x, indexing='xy')", f"({tensor(2)}, {tensor(3)})", f"({tensor(3, 2)}, {tensor(3, 2)})"),
    ("einsum(%x, equation='ij,jk->ik')", f"({tensor(2, 3)}, {tensor(3, 4)})", tensor(2, 4)),
    ("einsum(%x, equation='...ij,jk')", f"({tensor(5, 2, 3)}, {tensor(3, 4)})", tensor(5, 2, 4)),
]


@pytest.mark.parametrize(("call", "data", "result"), TUPLES)
def test_tuples(type_of: TypeOf, call: str, data: str, result: str) -> None:
    assert repr(type_of(call.replace("'", '"'), x=data)) == result


def test_splitting_a_key_gives_two(type_of: TypeOf) -> None:
    result_type = type_of("random.threefry_split(%key)", key=tensor(10, dtype="uint64"))
    assert repr(result_type) == f"({tensor(10, dtype='uint64')}, {tensor(10, dtype='uint64')})"


def test_where_broadcasts_all_three(type_of: TypeOf) -> None:
    result_type = type_of("where(%c, %x, %y)", c=tensor(2, 1, dtype="bool"), x=tensor(3), y=F)
    assert repr(result_type) == tensor(2, 3)
