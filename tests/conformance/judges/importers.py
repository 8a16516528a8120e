"""Judges of importers: a model of another framework gives TVM's module, each expression with its layer's name."""

from __future__ import annotations

import base64
import importlib
import importlib.util
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from relay_lsp import ir
from relay_lsp.frontends.model_text import with_readable_names
from relay_lsp.passes import PassContext

from ..records import Record
from .comparison import difference, inferred, module_difference, typed_module, without_metadata
from .evaluation import array_difference

_SPAN = re.compile(r"\bspan=(.*?) \*/")
_DECLARED = re.compile(r"%([^\s(),=]+): ")


PACKAGES = {"onnx": "onnx", "torch": "torch"}
"""The package without which the records of a kind cannot be judged; some are not in the project's environment."""


def missing_package(kind: str) -> str | None:
    """The package that judging a kind takes and that is not installed, if there is one."""
    package = PACKAGES.get(kind)
    return package if package and importlib.util.find_spec(package) is None else None


def onnx(record: Record) -> str | None:
    """``from_onnx`` gives the recorded module and spans."""
    return _imported(
        record,
        "from_onnx",
        base64.b64decode(record["model"]),
        shape=_shapes(record["shape"]),
        dtype=record["dtype"],
        opset=record["opset"],
        freeze_params=record["freeze_params"],
    )


def tflite(record: Record) -> str | None:
    """``from_tflite`` gives the recorded module, spans and parameters."""
    model = base64.b64decode(record["model"])
    return _imported(record, "from_tflite", model, shape_dict=_shapes(record["shape"]), dtype_dict=record["dtype"])


def torch(record: Record) -> str | None:
    """``from_pytorch`` with TVM's source names gives the recorded module, spans, parameters and outputs."""
    if "outputs" in record:
        infos = [(f"input{index}", np.shape(value)) for index, value in enumerate(record["inputs"])]
    else:
        infos = [(name, (tuple(shape), dtype) if dtype else tuple(shape)) for name, shape, dtype in record["inputs"]]
    return _imported(
        record,
        "from_pytorch",
        base64.b64decode(record["torchscript"]),
        input_infos=infos,
        default_dtype=record.get("default_dtype", "float32"),
        source_names="tvm",
        use_parser_friendly_name="outputs" in record,
    )


def _shapes(recorded: Any) -> Any:
    """A record's shapes by input, as tuples."""
    return recorded and {name: tuple(shape) for name, shape in recorded.items()}


def _imported(record: Record, name: str, model: bytes, **options: object) -> str | None:
    importer = find_importer(name)
    if importer is None:
        return f"not built: relay_lsp.frontends.{name}"
    # TVM's tests import each model twice, the second time without spans.
    with PassContext(config={"relay.frontend.fill_span": bool(_SPAN.search(record["module"]))}):
        module, params = importer(model, **options)
    expected, problem = typed_module(_readable(record), "the recorded module")
    if expected is None:
        return problem
    actual, problem = inferred(module, "the imported module")
    if actual is None:
        return problem
    return (
        (module_difference(expected, actual) and _difference_of_texts(expected, module))
        or difference(_spans(record["module"]), _spans(ir.to_text(actual)))
        or _params_difference(record, params)
        or _output_difference(record, actual, params)
    )


def find_importer(name: str) -> Callable[..., tuple[ir.IRModule, Mapping[str, Any]]] | None:
    """The importer of this name; ``None`` where it is not built."""
    try:
        return getattr(importlib.import_module("relay_lsp.frontends"), name, None)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("relay_lsp."):
            return None
        raise


def _readable(record: Record) -> str:
    """The recorded module with names of variables that Relay's grammar has: TVM prints them as they are."""
    text = record["module"]
    declared = {*_DECLARED.findall(text), *record.get("params", ()), *(record.get("shape") or ())}
    for name in sorted(filter(re.compile(r"\W").search, declared), key=len, reverse=True):
        text = re.sub(rf"%{re.escape(name)}(?!\w)", f"%{re.sub(r'[^0-9A-Za-z_]', '_', name)}", text)
    return text


def _difference_of_texts(expected: ir.IRModule, module: ir.IRModule) -> str | None:
    """Where the module differs from the recorded one once it has been a text too, which rounds its numbers."""
    text = ir.to_text(with_readable_names(module, {})[0], show_meta_data=True)
    actual, problem = typed_module(text, "the text of the imported module")
    return problem if actual is None else module_difference(expected, actual)


def _spans(text: str) -> str:
    """The spans of a printed module in the order of their expressions, a line each."""
    return "\n".join(_SPAN.findall(without_metadata(text)))


def _params_difference(record: Record, params: Mapping[str, Any]) -> str | None:
    if "params" not in record:
        return None
    actual = {name: [list(value.shape), str(value.dtype)] for name, value in params.items()}
    if actual == record["params"]:
        return None
    return f"the parameters are {actual}, expected {record['params']}"


def _output_difference(record: Record, module: ir.IRModule, params: Mapping[str, Any]) -> str | None:
    if "outputs" not in record:
        return None
    inputs = {f"input{index}": np.array(value, "float32") for index, value in enumerate(record["inputs"])}
    arrays = {**params, **inputs}
    result = ir.evaluate(module, *(arrays[var.name_hint] for var in module["main"].params))
    outputs = result if isinstance(result, tuple) else (result,)
    if len(outputs) != len(record["outputs"]):
        return f"{len(outputs)} outputs, expected {len(record['outputs'])}"
    for index, (expected, output) in enumerate(zip(record["outputs"], outputs, strict=True)):
        actual = np.asarray(output)
        problem = array_difference(np.array(expected, actual.dtype), actual, f"output {index}")
        if problem:
            return problem
    return None
