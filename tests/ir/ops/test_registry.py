"""The declarations against TVM's registry, as ``ops.json`` of the conformance records lists it."""

from __future__ import annotations

from functools import cache
from typing import Any

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.ops import Op, OpPattern
from tests.conformance import records

PARAMETERS_IN_ORDER_OF_THE_CALL = (
    "qnn.conv2d",
    "qnn.conv2d_transpose",
    "qnn.dense",
    "qnn.contrib_dense_pack",
    "qnn.batch_matmul",
)
"""TVM's registry names their scales and zero points in another order than the calls; ours follows the calls."""


@cache
def registry() -> dict[str, dict[str, Any]]:
    return dict(records.operators())


def declared() -> dict[str, Op]:
    return {name: ops.get(name) for name in registry() if ops.find(name) is not None}


def type_key(attrs: type[Attrs] | None) -> str:
    return "" if attrs is None else attrs.type_key


def test_every_operator_is_declared() -> None:
    assert sorted(registry().keys() - ops.registered().keys()) == []


def test_nothing_else_is_declared() -> None:
    assert sorted(ops.registered().keys() - registry().keys()) == []


def test_support_levels_are_those_of_the_registry() -> None:
    ours = {name: op.support_level for name, op in declared().items()}
    assert ours == {name: registry()[name]["support_level"] for name in ours}


def test_stateful_operators_are_those_of_the_registry() -> None:
    ours = {name: op.stateful for name, op in declared().items()}
    assert ours == {name: bool(registry()[name].get("TOpIsStateful")) for name in ours}


def test_fusion_patterns_are_those_of_the_registry() -> None:
    ours = {name: op.pattern.name for name, op in declared().items()}
    assert ours == {name: registry()[name].get("TOpPattern") or OpPattern.OPAQUE.name for name in ours}


def test_operators_without_a_fusion_pattern_are_those_of_the_registry() -> None:
    ours = {name: op.without_pattern for name, op in declared().items()}
    assert ours == {name: registry()[name].get("TOpPattern") is None for name in ours}


def test_layouts_are_inferred_where_the_registry_infers_them() -> None:
    ours = {name: op.infer_layout is not None for name, op in declared().items()}
    assert ours == {name: "FInferCorrectLayout" in registry()[name]["has"] for name in ours}


def test_non_computational_operators_are_those_of_the_registry() -> None:
    ours = {name: op.non_computational for name, op in declared().items()}
    assert ours == {name: bool(registry()[name].get("TNonComputational")) for name in ours}


def test_reshaping_operators_are_those_of_the_registry() -> None:
    ours = {name: op.reshapes_only for name, op in declared().items()}
    assert ours == {name: bool(registry()[name].get("TReshapeOp")) for name in ours}


def test_arguments_are_those_of_the_registry() -> None:
    def in_order(name: str, arguments: list[str]) -> list[str]:
        return sorted(arguments) if name in PARAMETERS_IN_ORDER_OF_THE_CALL else arguments

    ours = {name: in_order(name, [argument.name for argument in op.arguments]) for name, op in declared().items()}
    theirs = {name: [argument["name"] for argument in registry()[name]["arguments"]] for name in ours}
    assert ours == {
        name: in_order(name, arguments[: max(registry()[name]["num_inputs"], 0)]) for name, arguments in theirs.items()
    }


def test_attributes_are_those_of_the_registry() -> None:
    ours = {
        name: (type_key(op.attrs_type), [] if op.attrs_type is None else list(op.attrs_type.fields()))
        for name, op in declared().items()
    }
    assert ours == {
        name: (registry()[name]["attrs_type"], [field["name"] for field in registry()[name].get("attrs", [])])
        for name in ours
    }


def test_required_attributes_are_those_without_a_default() -> None:
    ours = {
        name: [field.name for field in op.attrs_type.fields().values() if field.required]
        for name, op in declared().items()
        if op.attrs_type is not None
    }
    assert ours == {
        name: [field["name"] for field in registry()[name].get("attrs", []) if field.get("default") is None]
        for name in ours
    }
