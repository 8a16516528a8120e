"""``from_onnx``: a model file, its bytes or its protobuf object, as a Relay module.

Source of the rule: ``from_onnx`` in ``python/tvm/relay/frontend/onnx.py``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from google.protobuf.message import DecodeError
from onnx import ModelProto

from relay_lsp.ir.expressions import Expr, Function, NDArray, Tuple, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import Dim
from relay_lsp.ir.visitor import free_vars

from ..diagnostics import ImportReport
from ..freezing import to_static
from ..imported import ImportedModel, ModelSource
from ..layers import LayerAnnotator, SpanFiller
from .graph import GraphImporter
from .model_importer import ModelImporter
from .names import find_unreadable_name
from .tensors import TensorReader

__all__ = ["from_onnx", "read_onnx"]

Model = ModelProto | bytes | str | os.PathLike[str]

_NEWEST_OPSET = 21


def from_onnx(
    model: Model,
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: str | Mapping[str, str] = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
    convert_config: Mapping[str, object] | None = None,
    *,
    strict: bool = False,
    annotator: LayerAnnotator | None = None,
    fill_span: bool | None = None,
    mark_outputs: bool = False,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The Relay module of an ONNX model, and the values of its parameters by name.

    Args:
        model: a path, a file's bytes, or a ``ModelProto``.
        shape: shapes of inputs by name; those that the model declares where they are not given. A dimension that is
            not known is ``?`` (``ir.ANY``).
        dtype: dtypes of inputs by name; a single dtype says nothing, as in TVM: the model's are taken.
        opset: the version of the operator set to read the model by; the model's own where it is not given.
        freeze_params: make initialisers constants, and shapes that follow from them static. Otherwise they are
            parameters of ``@main``, and their values are returned.
        convert_config: ``{"use_nt_batch_matmul": False}`` multiplies batches of matrices as they are, rather than with
            the second one transposed.
        strict: refuse a model of which any part cannot be converted.
        annotator: gives the span of a layer, or of a parameter (``layer.parameter``), by its source name.
        fill_span: whether expressions get their layers' names as spans; as ``PassContext`` says where it is not given.
        mark_outputs: whether the outputs of the model get spans too: a tuple of them, and what no layer made, is
            called ``output``.

    Returns:
        the module, and the parameters.

    Raises:
        ModelImportError: the file is no model, or, with ``strict``, a part of it cannot be converted.
        ValueError: ``shape`` names what is no input, or ``convert_config`` what there is not.

    What cannot be converted is kept as a call of an operator that Relay does not have, and shown by ``warnings``.
    """
    return read_onnx(
        model,
        shape,
        dtype,
        opset,
        freeze_params,
        convert_config,
        strict=strict,
        annotator=annotator,
        fill_span=fill_span,
        mark_outputs=mark_outputs,
    ).with_warnings()


def read_onnx(
    model: Model,
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: str | Mapping[str, str] = "float32",
    opset: int | None = None,
    freeze_params: bool = True,
    convert_config: Mapping[str, object] | None = None,
    *,
    strict: bool = False,
    annotator: LayerAnnotator | None = None,
    fill_span: bool | None = None,
    mark_outputs: bool = False,
) -> ImportedModel:
    """What :func:`from_onnx` gives, with its arguments, and the diagnostics, layers and source of the model."""
    config = {"use_nt_batch_matmul": True, **(convert_config or {})}
    if len(config) > 1:
        raise ValueError(f"convert_config has use_nt_batch_matmul alone, not {', '.join(convert_config or ())}")
    report = ImportReport()
    proto, source = _load(model, report)
    unreadable = find_unreadable_name(proto)
    if unreadable is not None:
        raise report.refuse("unreadable-model", f"a name in the model is no text: {unreadable!r}")
    functions = {(function.domain, function.name): function for function in proto.functions}
    declared = next((entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx")), 1)
    if opset is not None and opset < declared:
        report.warning("operator-set", f"the model is of operator set {declared}, and is read by the older {opset}")
    version = declared if opset is None else opset
    if version > _NEWEST_OPSET:
        report.warning(
            "operator-set",
            f"the model is of operator set {version}; the newest whose operators are known here is {_NEWEST_OPSET}",
        )
    importer = ModelImporter(
        report,
        SpanFiller(annotator, fill_span),
        TensorReader(source.path.parent if source.path else None),
        version,
        freeze_params=freeze_params,
        shapes=shape or {},
        dtypes=dtype if isinstance(dtype, Mapping) else {},
        functions=functions,
        use_nt_batch_matmul=bool(config["use_nt_batch_matmul"]),
    )
    graph = GraphImporter(importer)
    outputs = graph.convert(proto.graph)
    for what, by_name in (("shape", importer.shapes), ("dtype", importer.dtypes)):
        unknown = [name for name in by_name if name not in graph.inputs]
        if unknown:
            raise ValueError(
                f"a {what} is given for {', '.join(unknown)}, and the model's inputs are {', '.join(graph.inputs)}"
            )
    module = IRModule.from_expr(_main(graph, outputs, mark_outputs))
    if freeze_params:
        module = to_static(module, importer.folder)
    importer.forget_errors()
    if strict:
        report.require_no_errors()
    params = {var.name_hint: importer.params[var.name_hint] for var in importer.parameters}
    return ImportedModel(module, params, tuple(report.diagnostics), tuple(importer.layers), source)


def _main(graph: GraphImporter, outputs: Sequence[Expr], mark_outputs: bool) -> Function:
    body = outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))
    if mark_outputs:
        graph.model.spans.fill(body, "output")
    used = set(free_vars(body))
    params: dict[Var, None] = dict.fromkeys(graph.inputs.values())
    params.update(dict.fromkeys(var for var in graph.model.parameters if var in used))
    return Function(tuple(params), body)


def _load(model: Model, report: ImportReport) -> tuple[ModelProto, ModelSource]:
    """The model's protobuf object, read as data alone.

    Raises:
        ModelImportError: there is no file, or it is no model.
    """
    path: Path | None = None
    if isinstance(model, ModelProto):
        return model, ModelSource("onnx", None, "")
    if isinstance(model, bytes):
        data = model
    else:
        path = Path(model)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise report.refuse("unreadable-model", f"{path} cannot be read: {error.strerror or error}") from None
    try:
        proto = ModelProto.FromString(data)
    except DecodeError as error:
        raise report.refuse("unreadable-model", f"this is no ONNX model, or a part of one: {error}") from None
    if not proto.HasField("graph"):
        raise report.refuse("unreadable-model", "this is no ONNX model: it has no graph")
    return proto, ModelSource.of("onnx", data, path)
