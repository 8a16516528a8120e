"""Tensors of an ONNX file as numpy arrays: what is declared is compared with what is there before anything is made.

Source of the rule: ``onnx.proto`` (``TensorProto``), and ONNX's *External Data* page for data beside the model.
"""

from __future__ import annotations

import math
from pathlib import Path

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from relay_lsp.ir.expressions import NDArray

from ..diagnostics import ConversionError

__all__ = ["TensorReader", "dtype_name"]


def dtype_name(elem_type: int) -> str:
    """Relay's name of one of ONNX's element types: 1 is ``float32``.

    Raises:
        ConversionError: ONNX or Relay has no such type.
    """
    if elem_type == TensorProto.BFLOAT16:
        return "bfloat16"
    try:
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(elem_type))
    except (KeyError, ValueError):
        raise ConversionError(f"{elem_type} is no element type of ONNX", code="invalid-model-tensor") from None
    if dtype.kind not in "biuf" or dtype.name.startswith("float8"):
        name = TensorProto.DataType.Name(elem_type)  # type: ignore[arg-type]
        raise ConversionError(f"Relay has no tensors of ONNX's type {name}", code="unsupported-model-node")
    return dtype.name


class TensorReader:
    """Reads the tensors of one model.

    Args:
        folder: where the model lies; data outside the model is looked for there and below, and nowhere else.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def array(self, tensor: TensorProto) -> NDArray:
        """The content of a tensor; a tensor of strings gives zeros of its shape, as in TVM.

        Raises:
            ConversionError: the declared shape, type or place is wrong, or the data is not there.
        """
        shape = tuple(tensor.dims)
        if any(dim < 0 for dim in shape):
            raise _invalid(tensor, f"it declares a negative dimension: {list(shape)}")
        count = math.prod(shape)
        if tensor.data_type == TensorProto.STRING:
            if count != len(tensor.string_data):
                raise _invalid(tensor, f"it declares {count} strings and has {len(tensor.string_data)}")
            return np.zeros(shape, np.int64)
        name = dtype_name(tensor.data_type)
        if tensor.data_location == TensorProto.EXTERNAL:
            return self._external(tensor, shape, count, name)
        if tensor.HasField("raw_data"):
            bits = _bits(tensor.data_type)
            expected = (count * bits + 7) // 8
            if len(tensor.raw_data) != expected:
                raise _invalid(
                    tensor, f"its shape {list(shape)} takes {expected} bytes, and it has {len(tensor.raw_data)}"
                )
        else:
            stored = _stored(tensor)
            if stored != count:
                raise _invalid(tensor, f"its shape {list(shape)} takes {count} elements, and it has {stored}")
        try:
            array = np.asarray(numpy_helper.to_array(tensor))
        except (ValueError, TypeError, OverflowError) as error:
            raise _invalid(tensor, str(error)) from None
        return array.astype(ml_dtypes.bfloat16) if name == "bfloat16" else array

    def _external(self, tensor: TensorProto, shape: tuple[int, ...], count: int, name: str) -> NDArray:
        entries = {entry.key: entry.value for entry in tensor.external_data}
        location = entries.get("location", "")
        if self._folder is None:
            raise _invalid(tensor, f"its data is in the file {location!r}, and the model was not read from a folder")
        folder = self._folder.resolve()
        path = (folder / location).resolve()
        if not location or Path(location).is_absolute() or not path.is_relative_to(folder):
            raise _invalid(tensor, f"its data must lie in the model's folder, and {location!r} does not")
        if not path.is_file():
            raise _invalid(tensor, f"there is no file {location!r} beside the model")
        bits = _bits(tensor.data_type)
        if bits % 8:
            raise _invalid(tensor, "data of less than a byte an element is read from inside the model only")
        expected = count * bits // 8
        try:
            offset = int(entries.get("offset") or 0)
            length = int(entries.get("length") or expected)
        except ValueError:
            raise _invalid(tensor, "the offset and length of its data must be numbers") from None
        size = path.stat().st_size
        if offset < 0 or length != expected or offset + length > size:
            raise _invalid(
                tensor,
                f"its shape {list(shape)} takes {expected} bytes; bytes {offset} to {offset + length} of {location!r} "
                f"were declared, and the file has {size}",
            )
        dtype = np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read(length)
        return np.frombuffer(data, dtype=dtype.newbyteorder("<")).astype(dtype, copy=False).reshape(shape)


def _invalid(tensor: TensorProto, reason: str) -> ConversionError:
    name = f" {tensor.name}" if tensor.name else ""
    return ConversionError(f"the tensor{name} cannot be read: {reason}", code="invalid-model-tensor")


_BITS: dict[int, int] = {TensorProto.INT4: 4, TensorProto.UINT4: 4}


def _bits(elem_type: int) -> int:
    return _BITS.get(elem_type) or np.dtype(helper.tensor_dtype_to_np_dtype(elem_type)).itemsize * 8


def _stored(tensor: TensorProto) -> int:
    """How many elements the typed fields hold; several small ones may share one."""
    field = helper.tensor_dtype_to_field(tensor.data_type)
    stored = len(getattr(tensor, field))
    if tensor.data_type in _BITS:
        return min(2 * stored, math.prod(tensor.dims)) if stored else 0
    return stored
