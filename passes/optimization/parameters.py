"""Parameters: reading them from files, and putting them in the place of a function's parameters.

Source of the rule: ``BindParamsByName`` in ``src/relay/backend/utils.cc``; the safetensors format is a header in JSON,
with its length before it, and the numbers of all tensors behind it.
"""

from __future__ import annotations

import json
import math
import operator
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.expressions import Constant, Expr, Function, NDArray, Var
from relay_lsp.ir.lazy_numpy import np
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import DataType, TensorType

from ..binding import bind
from ..infrastructure import PassError

__all__ = ["bind_params_by_name", "read_parameters"]


def bind_params_by_name(module: IRModule, params: Mapping[str, NDArray], function: str = "main") -> IRModule:
    """``module`` with parameters of one function replaced by constants; names that it does not have are ignored.

    Raises:
        PassError: there is no such function, several of its parameters have one name, or an array is of another shape
            or dtype than its parameter.
    """
    if function not in module:
        raise PassError(f"there is no function @{function} to bind parameters of")
    old = module[function]
    var = next(var for var in module.functions if var.name_hint == function)
    named: dict[str, list[Var]] = {}
    for param in old.params:
        named.setdefault(param.name_hint, []).append(param)
    bound: dict[Var, Expr] = {}
    for name, array in params.items():
        same_named = named.get(name, [])
        if len(same_named) > 1:
            raise PassError(f"several parameters of @{function} have the name {name}", place=same_named[1])
        for param in same_named:
            bound[param] = _constant(param, array)
    if not bound:
        return module
    body = bind(old.body, bound)
    kept = tuple(param for param in old.params if param not in bound)
    new = Function(kept, body, old.ret_type, old.type_params, old.attrs, old.span, old.virtual_device)
    return module.with_function(var, new)


def _constant(param: Var, array: NDArray) -> Constant:
    constant = Constant(np.asarray(array))
    wanted = param.type_annotation
    if isinstance(wanted, TensorType):
        fits = wanted.dtype == constant.dtype and len(wanted.shape) == array.ndim
        known = zip(wanted.shape, array.shape, strict=False)
        if not fits or any(isinstance(size, int) and size != given for size, given in known):
            raise PassError(
                f"parameter {param!r} is a {wanted!r}, but a {constant.tensor_type!r} is given", place=param
            )
    constant.span = param.span
    return constant


def read_parameters(path: str | Path) -> dict[str, NDArray]:
    """The arrays of a file by name: ``.npz`` of numpy, or ``.safetensors``.

    Raises:
        PassError: there is no such file, it is of neither kind, or it is damaged.
    """
    path = Path(path)
    readers = {".npz": _npz, ".safetensors": _safetensors}
    if path.suffix not in readers:
        raise PassError(f"parameters are read from .npz and .safetensors, not from {path.name}", code="parameters")
    try:
        return readers[path.suffix](path)
    except _DAMAGED as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        message = f"{path.name} holds no parameters that can be read: {reason or type(error).__name__}"
        raise PassError(message, code="parameters") from error


_DAMAGED: Final = (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, tokenize.TokenError)
"""What readers of damaged files raise."""


def _npz(path: Path) -> dict[str, NDArray]:
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError("it is no archive of arrays, such as numpy.savez writes")
    arrays: dict[str, NDArray] = {}
    with np.load(path, allow_pickle=False) as archive:
        for name in archive.files:
            array: object = archive[name]
            if not isinstance(array, np.ndarray):
                raise ValueError(f"{name} in it is no array")
            arrays[name] = array
    return arrays


_DTYPES: Final[Mapping[str, str]] = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
}


def _safetensors(path: Path) -> dict[str, NDArray]:
    data = path.read_bytes()
    if len(data) < _LENGTH.size:
        raise ValueError("the file ends within the length of its header")
    (length,) = _LENGTH.unpack_from(data)
    if length > len(data) - _LENGTH.size:
        raise ValueError("the header is longer than the file")
    first = _LENGTH.size + length
    try:
        header: Any = json.loads(data[_LENGTH.size : first])
    except ValueError as error:
        raise ValueError(f"the header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise ValueError("the header is no JSON object")
    entries = cast("dict[str, Any]", header)
    return {
        name: _tensor(name, entry, memoryview(data)[first:])
        for name, entry in entries.items()
        if name != "__metadata__"
    }


_LENGTH: Final = struct.Struct("<Q")


def _tensor(name: str, entry: Any, data: memoryview) -> NDArray:
    try:
        known = _DTYPES.get(entry["dtype"])
        shape = tuple(operator.index(size) for size in entry["shape"])
        start, end = (operator.index(offset) for offset in entry["data_offsets"])
    except (TypeError, KeyError, ValueError):
        raise ValueError(f"tensor {name} is not described by dtype, shape and data_offsets") from None
    if known is None:
        raise ValueError(f"tensor {name} has the dtype {entry['dtype']}, which Relay lacks")
    dtype = numpy_dtype(DataType(known))
    if any(size < 0 for size in shape) or not 0 <= start <= end <= len(data):
        raise ValueError(f"tensor {name} lies outside of the file")
    wanted = math.prod(shape) * dtype.itemsize
    if end - start != wanted:
        raise ValueError(f"tensor {name} has {end - start} bytes, and its shape and dtype ask for {wanted}")
    return np.frombuffer(data[start:end], dtype).reshape(shape)
