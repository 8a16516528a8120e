"""What PyTorch's operators take and give while a program is converted, and PyTorch's dtypes.

Source of the rules: ``_convert_dtype_value``, ``_convert_data_type``, ``_pytorch_result_type`` in
``python/tvm/relay/frontend/pytorch.py``; for the numbers of dtypes ``c10/core/ScalarType.h`` of PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from relay_lsp.ir.expressions import Constant, Expr

from ..diagnostics import ConversionError
from ..operators import Outputs
from .backend import torch
from .runtime_lists import RuntimeList

__all__ = [
    "DTYPE_CODES",
    "Number",
    "PackedWeights",
    "TorchResult",
    "TorchValue",
    "dtype_of_code",
    "dtype_of_name",
    "result_dtype",
]

Number: TypeAlias = "int | float | bool"


@dataclass(frozen=True, slots=True)
class PackedWeights:
    """The weights of a quantised layer, taken out of the object that PyTorch packs them in."""

    weight: Expr
    scale: Constant
    zero_point: Constant
    bias: Expr | None
    stride: tuple[int, ...] = ()
    padding: tuple[int, ...] = ()
    dilation: tuple[int, ...] = ()
    groups: int = 1
    output_padding: tuple[int, ...] = ()


TorchValue: TypeAlias = (
    "Expr | Outputs | PackedWeights | RuntimeList | Number | str | list[Any] | dict[Any, Any] | None"
)
"""An input: an expression, several, a list of unknown length, or what Python has for a number, a text, a list, a
dictionary or nothing."""

TorchResult: TypeAlias = "TorchValue | tuple[TorchValue, ...]"
"""What a converter gives: a value, or a tuple of one for each output; ``None`` is an output that nothing uses."""

_CODES: dict[int, str] = {
    0: "uint8",
    1: "int8",
    2: "int16",
    3: "int32",
    4: "int64",
    5: "float16",
    6: "float32",
    7: "float64",
    11: "bool",
    15: "bfloat16",
}
DTYPE_CODES = _CODES

_NAMES = {
    "double": "float64",
    "float": "float32",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "quint8": "uint8",
    "qint8": "int8",
    "qint32": "int32",
}

_TORCH: dict[str, Any] = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}


def dtype_of_code(code: object) -> str:
    """Relay's dtype for PyTorch's number of a dtype.

    Raises:
        ConversionError: Relay has none.
    """
    if isinstance(code, int) and code in _CODES:
        return _CODES[code]
    raise ConversionError(f"Relay has no dtype for PyTorch's dtype {code}", input="dtype")


def dtype_of_name(name: str) -> str:
    """Relay's dtype for PyTorch's name of a dtype: ``torch.float32``, ``Long``.

    Raises:
        ConversionError: Relay has none.
    """
    plain = name.lower().removeprefix("torch.")
    plain = _NAMES.get(plain, plain)
    if plain not in _TORCH:
        raise ConversionError(f"Relay has no dtype for PyTorch's {name}", input="dtype")
    return plain


def _name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def result_dtype(dtypes: Sequence[str], numbers: Sequence[Number]) -> str:
    """The dtype that PyTorch computes tensors of ``dtypes`` and Python numbers in."""
    result = dtypes[0] if dtypes else "bool"
    for dtype in dtypes[1:]:
        if dtype != result:
            result = _name(torch.promote_types(_torch(result), _torch(dtype)))
    for number in numbers:
        result = _name(torch.result_type(torch.zeros((), dtype=_torch(result)), number))
    return result


def _torch(dtype: str) -> Any:
    known = _TORCH.get(dtype)
    if known is None:
        raise ConversionError(f"PyTorch has no dtype {dtype}")
    return known
