"""``from_pytorch``: a TorchScript archive, an exported program, or PyTorch's own object, as a Relay module.

Source of the rule: ``from_pytorch`` and ``_get_relay_input_vars`` in ``python/tvm/relay/frontend/pytorch.py``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from relay_lsp.ir.expressions import NDArray, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.types import ANY, Dim, TensorType, TupleType, Type

from ..diagnostics import ConversionError, ImportReport
from ..imported import ImportedModel, ModelSource
from ..layers import LayerAnnotator, SpanFiller
from .archive import open_archive
from .backend import torch
from .conversion import ModelConversion
from .exported import archive_of, is_exported, read_exported
from .graph import Program, Value
from .naming import ModuleNames, TvmNames
from .prelude import prelude_types
from .quantized_inputs import add_quantized_inputs, is_quantized_program
from .runtime_lists import functions_of, list_of, listed, types_of
from .torchscript import load_script, read_script
from .values import dtype_of_name

__all__ = ["from_pytorch", "read_pytorch"]

InputInfos = Sequence[tuple[str, Any]]


def from_pytorch(
    program: object,
    input_infos: InputInfos | None = None,
    default_dtype: str = "float32",
    source_names: str = "module",
    *,
    strict: bool = False,
    annotator: LayerAnnotator | None = None,
    fill_span: bool | None = None,
    use_parser_friendly_name: bool = False,
) -> tuple[IRModule, dict[str, NDArray]]:
    """The Relay module of a PyTorch program, and the values of its parameters by name.

    Args:
        program: a path or a file's bytes (a TorchScript archive, or a program that ``torch.export.save`` wrote), a
            ``torch.jit.ScriptModule``, or a ``torch.export.ExportedProgram``.
        input_infos: names and shapes of the inputs in their order, ``("x", (1, 3, 224, 224))`` or
            ``("x", ((1, 3, 224, 224), "int64"))``. An exported program knows them itself.
        default_dtype: the dtype of inputs and tensors whose dtype neither is given nor known.
        source_names: ``"module"`` names layers by their modules (``layer1.0.conv1``), ``"tvm"`` as TVM does
            (``aten::conv2d_0``), which also gives what else TVM's module has: the types of its prelude, and no inputs
            that nothing uses.
        strict: refuse a program of which any part cannot be converted.
        annotator: gives the span of a layer, or of a parameter, by its source name.
        fill_span: whether expressions get their layers' names as spans; as ``PassContext`` says where it is not given.
        use_parser_friendly_name: with TVM's names, those that Relay's grammar has (``aten__conv2d_0``).

    Returns:
        the module, and the parameters.

    Raises:
        ModelImportError: the file holds no program, or, with ``strict``, a part of it cannot be converted.
        ValueError: ``input_infos`` do not fit the program, or ``source_names`` is neither.

    What cannot be converted is kept as a call of an operator that Relay does not have, and shown by ``warnings``.
    """
    return read_pytorch(
        program,
        input_infos,
        default_dtype,
        source_names,
        strict=strict,
        annotator=annotator,
        fill_span=fill_span,
        use_parser_friendly_name=use_parser_friendly_name,
    ).with_warnings()


def read_pytorch(
    model: object,
    input_infos: InputInfos | None = None,
    default_dtype: str = "float32",
    source_names: str = "module",
    *,
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: Mapping[str, str] | None = None,
    strict: bool = False,
    annotator: LayerAnnotator | None = None,
    fill_span: bool | None = None,
    use_parser_friendly_name: bool = False,
) -> ImportedModel:
    """What :func:`from_pytorch` gives, with its arguments, and the diagnostics, layers and source of the program.

    ``shape`` and ``dtype`` have shapes and dtypes of inputs by the names that the program has for them, in place of
    ``input_infos``.
    """
    if source_names not in ("module", "tvm"):
        raise ValueError(f'source_names is "module" or "tvm", not {source_names!r}')
    report = ImportReport()
    program, source = _load(model, report)
    names = TvmNames(program, use_parser_friendly_name) if source_names == "tvm" else ModuleNames(program)
    conversion = ModelConversion(program, names, report, SpanFiller(annotator, fill_span), default_dtype)
    inputs = _inputs(program, _infos(program, input_infos, shape, dtype, report), default_dtype)
    for value, var in zip(program.inputs, inputs, strict=True):
        conversion.values[value] = listed(var)
    input_scales = add_quantized_inputs(program) if is_quantized_program(program) else {}
    conversion.read_parameters()
    conversion.read_packed_weights(input_scales)
    results = conversion.convert_block(program)
    try:
        main = conversion.main(inputs, results, keep_inputs=source_names == "module")
    except ConversionError as error:
        raise report.refuse(error.code, f"the program's result: {error.message}") from None
    conversion.forget_errors()
    if strict:
        report.require_no_errors()
    functions = functions_of(main, conversion.functions)
    module = IRModule.from_expr(main, functions, prelude_types() if source_names == "tvm" else types_of(main))
    return ImportedModel(module, conversion.params, tuple(report.diagnostics), tuple(conversion.layers), source)


def _load(model: object, report: ImportReport) -> tuple[Program, ModelSource]:
    path: Path | None = None
    if isinstance(model, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        return read_script(model, report), ModelSource("pytorch", None, "")
    if is_exported(model):
        return read_exported(archive_of(model, report), report), ModelSource("pytorch", None, "")
    if isinstance(model, bytes):
        data = model
    elif isinstance(model, (str, os.PathLike)):
        path = Path(cast("str | os.PathLike[str]", model))
        try:
            data = path.read_bytes()
        except OSError as error:
            raise report.refuse("unreadable-model", f"{path} cannot be read: {error.strerror or error}") from None
    else:
        raise ValueError(f"a program of PyTorch is expected, a path, or bytes, not a {type(model).__name__}")
    archive = open_archive(data, path, report)
    if not archive.is_torchscript:
        return read_exported(archive, report), ModelSource.of("pytorch", data, path)
    source = ModelSource.of("pytorch", data, path)
    content: bytes | Path = data if path is None else path
    del data, archive  # Where there is a file, its bytes need not be held while PyTorch reads it.
    return read_script(load_script(content, report), report), source


# ---- inputs


def _infos(
    program: Program,
    given: InputInfos | None,
    shapes: Mapping[str, Sequence[Dim]] | None,
    dtypes: Mapping[str, str] | None,
    report: ImportReport,
) -> list[tuple[str, object, str | None]]:
    """Name, shape and dtype of each input.

    Raises:
        ModelImportError: the program does not know a shape, and it is not given.
        ValueError: what is given does not fit the program.
    """
    infos: list[tuple[str, object, str | None]] = []
    if given is None:
        names = [_input_name(value.name) for value in program.inputs]
        for what, by_name in (("shape", shapes), ("dtype", dtypes)):
            unknown = [name for name in by_name or () if name not in names]
            if unknown:
                raise ValueError(f"a {what} is given for {', '.join(unknown)}, and the inputs are {', '.join(names)}")
        for value in program.inputs:
            name = _input_name(value.name)
            shape: Sequence[Dim] | None = (shapes or {}).get(name)
            if shape is None and value.shape is not None:
                shape = [ANY if size is None else size for size in value.shape]
            if shape is None:
                raise report.refuse(
                    "missing-model-input",
                    f"the program does not say the shape of its input {name}: give it (--shape {name}=1,3,224,224, or "
                    f'input_infos=[("{name}", (1, 3, 224, 224))])',
                )
            dtype = (dtypes or {}).get(name)
            if dtype is not None and value.dtype not in (None, dtype):
                raise ValueError(f"the program declares the dtype {value.dtype} of its input {name}, not {dtype}")
            infos.append((name, shape, dtype))
        return infos
    if len(given) != len(program.inputs):
        raise ValueError(f"the program has {len(program.inputs)} inputs, and input_infos are {len(given)}")
    for info in given:
        if len(info) != 2:
            raise ValueError(f'an input is ("name", shape) or ("name", (shape, dtype)), not {info!r}')
        name: str = info[0]
        described: object = info[1]
        whole = described
        parts = cast("tuple[object, ...]", described) if isinstance(described, tuple) else ()
        if len(parts) == 2 and isinstance(parts[1], str):
            infos.append((name, parts[0], parts[1]))
        else:
            infos.append((name, whole, None))
    return infos


def _input_name(name: str) -> str:
    """The name of an input in the program without the number that TorchScript puts behind it."""
    head, dot, tail = name.rpartition(".")
    return head if dot and tail.isdigit() else name


def _inputs(program: Program, infos: Sequence[tuple[str, object, str | None]], default_dtype: str) -> list[Var]:
    return [
        Var(name, _input_type(value, shape, dtype, default_dtype, name))
        for value, (name, shape, dtype) in zip(program.inputs, infos, strict=True)
    ]


def _element(value: Value) -> Value:
    """What an element of a list is."""
    return value.elements[0] if value.elements else Value(value.name)


def _input_type(value: Value, shape: object, dtype: str | None, default: str, name: str) -> Type:
    if value.kind == "TupleType":
        if not isinstance(shape, tuple) or len(cast("tuple[object, ...]", shape)) != len(value.elements):
            raise ValueError(f"the input {name} is a tuple of {len(value.elements)}: its shape must be one of shapes")
        parts = zip(value.elements, cast("tuple[object, ...]", shape), strict=True)
        return TupleType(tuple(_input_type(part, of_part, dtype, default, name) for part, of_part in parts))
    if value.kind == "ListType":
        shapes = cast("list[object]", shape) if isinstance(shape, list) else []
        parts = {_input_type(_element(value), part, dtype, default, name) for part in shapes}
        if len(parts) != 1:
            raise ValueError(
                f"the input {name} is a list: the shape of the input {name} must be a list of one shape, such as "
                "[(3, 4)], since its elements are of one type"
            )
        return list_of(parts.pop())
    if not isinstance(shape, (tuple, list)):
        raise ValueError(f"the shape of the input {name} must be a tuple of numbers, not {shape!r}")
    sizes = tuple(cast("Sequence[Dim]", shape))
    declared = value.shape
    if declared is not None and (
        len(declared) != len(sizes)
        or any(isinstance(size, int) and known not in (None, size) for known, size in zip(declared, sizes, strict=True))
    ):
        raise ValueError(f"the program declares the shape {declared} of the input {name}, and {sizes} is given")
    chosen = value.dtype if value.kind == "TensorType" or value.dtype is not None else None
    if chosen is None and dtype is not None:
        try:
            chosen = dtype_of_name(dtype)
        except ConversionError as error:
            raise ValueError(f"the input {name}: {error.message}") from None
    return TensorType(sizes, chosen or default)
