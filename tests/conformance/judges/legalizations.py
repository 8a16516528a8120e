"""The rules that TVM's tests of ``Legalize`` register for the time of the test.

Source: ``tests/python/relay/test_pass_legalize.py``, ``test_pass_qnn_legalize.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from relay_lsp import ir
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes.legalization import OperatorCall, TargetRule, register_legalization
from relay_lsp.passes.targets import Target, TargetKind, register_target_kind

__all__ = ["legalizing_target"]


def _doubled(call: OperatorCall, target: Target) -> ir.Expr:
    data, weight = call.args
    return ir.Call(call.place.op, (data, apply("multiply", weight, ir.Constant(np.array(2, "float32")))), call.attrs)


def _added_to_nothing(call: OperatorCall, target: Target) -> ir.Expr:
    data = apply("add", ir.Constant(np.array(0, "int8")), call.args[0])
    return ir.Call(call.place.op, (data, *call.args[1:]), call.attrs)


_RULES: Final[Mapping[str, tuple[str, str, TargetRule]]] = {
    "test_pass_legalize.py::test_legalize": ("FTVMLegalize", "nn.conv2d", _doubled),
    "test_pass_qnn_legalize.py::test_qnn_legalize": ("FTVMQnnLegalize", "qnn.requantize", _added_to_nothing),
}


def legalizing_target(origin: str) -> Target | None:
    """A target with the rules of the test that ``origin`` names, if it registers any."""
    if origin not in _RULES:
        return None
    attribute, operator, rule = _RULES[origin]
    name = origin.rpartition("::")[2].replace("_", "-")
    register_target_kind(TargetKind(name, 1, (name,)))
    register_legalization(attribute, operator, name, rule)
    return Target.parse(name)
