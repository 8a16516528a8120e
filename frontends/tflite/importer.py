"""``from_tflite``: a model file, its bytes or the object of the package ``tflite``, as a Relay module.

Source of the rule: ``from_tflite`` in ``python/tvm/relay/frontend/tflite.py``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from relay_lsp.ir.expressions import Expr, Function, NDArray, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import Dim
from relay_lsp.ir.visitor import free_vars

from ..diagnostics import ImportReport
from ..imported import ImportedModel, ModelSource
from ..layers import LayerAnnotator, SpanFiller
from .graph import TfliteGraphImporter
from .schema import read_graph

__all__ = ["from_tflite", "read_tflite"]

TfliteModel: TypeAlias = "bytes | bytearray | str | os.PathLike[str] | Any"
"""A file's bytes, its path, or ``tflite.Model``, whose classes have no types."""


def from_tflite(
    model: TfliteModel,
    shape_dict: Mapping[str, Sequence[Dim]] | None = None,
    dtype_dict: Mapping[str, str] | None = None,
    *,
    strict: bool = False,
    annotator: LayerAnnotator | None = None,
    fill_span: bool | None = None,
    mark_outputs: bool = False,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The Relay module of a TFLite model, and the values of its parameters by name.

    Args:
        model: a path, a file's bytes, or a ``tflite.Model``.
        shape_dict: shapes of inputs by name; those that the model declares where they are not given.
        dtype_dict: dtypes of inputs by name; those that the model declares where they are not given.
        strict: refuse a model of which any part cannot be converted.
        annotator: gives the span of a layer or parameter by its source name: the names of the tensors that an operator
            gives, and the name of the tensor that a parameter holds.
        fill_span: whether expressions get their layers' names as spans; as ``PassContext`` says where it is not given.
        mark_outputs: whether a tuple of the model's outputs gets a span, ``output``.

    Returns:
        the module, and the parameters: the tensors that the model holds, called ``_param_1`` and so on as in TVM.

    Raises:
        ModelImportError: the file is no model, or, with ``strict``, a part of it cannot be converted.
        ValueError: ``shape_dict`` or ``dtype_dict`` names what is no input.

    What cannot be converted is kept as a call of an operator that Relay does not have, and shown by ``warnings``.
    """
    return read_tflite(
        model,
        shape_dict,
        dtype_dict,
        strict=strict,
        annotator=annotator,
        fill_span=fill_span,
        mark_outputs=mark_outputs,
    ).with_warnings()


def read_tflite(
    model: TfliteModel,
    shape_dict: Mapping[str, Sequence[Dim]] | None = None,
    dtype_dict: Mapping[str, str] | None = None,
    *,
    strict: bool = False,
    annotator: LayerAnnotator | None = None,
    fill_span: bool | None = None,
    mark_outputs: bool = False,
) -> ImportedModel:
    """What :func:`from_tflite` gives, with its arguments, and the diagnostics, layers and source of the model."""
    report = ImportReport()
    data, path = _load(model, report)
    graph = read_graph(data, report)
    importer = TfliteGraphImporter(graph, report, SpanFiller(annotator, fill_span), shape_dict or {}, dtype_dict or {})
    outputs = importer.convert()
    for what, given in (("shape", shape_dict), ("dtype", dtype_dict)):
        unknown = [name for name in given or () if name not in importer.inputs]
        if unknown:
            raise ValueError(
                f"a {what} is given for {', '.join(unknown)}, and the model's inputs are {', '.join(importer.inputs)}"
            )
    if strict:
        report.require_no_errors()
    names = [graph.tensors[index].name for index in graph.outputs if index >= 0]
    module = IRModule.from_expr(_main(importer, outputs, names, mark_outputs))
    source = ModelSource.of("tflite", data, path)
    return ImportedModel(module, importer.params, tuple(report.diagnostics), tuple(importer.layers), source)


def _main(importer: TfliteGraphImporter, outputs: Sequence[Expr], names: Sequence[str], mark_outputs: bool) -> Function:
    body = outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))
    if mark_outputs:
        importer.spans.fill(body, "output")
    attrs = {"output_tensor_names": tuple(map(_sanitized, names))}
    return Function(tuple(free_vars(body)), body, attrs=attrs)


def _sanitized(name: str) -> str:
    """A tensor's name as TVM's runtime has it: each byte that is no letter and no digit is an underscore."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" * len(letter.encode()) for letter in name)


def _load(model: TfliteModel, report: ImportReport) -> tuple[bytes, Path | None]:
    """The file's bytes, and where it lies.

    Raises:
        ModelImportError: there is no such file, or this is no model.
    """
    if isinstance(model, (bytes, bytearray)):
        return bytes(model), None
    if isinstance(model, (str, os.PathLike)):
        path = Path(model)  # pyright: ignore[reportUnknownArgumentType]
        try:
            return path.read_bytes(), path
        except OSError as error:
            raise report.refuse("unreadable-model", f"{path} cannot be read: {error.strerror or error}") from None
    table = getattr(model, "_tab", None)
    if table is None:
        raise report.refuse("unreadable-model", f"a model is a path, bytes or a tflite.Model, not {type(model)}")
    return bytes(table.Bytes), None
