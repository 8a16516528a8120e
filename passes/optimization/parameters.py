"""Parameters: reading them from files, and putting them in the place of a function's parameters.

Source of the rule: ``BindParamsByName`` in ``src/relay/backend/utils.cc``; the safetensors format is a header in JSON,
with its length before it, and the numbers of all tensors behind it.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

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
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as arrays:
                return {name: arrays[name] for name in arrays.files}
        if path.suffix == ".safetensors":
            return _safetensors(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError, struct.error, zipfile.BadZipFile) as error:
        raise PassError(f"{path.name} holds no parameters that can be read: {error}", code="parameters") from error
    raise PassError(f"parameters are read from .npz and .safetensors, not from {path.name}", code="parameters")


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


def _safetensors(data: bytes) -> dict[str, NDArray]:
    (length,) = struct.unpack_from("<Q", data)
    if length > len(data) - 8:
        raise ValueError("the header is longer than the file")
    header: dict[str, Any] = json.loads(data[8 : 8 + length])
    arrays: dict[str, NDArray] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        if entry["dtype"] not in _DTYPES:
            raise ValueError(f"tensor {name} has the dtype {entry['dtype']}, which Relay lacks")
        start, end = entry["data_offsets"]
        dtype = numpy_dtype(DataType(_DTYPES[entry["dtype"]]))
        arrays[name] = np.frombuffer(data[8 + length + start : 8 + length + end], dtype).reshape(entry["shape"])
    return arrays
