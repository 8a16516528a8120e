"""One operator of a TFLite graph as its converter sees it: tensors with their expressions, options with their types.

A model file is not to be trusted: whatever a converter asks for is checked here, and what is wrong is said with the
option or tensor that it is wrong with. The functions that convert operators register themselves here (``converter``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import ml_dtypes
import numpy as np

from relay_lsp.ir.builder import constant
from relay_lsp.ir.expressions import Constant, Expr, NDArray
from relay_lsp.ir.types import is_static

from ..converters import Converters
from ..diagnostics import ConversionError
from ..folding import Folder
from ..inspection import shape_of, static_shape_of
from ..nodes import ModelNode
from ..operators import Outputs, immediate
from .generated import names_of, schema
from .options import OptionValue
from .schema import OperatorRecord, TensorRecord

__all__ = ["Operand", "TensorScope", "TfliteConverter", "TfliteNode", "converter", "converters", "dtype_name"]

_DTYPES = {
    "FLOAT16": "float16",
    "FLOAT32": "float32",
    "FLOAT64": "float64",
    "BFLOAT16": "bfloat16",
    "INT8": "int8",
    "INT16": "int16",
    "INT32": "int32",
    "INT64": "int64",
    "UINT8": "uint8",
    "UINT16": "uint16",
    "UINT32": "uint32",
    "UINT64": "uint64",
    "BOOL": "bool",
}
_TYPES = names_of(schema.TensorType)


def dtype_name(type: int) -> str:
    """Relay's name of one of the schema's element types: 0 is ``float32``.

    Raises:
        ConversionError: Relay has no such type.
    """
    name = _TYPES.get(type, str(type))
    if name not in _DTYPES:
        raise ConversionError(f"Relay has no tensors of TFLite's type {name}")
    return _DTYPES[name]


class TensorScope(Protocol):
    """What a graph tells of its tensors."""

    folder: Folder

    def find(self, index: int) -> Expr | None:
        """The expression of a tensor, where something has made it."""
        ...

    def known_data(self, index: int) -> NDArray | None:
        """The value of a tensor that a converter has computed already."""
        ...

    def set_known_data(self, index: int, value: NDArray) -> None:
        """Note the value of a tensor, so that what uses it takes it as a constant."""
        ...

    def parameter(self, value: NDArray, source_name: str) -> Expr:
        """A new parameter of the module."""
        ...

    def known_value(self, expr: Expr) -> NDArray | None:
        """The value of an expression that depends on parameters alone; ``None`` where it does not."""
        ...


class Operand:
    """A tensor that an operator takes or gives."""

    def __init__(self, scope: TensorScope, index: int, record: TensorRecord) -> None:
        self._scope = scope
        self.index = index
        self.record = record
        self._scale: Constant | None = None
        self._zero_point: Constant | None = None

    @property
    def name(self) -> str:
        """The tensor's name in the model."""
        return self.record.name

    @property
    def dtype(self) -> str:
        """Its element type: ``float32``."""
        return dtype_name(self.record.type)

    @property
    def is_computed(self) -> bool:
        """Whether an operator gives it, or it is an input of the model."""
        return self._scope.find(self.index) is not None

    @property
    def expr(self) -> Expr:
        """What gives it; each use of a tensor that the model holds is a parameter of its own, as in TVM."""
        made = self._scope.find(self.index)
        return self._scope.parameter(self.value, self.name) if made is None else made

    def parameter(self, value: NDArray) -> Expr:
        """A parameter that holds ``value``: this tensor in another layout."""
        return self._scope.parameter(value, self.name)

    # ---- values

    @property
    def value(self) -> NDArray:
        """Its numbers, which the model must hold.

        Raises:
            ConversionError: they are computed, missing, or fewer or more than the shape says.
        """
        known = self._scope.known_data(self.index)
        if known is not None:
            return known
        made = self._scope.find(self.index)
        if made is not None:
            computed = self._scope.known_value(made)
            if computed is None:
                raise ConversionError(f"{self.name} must be a constant, and is computed", input=self.name)
            return computed
        shape = self.record.shape
        data = self.stored(self.dtype)
        if any(size < 0 for size in shape) or math.prod(shape) != data.size:
            raise self.unreadable(f"its shape {list(shape)} takes {math.prod(shape)} elements, and it has {data.size}")
        try:
            return data.reshape(shape)
        except ValueError as error:  # Where a dimension is 0, the others may be anything.
            raise self.unreadable(f"its shape {list(shape)} is none of an array: {error}") from None

    def stored(self, dtype: str) -> NDArray:
        """The elements in the file, one after the other.

        Raises:
            ConversionError: there are none, or a part of one.
        """
        if self.record.problem:
            raise self.unreadable(self.record.problem)
        data = self.record.data
        numpy = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
        if data is None:
            if 0 in self.record.shape:
                return np.zeros(0, numpy)
            raise ConversionError(
                f"nothing defines {self.name}: it is no input, no operator gives it, and the model does not hold it",
                input=self.name,
                code="undefined-model-value",
            )
        if data.size % numpy.itemsize:
            raise self.unreadable(f"its {data.size} bytes are no whole number of elements of {dtype}")
        return np.frombuffer(data, numpy.newbyteorder("<")).astype(numpy, copy=False)

    def unreadable(self, reason: str) -> ConversionError:
        """The error to raise about the tensor itself."""
        return ConversionError(
            f"the tensor {self.name} cannot be read: {reason}", input=self.name, code="invalid-model-tensor"
        )

    @property
    def scalar(self) -> Any:
        """The number that it holds.

        Raises:
            ConversionError: it does not hold one number.
        """
        value = self.value
        if value.size != 1:
            raise ConversionError(f"{self.name} must hold one number, and holds {value.size}", input=self.name)
        return value.reshape(-1)[0].item()

    @property
    def numbers(self) -> list[Any]:
        """What it holds, as numbers of an attribute: those of 64 bits keep their type, as in TVM."""
        return [immediate(number) for number in self.value.reshape(-1)]

    @property
    def integers(self) -> list[int]:
        """What it holds, as integers."""
        return [int(number) for number in self.value.reshape(-1)]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what gives it; the declared one of what the model holds, or where the other is not known."""
        made = self._scope.find(self.index)
        known = None if made is None else shape_of(made)
        if known is not None and is_static(known):
            return tuple(int(size) for size in known if isinstance(size, int))
        return self.record.shape or static_shape_of(self.expr, self.name)

    @property
    def rank(self) -> int:
        """The number of its dimensions."""
        return len(self.shape)

    # ---- quantisation

    @property
    def is_quantized(self) -> bool:
        """Whether its integers stand for numbers."""
        return self.record.quantization is not None

    @property
    def quantized_axis(self) -> int:
        """The dimension whose elements have a scale each."""
        return 0 if self.record.quantization is None else self.record.quantization.axis

    @property
    def scale(self) -> Constant:
        """What one step stands for: a scalar, or one for each channel.

        Raises:
            ConversionError: it is not quantised.
        """
        if self._scale is None:
            quantization = self._quantization()
            scales = quantization.scales
            self._scale = constant(scales.reshape(()) if scales.size == 1 else scales, "float32")
        return self._scale

    @property
    def zero_point(self) -> Constant:
        """The integer that stands for zero.

        Raises:
            ConversionError: it is not quantised.
        """
        if self._zero_point is None:
            number = int(self._quantization().zero_points[0])
            if not -(2**31) <= number < 2**31:
                raise self.unreadable(f"its zero point is {number}")
            self._zero_point = constant(number, "int32")
        return self._zero_point

    def _quantization(self) -> Any:
        if self.record.quantization is None:
            raise ConversionError(f"{self.name} must be quantised, and is not", input=self.name)
        return self.record.quantization


class TfliteNode(ModelNode[Operand]):
    """An operator to convert. ``name`` is its layer's name: the names of its results."""

    def __init__(
        self,
        scope: TensorScope,
        name: str,
        record: OperatorRecord,
        inputs: Sequence[Operand | None],
        outputs: Sequence[Operand],
    ) -> None:
        super().__init__(name, record.operator, inputs)
        self.scope = scope
        self.record = record
        self.outputs = outputs
        self.options: Mapping[str, OptionValue] = record.options

    # ---- tensors

    def require_inputs(self, *counts: int) -> None:
        """Check how many inputs there are.

        Raises:
            ConversionError: another number, or one of them is not there.
        """
        if len(self.inputs) not in counts or any(operand is None for operand in self.inputs[: min(counts)]):
            expected = " or ".join(map(str, counts))
            present = sum(operand is not None for operand in self.inputs)
            raise ConversionError(f"{self.operator} takes {expected} inputs, not {present}", code="missing-model-input")

    @property
    def output(self) -> Operand:
        """Its only result.

        Raises:
            ConversionError: there is none, or more than one.
        """
        if len(self.outputs) != 1:
            raise ConversionError(f"{self.operator} gives one result, not {len(self.outputs)}")
        return self.outputs[0]

    @property
    def is_quantized(self) -> bool:
        """Whether its first tensor is quantised."""
        return self.input(0).is_quantized

    def require_float(self) -> None:
        """Check that no tensor that goes in is quantised.

        Raises:
            ConversionError: one is, and there is no form of this operator for it.
        """
        if any(operand is not None and operand.is_quantized for operand in self.inputs):
            raise ConversionError(f"{self.operator} of quantised tensors is not converted, as in TVM")

    # ---- options

    def integer(self, name: str, default: int | None = None) -> int:
        """An option that is an integer; required where there is no default.

        Raises:
            ConversionError: it is missing, or no integer.
        """
        value = self._option(name, default)
        if not isinstance(value, int):
            raise self.invalid(name, f"the option {name} must be an integer")
        return int(value)

    def number(self, name: str) -> float:
        """An option that is a number.

        Raises:
            ConversionError: it is missing, or no number.
        """
        value = self._option(name, None)
        if not isinstance(value, (int, float)):
            raise self.invalid(name, f"the option {name} must be a number")
        return float(value)

    def integers(self, name: str) -> tuple[int, ...]:
        """An option that is a list of integers; empty where it is not there."""
        value = self.options.get(name)
        return tuple(int(number) for number in value) if isinstance(value, tuple) else ()

    def _option(self, name: str, default: int | None) -> OptionValue:
        if name in self.options:
            return self.options[name]
        if default is None:
            raise ConversionError(
                f"{self.operator} needs the option {name}", attribute=name, code="missing-model-attribute"
            )
        return default


TfliteConverter: TypeAlias = Callable[[TfliteNode], "Expr | Outputs | None"]
"""Gives the results of an operator; nothing where what uses them takes their value from the graph."""

converters: Converters[TfliteConverter] = Converters("TFLite")
converter = converters.declare
