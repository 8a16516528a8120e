"""Small ONNX models, and whether the module that is made of one computes what a runtime of ONNX does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, ValueInfoProto, helper, numpy_helper

from relay_lsp import ir
from relay_lsp.frontends.imported import ImportedModel
from relay_lsp.frontends.onnx import read_onnx
from relay_lsp.frontends.verification import largest_difference
from relay_lsp.ir.diagnostics import Severity

DEFAULT_OPSET = 17


def model(
    nodes: Sequence[NodeProto],
    inputs: Mapping[str, Any],
    outputs: Sequence[str] = ("y",),
    constants: Mapping[str, Any] | None = None,
    opset: int = DEFAULT_OPSET,
) -> onnx.ModelProto:
    """A model of nodes.

    An input is an array, or a dtype with a shape (a dimension that is a text is symbolic).
    """
    infos = []
    for name, value in inputs.items():
        dtype, shape = (value.dtype.name, value.shape) if isinstance(value, np.ndarray) else value
        elem_type = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        infos.append(helper.make_tensor_value_info(name, elem_type, shape))
    graph = helper.make_graph(
        list(nodes),
        "graph",
        infos,
        [ValueInfoProto(name=name) for name in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in (constants or {}).items()],
    )
    domains = ["", *sorted({node.domain for node in nodes if node.domain})]
    imports = [helper.make_opsetid(domain, opset if not domain else 1) for domain in domains]
    made = helper.make_model(graph, opset_imports=imports)
    made.ir_version = 8
    return made


def node(
    operator: str, /, inputs: Sequence[str] | str = "x", outputs: Sequence[str] | str = "y", **attributes: Any
) -> Any:
    """A node; names of inputs and outputs are separated by spaces, ``_`` stands for none."""
    return helper.make_node(
        operator,
        [name if name != "_" else "" for name in (inputs.split() if isinstance(inputs, str) else inputs)],
        outputs.split() if isinstance(outputs, str) else outputs,
        **attributes,
    )


def imported(proto: onnx.ModelProto, **options: Any) -> ImportedModel:
    """The imported model, of which all must have been converted."""
    made = read_onnx(proto.SerializeToString(), **options)
    assert [str(diagnostic) for diagnostic in made.diagnostics if diagnostic.severity is Severity.ERROR] == []
    return made


def evaluated(made: ImportedModel, inputs: Mapping[str, Any]) -> list[Any]:
    """The outputs of the module."""
    arguments = [
        inputs[var.name_hint] if var.name_hint in inputs else made.params[var.name_hint]
        for var in made.module["main"].params
    ]
    return flat(ir.evaluate(made.module, *arguments))


def flat(value: Any) -> list[Any]:
    """The arrays in nested tuples and lists."""
    if isinstance(value, (tuple, list)):
        return [array for part in value for array in flat(part)]
    return [np.asarray(value)]


def assert_agree(actual: Sequence[Any], expected: Sequence[Any], tolerance: float = 1.0) -> None:
    """The outputs agree: floating-point ones within rounding, integers within ``tolerance`` steps."""
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        assert largest_difference(ours, theirs) <= tolerance


def main_text(made: ImportedModel) -> str:
    """The text of ``@main``, with types and spans."""
    text = ir.to_text(ir.infer_types(made.module).module, show_meta_data=False)
    return text.partition("\n")[2].partition("#[metadata]")[0]
