"""TFLite models made by hand: tensors, operators with their options, and the flatbuffer that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import numpy as np
import tflite

from relay_lsp import ir
from relay_lsp.frontends.imported import ImportedModel
from relay_lsp.frontends.tflite import read_tflite
from relay_lsp.frontends.verification import largest_difference
from relay_lsp.ir.diagnostics import Severity

schema: Any = tflite

_TYPES = {
    "float32": "FLOAT32",
    "float16": "FLOAT16",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "uint8": "UINT8",
    "bool": "BOOL",
}


@dataclass
class Tensor:
    """A tensor of a model. With ``data`` the model holds it; ``scale`` is a number, or one for each of ``axis``."""

    name: str
    shape: Sequence[int]
    dtype: str = "float32"
    data: np.ndarray[Any, Any] | bytes | None = None
    scale: Any = None
    zero_point: Any = 0
    axis: int = 0
    sparsity: Mapping[str, Any] | None = None
    is_variable: bool = False


def constant(name: str, value: Any, **quantization: Any) -> Tensor:
    """A tensor that the model holds."""
    array = np.asarray(value)
    return Tensor(name, array.shape, array.dtype.name, array, **quantization)


@dataclass
class Operator:
    """An operator; inputs and outputs are tensors' names, ``_`` stands for none.

    ``options`` are the fields of the schema's table ``table`` under their names there (``StrideH``).
    """

    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    table: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    custom_options: bytes = b""
    version: int = 1


def model(
    tensors: Sequence[Tensor], operators: Sequence[Operator], inputs: Sequence[str], outputs: Sequence[str]
) -> bytes:
    """The file of a model with one graph."""
    builder = flatbuffers.Builder(1024)
    places = {tensor.name: index for index, tensor in enumerate(tensors)}
    places["_"] = -1
    buffers = [_table(builder, "Buffer", {})]
    tables: list[int] = []
    for tensor in tensors:
        buffer = 0
        if tensor.data is not None:
            data = tensor.data if isinstance(tensor.data, bytes) else np.ascontiguousarray(tensor.data).tobytes()
            buffers.append(_table(builder, "Buffer", {"Data": np.frombuffer(data, np.uint8)}))
            buffer = len(buffers) - 1
        tables.append(_tensor(builder, tensor, buffer))
    codes: list[tuple[str, int]] = []
    made: list[int] = []
    for operator in operators:
        code = operator.name, operator.version
        if code not in codes:
            codes.append(code)
        made.append(_operator(builder, operator, codes.index(code), places))
    graph = _table(
        builder,
        "SubGraph",
        {
            "Tensors": tables,
            "Inputs": np.array([places[name] for name in inputs], np.int32),
            "Outputs": np.array([places[name] for name in outputs], np.int32),
            "Operators": made,
            "Name": "main",
        },
    )
    root = _table(
        builder,
        "Model",
        {
            "Version": 3,
            "OperatorCodes": [_code(builder, *code) for code in codes],
            "Subgraphs": [graph],
            "Description": "made by hand",
            "Buffers": buffers,
        },
    )
    builder.Finish(root, b"TFL3")
    return bytes(builder.Output())


def _table(builder: Any, name: str, fields: Mapping[str, Any], scalars_first: bool = False) -> int:
    """A table with numbers, texts, vectors of numbers (arrays), and vectors of tables (lists)."""
    values: dict[str, Any] = {}
    for key, value in fields.items():
        if isinstance(value, str):
            values[key] = builder.CreateString(value)
        elif isinstance(value, np.ndarray):
            values[key] = builder.CreateNumpyVector(value)
        elif isinstance(value, list):
            builder.StartVector(4, len(value), 4)
            for offset in reversed(value):
                builder.PrependUOffsetTRelative(offset)
            values[key] = builder.EndVector()
        else:
            values[key] = value
    getattr(schema, f"{name}Start")(builder)
    for key, value in values.items():
        getattr(schema, f"{name}Add{key}")(builder, value)
    return getattr(schema, f"{name}End")(builder)


def _code(builder: Any, name: str, version: int) -> int:
    number = getattr(schema.BuiltinOperator, name, None)
    if number is None:
        fields = {"DeprecatedBuiltinCode": schema.BuiltinOperator.CUSTOM, "CustomCode": name, "Version": version}
        return _table(builder, "OperatorCode", {**fields, "BuiltinCode": schema.BuiltinOperator.CUSTOM})
    fields = {"DeprecatedBuiltinCode": min(number, 127), "Version": version, "BuiltinCode": number}
    return _table(builder, "OperatorCode", fields)


def _operator(builder: Any, operator: Operator, code: int, places: Mapping[str, int]) -> int:
    fields: dict[str, Any] = {
        "OpcodeIndex": code,
        "Inputs": np.array([places[name] for name in operator.inputs], np.int32),
        "Outputs": np.array([places[name] for name in operator.outputs], np.int32),
    }
    if operator.table:
        options = {
            key: np.array(value, np.int32) if isinstance(value, (list, tuple)) else value
            for key, value in operator.options.items()
        }
        fields["BuiltinOptionsType"] = getattr(schema.BuiltinOptions, operator.table)
        fields["BuiltinOptions"] = _table(builder, operator.table, options)
    if operator.custom_options:
        fields["CustomOptions"] = np.frombuffer(operator.custom_options, np.uint8)
    return _table(builder, "Operator", fields)


def _tensor(builder: Any, tensor: Tensor, buffer: int) -> int:
    fields: dict[str, Any] = {
        "Shape": np.array(tensor.shape, np.int32),
        "Type": getattr(schema.TensorType, _TYPES[tensor.dtype]),
        "Buffer": buffer,
        "Name": tensor.name,
        "IsVariable": tensor.is_variable,
    }
    if tensor.scale is not None:
        scales = np.atleast_1d(np.asarray(tensor.scale, np.float32))
        zero_points = np.broadcast_to(np.asarray(tensor.zero_point, np.int64), scales.shape).copy()
        quantization = {"Scale": scales, "ZeroPoint": zero_points, "QuantizedDimension": tensor.axis}
        fields["Quantization"] = _table(builder, "QuantizationParameters", quantization)
    if tensor.sparsity is not None:
        dimensions = [_dimension(builder, dimension) for dimension in tensor.sparsity["dimensions"]]
        fields["Sparsity"] = _table(
            builder,
            "SparsityParameters",
            {
                "TraversalOrder": np.array(tensor.sparsity["order"], np.int32),
                "BlockMap": np.array(tensor.sparsity.get("blocks", ()), np.int32),
                "DimMetadata": dimensions,
            },
        )
    return _table(builder, "Tensor", fields)


def _dimension(builder: Any, dimension: Any) -> int:
    """A size, or segments and indices."""
    if isinstance(dimension, int):
        return _table(builder, "DimensionMetadata", {"Format": schema.DimensionType.DENSE, "DenseSize": dimension})
    segments, indices = (_table(builder, "Int32Vector", {"Values": np.array(values, np.int32)}) for values in dimension)
    kind = schema.SparseIndexVector.Int32Vector
    return _table(
        builder,
        "DimensionMetadata",
        {
            "Format": schema.DimensionType.SPARSE_CSR,
            "ArraySegmentsType": kind,
            "ArraySegments": segments,
            "ArrayIndicesType": kind,
            "ArrayIndices": indices,
        },
    )


# ---- what is made of them


def imported(data: bytes, **options: Any) -> ImportedModel:
    """The imported model, of which all must have been converted."""
    made = read_tflite(data, **options)
    assert [str(found) for found in made.diagnostics if found.severity is Severity.ERROR] == []
    return made


def evaluated(made: ImportedModel, inputs: Mapping[str, Any]) -> list[Any]:
    """The outputs of the module."""
    arguments = [
        inputs[var.name_hint] if var.name_hint in inputs else made.params[var.name_hint]
        for var in made.module["main"].params
    ]
    result = ir.evaluate(made.module, *arguments)
    return [np.asarray(value) for value in (result if isinstance(result, tuple) else (result,))]


def assert_agree(actual: Sequence[Any], expected: Sequence[Any], tolerance: float = 1) -> None:
    """The outputs agree: floats within rounding, integers within ``tolerance`` steps."""
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours.shape == theirs.shape
        assert largest_difference(ours, theirs) <= tolerance


def main_text(made: ImportedModel) -> str:
    """The text of ``@main``, with types and spans."""
    text = ir.to_text(ir.infer_types(made.module).module, show_meta_data=False)
    return text.partition("\n")[2].partition("#[metadata]")[0]
