"""Tensors as TVM stores them: a header, device, rank, dtype, shape and raw bytes, in base64.

Source of the rule: ``SaveDLTensor`` and ``NDArray::Load`` in ``include/tvm/runtime/ndarray.h``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final

from ..arrays import numpy_dtype
from ..expressions import NDArray
from ..lazy_numpy import np
from ..types import DataType
from .encoding import MetadataError, base64_pieces, decode_base64

__all__ = ["decode_tensor", "tensor_pieces"]

_MAGIC: Final = 0xDD5E40F096B4A13F
_HEADER: Final = struct.Struct("<QQiiiBBH")
"""Magic number, reserved, device type and number, rank, dtype code, bits, lanes; little endian, without padding."""
_CPU: Final = 1
_CODES: Final = {"int": 0, "uint": 1, "bool": 1, "float": 2, "handle": 3, "bfloat": 4}
_NAMES: Final = {0: "int", 1: "uint", 2: "float", 3: "handle", 4: "bfloat"}


def _holder(dtype: DataType) -> np.dtype[Any]:
    try:
        return numpy_dtype(dtype)
    except TypeError:
        raise MetadataError(f"a tensor of dtype {dtype} cannot be held") from None


def decode_tensor(blob: str) -> tuple[NDArray, DataType]:
    """The array in ``blob``, and its dtype as TVM names it.

    Raises:
        MetadataError: the blob is not a tensor.
    """
    raw = decode_base64(blob)
    if len(raw) < _HEADER.size:
        raise MetadataError("a tensor is cut off in its header")
    magic, _, _, _, ndim, code, bits, lanes = _HEADER.unpack_from(raw)
    if magic != _MAGIC:
        raise MetadataError("a tensor does not start with TVM's magic number")
    offset = _HEADER.size + 8 * ndim
    if ndim < 0 or len(raw) < offset + 8:
        raise MetadataError("a tensor is cut off in its shape")
    shape = struct.unpack_from(f"<{ndim}q", raw, _HEADER.size)
    (size,) = struct.unpack_from("<q", raw, offset)
    data = raw[offset + 8 : offset + 8 + size]
    if code == 1 and bits == 1:
        dtype = DataType("bool")
    elif code in _NAMES:
        dtype = DataType(f"{_NAMES[code]}{bits}" + (f"x{lanes}" if lanes > 1 else ""))
    else:
        raise MetadataError(f"a tensor has the dtype code {code}, which stands for no dtype")
    holder = np.dtype(_holder(dtype))
    if len(data) % holder.itemsize:
        raise MetadataError("a tensor is cut off in its data")
    array = np.frombuffer(data, holder)
    expected = 1
    for extent in shape:
        expected *= extent
    if array.size != expected:
        raise MetadataError(f"a tensor of shape {list(shape)} has {array.size} elements instead of {expected}")
    try:
        return array.reshape(shape), dtype
    except ValueError:  # extents below zero; none beside one that is too large; more of them than numpy knows
        raise MetadataError(f"a tensor of shape {list(shape)} cannot be held") from None


def tensor_pieces(array: NDArray, dtype: DataType) -> Iterator[str]:
    """The text of ``array`` as TVM would store it under ``dtype``, piece by piece.

    Raises:
        MetadataError: TVM stores no such dtype; raised at once, before the first piece is asked for.
    """
    holder = _holder(dtype)
    code = _CODES.get(dtype.code)
    if code is None:
        raise MetadataError(f"a tensor of dtype {dtype} cannot be written")
    header = _HEADER.pack(_MAGIC, 0, _CPU, 0, array.ndim, code, dtype.bits, dtype.lanes)
    shape = struct.pack(f"<{array.ndim}q", *array.shape)
    return _pieces(header + shape, array, holder)


def _pieces(head: bytes, array: NDArray, holder: np.dtype[Any]) -> Iterator[str]:
    data = np.ascontiguousarray(array, holder).reshape(-1).view(np.uint8)
    yield from base64_pieces(head + struct.pack("<q", data.size), data)
