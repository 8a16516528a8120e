"""Constants that a file stores without their zeros.

Source of the rule: ``SparsityParameters`` in ``schema.fbs``; ``prepare_dense_matrix_from_sparse`` in
``python/tvm/relay/frontend/tflite.py``.
"""

from __future__ import annotations

import math

import numpy as np

from relay_lsp.ir.expressions import NDArray

from ..folding import MOST_ELEMENTS
from .node import Operand
from .schema import Sparsity

__all__ = ["dense_array"]


def dense_array(tensor: Operand) -> NDArray:
    """The tensor with its zeros.

    Raises:
        ConversionError: it is not sparse, larger than a constant may be, or its indices do not belong to its elements.
    """
    sparsity, shape = tensor.record.sparsity, tensor.record.shape
    if sparsity is None:
        return tensor.value
    if any(size < 1 for size in shape) or math.prod(shape) > MOST_ELEMENTS:
        raise tensor.unreadable(f"unfolded, it would have the shape {list(shape)}")
    stored = tensor.stored(tensor.dtype)
    try:
        places = _places(sparsity, len(shape), stored.size)
        dense = np.zeros(shape, stored.dtype)
        if stored.size:
            dense[tuple(places)] = stored[: places.shape[1]]
    except (ValueError, IndexError) as error:
        raise tensor.unreadable(f"the indices of its elements are wrong: {error}") from None
    return dense


def _places(sparsity: Sparsity, rank: int, count: int) -> NDArray:
    """The place of each stored element, one dimension a row.

    Raises:
        ValueError: the dimensions contradict each other, or more or fewer elements are stored.
    """
    order, blocks = sparsity.traversal_order, sparsity.block_map
    if sorted(order) != list(range(rank + len(blocks))) or len(order) != len(sparsity.dimensions):
        raise ValueError(f"the order of the dimensions is {list(order)}")
    if any(not 0 <= axis < rank for axis in blocks):
        raise ValueError(f"the blocks lie in the dimensions {list(blocks)}")
    # One column for each element of the levels so far; ``positions`` says where its children stand.
    indices: NDArray = np.zeros((0, 1), np.int64)
    positions: NDArray = np.zeros(1, np.int64)
    for dimension in sparsity.dimensions:
        if dimension.segments is None or dimension.indices is None:
            size = dimension.size
            if size < 1 or positions.size * size > max(count, 1):
                raise ValueError(f"a dimension of {size} elements is more than the {count} that are stored")
            repeated = np.repeat(indices, size, axis=1)
            level = np.tile(np.arange(size), positions.size)
            positions = np.repeat(positions, size) * size + level
        else:
            starts, ends = dimension.segments[positions], dimension.segments[positions + 1]
            lengths = ends - starts
            if (lengths < 0).any() or lengths.sum() > count or (starts < 0).any():
                raise ValueError("the segments of a dimension overlap")
            repeated = np.repeat(indices, lengths, axis=1)
            children: list[NDArray] = [np.arange(start, end) for start, end in zip(starts, ends, strict=True)]
            positions = np.concatenate([np.zeros(0, np.int64), *children])
            level = dimension.indices[positions]
        indices = np.concatenate([repeated, level[None, :]])
    if indices.shape[1] != count:
        raise ValueError(f"there are places for {indices.shape[1]} elements, and {count} are stored")
    return _original(indices, sparsity, rank)


def _original(indices: NDArray, sparsity: Sparsity, rank: int) -> NDArray:
    """The places in the tensor's own dimensions: those of a block count within it."""
    made: NDArray = np.zeros((rank, indices.shape[1]), np.int64)
    for level, axis in enumerate(sparsity.traversal_order):
        if axis < rank:
            made[axis] = indices[level]
    for level, axis in enumerate(sparsity.traversal_order):
        if axis >= rank:
            original = sparsity.block_map[axis - rank]
            made[original] = made[original] * sparsity.dimensions[level].size + indices[level]
    if (made < 0).any():
        raise ValueError("an index is negative")
    return made
