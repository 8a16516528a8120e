"""Which values leave their layer, in every model of the records, before fusion and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from relay_lsp.ir import parse
from relay_lsp.ir.expressions import Call, Expr, Function, Tuple, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.visitor import children, post_order
from relay_lsp.passes import PassError, Sequential, Trace, create
from relay_lsp.passes.layers.outputs import layer_outputs
from tests.conformance import records

CALLS_OF_A_LAYER = 3
MODELS = sorted({record["before"] for record in records.load("models", records.SAMPLE)})
PIPELINES = [("FuseOps",), ("ToANormalForm",), ("FuseOps", "ToANormalForm"), ("ToBasicBlockNormalForm",)]
Layers = Mapping[Expr, frozenset[str]]


def operator_calls(module: IRModule) -> list[Call]:
    exprs = post_order(*module.functions.values())
    return [expr for expr in exprs if isinstance(expr, Call) and isinstance(expr.op, Op)]


def name_of(call: Call) -> str:
    assert isinstance(call.op, Op)
    return call.op.name


def layers_of_calls(module: IRModule) -> Layers:
    """Three calls that follow one another are a layer."""
    calls = operator_calls(module)
    return {call: frozenset([f"layer.{number // CALLS_OF_A_LAYER}"]) for number, call in enumerate(calls)}


def outputs(module: IRModule, layers: Layers) -> Counter[tuple[str, str]]:
    """How often a call of an operator is the output of a layer."""
    leaving = layer_outputs(module, layers)
    return Counter((name_of(call), layer) for call in operator_calls(module) for layer in leaving.get(call, ()))


def used_elsewhere(module: IRModule, layers: Layers) -> Counter[tuple[str, str]]:
    """The same by the definition alone, where functions are not called."""
    users: dict[Expr, set[frozenset[str]]] = {}
    for expr in reversed(post_order(*module.functions.values())):
        by = {frozenset[str]()} if isinstance(expr, Function) else {layers[expr]} if expr in layers else users.get(expr)
        for part in [expr.body] if isinstance(expr, Function) else children(expr):
            users.setdefault(part, set()).update(by or ())
    return Counter(
        (name_of(call), layer)
        for call in operator_calls(module)
        for layer in layers[call]
        if any(layer not in user for user in users.get(call, ()))
    )


def is_plain(module: IRModule) -> bool:
    """Whether a module consists of functions of operators, tuples and projections alone."""
    functions = list(module.functions.values())
    return all(
        isinstance(expr, (Tuple, TupleGetItem))
        or not children(expr)
        or expr in functions
        or (isinstance(expr, Call) and isinstance(expr.op, Op))
        for expr in post_order(*functions)
    )


def test_what_leaves_a_layer_is_what_others_use():
    plain = [module for text in MODELS if is_plain(module := create("InferType")(parse(text).module))]
    assert len(plain) >= 5
    for module in plain:
        layers = layers_of_calls(module)
        assert outputs(module, layers) == used_elsewhere(module, layers) != Counter()


@pytest.mark.parametrize("names", PIPELINES, ids=", ".join)
@pytest.mark.parametrize("number", range(len(MODELS)))
def test_no_pass_changes_what_leaves_a_layer_of_a_recorded_model(number: int, names: tuple[str, ...]):
    """Passes that move values into functions, names and functions of the module."""
    before = create("InferType")(parse(MODELS[number]).module)
    layers = layers_of_calls(before)
    try:
        with Trace() as trace:
            after = Sequential([create(name) for name in names])(before)
    except PassError:
        pytest.skip("a pass does not take this model")
    calls = operator_calls(after)
    carried: Layers = {
        call: frozenset(name for origin in trace.origins(call) for name in layers.get(origin, ())) for call in calls
    }
    assert outputs(after, carried) == outputs(before, layers)
