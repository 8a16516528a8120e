"""A TFLite file as plain data: tables, vectors and buffers, each examined once and checked against the file's length.

The generated accessors of the package ``tflite`` read wherever an offset points to. Here a place outside of the file is
an error of the tensor or operator that has it, and nothing is allocated by what a length says before it was compared
with what is there.

Source of the rule: ``schema.fbs`` of TensorFlow Lite.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np

from relay_lsp.ir.expressions import NDArray

from ..diagnostics import ConversionError, ImportReport, ModelPlace
from .generated import names_of, schema
from .options import OptionValue, read_options

__all__ = ["GraphRecord", "OperatorRecord", "Quantization", "Sparsity", "TensorRecord", "read_graph"]

# What an accessor raises where an offset, a length or a name is wrong.
_BROKEN = (struct.error, IndexError, ValueError, TypeError, OverflowError, AttributeError, KeyError)

_IDENTIFIER = b"TFL3"
_MOST_OPTION_BYTES = 2**16
"""How long the options of an operator of one's own are at most; what is longer is none."""

Table: TypeAlias = Any
"""An accessor of the package ``tflite``, whose code is generated and has no types."""


@dataclass(frozen=True, slots=True)
class Quantization:
    """How the integers of a tensor stand for numbers: one scale and zero point, or one for each channel of ``axis``."""

    scales: NDArray
    zero_points: NDArray
    axis: int


@dataclass(frozen=True, slots=True)
class SparseDimension:
    """One dimension of a sparse tensor: of a size, or in segments of indices."""

    size: int
    segments: NDArray | None = None
    indices: NDArray | None = None


@dataclass(frozen=True, slots=True)
class Sparsity:
    """Where the stored elements of a sparse tensor belong."""

    traversal_order: tuple[int, ...]
    block_map: tuple[int, ...]
    dimensions: tuple[SparseDimension, ...]


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """A tensor of a graph. ``type`` is the number that the schema has for its element type."""

    name: str
    type: int
    shape: tuple[int, ...]
    data: NDArray | None = None
    """Its bytes; ``None`` where it has none: an input, a result, or a state."""
    quantization: Quantization | None = None
    sparsity: Sparsity | None = None
    problem: str = ""
    """Why it could not be read."""


@dataclass(frozen=True, slots=True)
class OperatorRecord:
    """One operator of a graph; an input that is -1 is not there."""

    operator: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, OptionValue] = field(default_factory=dict[str, OptionValue])
    options_type: str = ""
    custom_options: bytes = b""


@dataclass(frozen=True, slots=True)
class GraphRecord:
    """A graph: its tensors, and which of them are inputs and outputs."""

    name: str
    tensors: tuple[TensorRecord, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    operators: tuple[OperatorRecord, ...]


def read_graph(data: bytes, report: ImportReport) -> GraphRecord:
    """The main graph of a file.

    Raises:
        ModelImportError: it is no TFLite file, or its outermost tables cannot be read.
    """
    if len(data) < 8 or data[4:8] != _IDENTIFIER:
        raise report.refuse("unreadable-model", "this is no TFLite model: it does not begin as one")
    try:
        reader = _FileReader(data, report)
        return reader.main_graph()
    except _BROKEN as error:
        raise report.refuse("unreadable-model", f"this is no TFLite model, or a part of one: {error}") from None


def _vector(read: Callable[[], Any]) -> NDArray | None:
    """A vector of numbers; ``None`` where the table has none, or an empty one."""
    values = read()
    return cast("NDArray", values) if isinstance(values, np.ndarray) and values.size else None


_OPERATORS = names_of(schema.BuiltinOperator)


class _FileReader:
    """Reads a file's tables, and no more entries of vectors than a file of its size has use for."""

    def __init__(self, data: bytes, report: ImportReport) -> None:
        self._data = data
        self._report = report
        self._model: Table = schema.Model.GetRootAs(data, 0)
        # Vectors may overlap, so that a small file says much; each entry of an honest one takes four bytes of it.
        self._entries_left = 4 * len(data)

    def _entries(self, length: int) -> range:
        """The places of a vector.

        Raises:
            ValueError: the file is too short for it.
        """
        self._entries_left -= length
        if length * 4 > len(self._data) or self._entries_left < 0:
            raise ValueError(f"a list of {length} entries is longer than the file")
        return range(length)

    def _text(self, name: bytes | None) -> str:
        self._entries(len(name or b"") // 4)
        return (name or b"").decode("utf-8", "replace")

    def _numbers(self, read: Callable[[], Any]) -> tuple[int, ...]:
        values = _vector(read)
        if values is None:
            return ()
        self._entries(values.size)
        return tuple(int(value) for value in values)

    def _places(self, read: Callable[[], Any], count: int) -> tuple[int, ...]:
        """Places of tensors.

        Raises:
            ValueError: there is no tensor at one.
        """
        places = self._numbers(read)
        wrong = next((place for place in places if not -1 <= place < count), None)
        if wrong is not None:
            raise ValueError(f"there is no tensor {wrong}; the graph has {count}")
        return places

    # ---- graphs

    def main_graph(self) -> GraphRecord:
        """The first graph; the others are counted and named in the report."""
        count = self._model.SubgraphsLength()
        if not count:
            raise ValueError("it has no graph")
        if count > 1:
            self._report.warning(
                "unsupported-model-node",
                f"the model has {count} graphs, and only the first is imported: what calls the others is kept by its "
                "operator's name",
            )
        graph = self._model.Subgraphs(0)
        tensors = tuple(self._tensor(graph, index) for index in self._entries(graph.TensorsLength()))
        operators: list[OperatorRecord] = []
        for index in self._entries(graph.OperatorsLength()):
            try:
                operators.append(self._operator(graph.Operators(index), len(tensors)))
            except _BROKEN as error:
                place = ModelPlace(f"operator {index}")
                self._report.error("unreadable-model", f"this operator cannot be read: {error}", place)
        name = self._text(graph.Name())
        inputs, outputs = (self._places(read, len(tensors)) for read in (graph.InputsAsNumpy, graph.OutputsAsNumpy))
        return GraphRecord(name, tensors, inputs, outputs, tuple(operators))

    # ---- operators

    def _operator(self, operator: Table, count: int) -> OperatorRecord:
        code_place, codes = operator.OpcodeIndex(), self._model.OperatorCodesLength()
        if not 0 <= code_place < codes:
            raise ValueError(f"its operator code is {code_place}, and the model has {codes}")
        code = self._model.OperatorCodes(code_place)
        # Before TensorFlow 2.4 the number was one byte, which newer files keep for small numbers.
        number = max(code.DeprecatedBuiltinCode(), code.BuiltinCode())
        name = _OPERATORS.get(number, f"BUILTIN_{number}")
        if name == "CUSTOM":
            custom_name = self._text(code.CustomCode())
            name = f"CUSTOM_{custom_name}" if custom_name in _OPERATORS.values() else custom_name or name
        options_type, options = read_options(operator)
        custom = _vector(operator.CustomOptionsAsNumpy)
        return OperatorRecord(
            name,
            code.Version(),
            self._places(operator.InputsAsNumpy, count),
            self._places(operator.OutputsAsNumpy, count),
            options,
            options_type,
            b"" if custom is None or custom.size > _MOST_OPTION_BYTES else custom.tobytes(),
        )

    # ---- tensors

    def _tensor(self, graph: Table, index: int) -> TensorRecord:
        name, type, shape = "", -1, ()
        try:
            tensor = graph.Tensors(index)
            name, type = self._text(tensor.Name()), tensor.Type()
            shape = self._numbers(tensor.ShapeAsNumpy)
            return TensorRecord(
                name,
                type,
                shape,
                self._buffer(tensor.Buffer()),
                _quantization(tensor.Quantization()),
                self._sparsity(tensor.Sparsity()),
            )
        except ConversionError as error:
            return TensorRecord(name, type, shape, problem=error.message)
        except _BROKEN as error:
            return TensorRecord(name, type, shape, problem=f"it points outside of the file ({error})")

    def _buffer(self, index: int) -> NDArray | None:
        count = self._model.BuffersLength()
        if not 0 <= index < count:
            raise ConversionError(f"its buffer is {index}, and the model has {count}")
        buffer = self._model.Buffers(index)
        offset, size = buffer.Offset(), buffer.Size()
        if offset > 1:  # Behind the tables, in models of more than two gigabytes.
            if offset + size > len(self._data):
                raise ConversionError(f"its bytes are {offset} to {offset + size}, and the file has {len(self._data)}")
            return np.frombuffer(self._data, np.uint8, size, offset)
        return _vector(buffer.DataAsNumpy)

    def _sparsity(self, table: Table) -> Sparsity | None:
        if table is None:
            return None
        order, blocks = self._numbers(table.TraversalOrderAsNumpy), self._numbers(table.BlockMapAsNumpy)
        dimensions = tuple(_dimension(table.DimMetadata(index)) for index in self._entries(table.DimMetadataLength()))
        return Sparsity(order, blocks, dimensions)


def _quantization(table: Table) -> Quantization | None:
    if table is None:
        return None
    scales = _vector(table.ScaleAsNumpy)
    if scales is None:
        return None
    zero_points = _vector(table.ZeroPointAsNumpy)
    if zero_points is None:
        zero_points = np.zeros(scales.shape, np.int64)
    if scales.size > 1 and zero_points.any():
        raise ConversionError("its channels are quantised with a scale each, and its zero points are not all 0")
    if scales.size == 1 and zero_points.size > 1:
        raise ConversionError(f"it has one scale and {zero_points.size} zero points")
    return Quantization(scales, zero_points, table.QuantizedDimension())


def _dimension(metadata: Table) -> SparseDimension:
    if metadata.Format() == schema.DimensionType.DENSE:
        return SparseDimension(metadata.DenseSize())
    segments = _index_vector(metadata.ArraySegmentsType(), metadata.ArraySegments())
    indices = _index_vector(metadata.ArrayIndicesType(), metadata.ArrayIndices())
    return SparseDimension(0, segments, indices)


_INDEX_VECTORS: dict[int, Any] = {
    schema.SparseIndexVector.Int32Vector: schema.Int32Vector,
    schema.SparseIndexVector.Uint16Vector: schema.Uint16Vector,
    schema.SparseIndexVector.Uint8Vector: schema.Uint8Vector,
}


def _index_vector(kind: int, table: Table) -> NDArray:
    if kind not in _INDEX_VECTORS or table is None:
        raise ConversionError("the indices of its elements are missing, or of a kind that is not known")
    vector = _INDEX_VECTORS[kind]()
    vector.Init(table.Bytes, table.Pos)
    values = _vector(vector.ValuesAsNumpy)
    return np.zeros(0, np.int64) if values is None else values.astype(np.int64)
