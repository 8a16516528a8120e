"""A chain of LSTM cells. Source of the network: ``python/tvm/relay/testing/lstm.py``."""

from __future__ import annotations

from ..builder import ScopeBuilder, call, function, item, var
from ..expressions import Call, Expr, Function, Tuple
from ..module import IRModule
from ..types import TensorType, TupleType
from .layers import Layers, typed_module

__all__ = ["lstm"]


def lstm(
    iterations: int = 4, num_hidden: int = 16, batch_size: int = 1, dtype: str = "float32", layer_names: bool = False
) -> IRModule:
    """As many cells as iterations, each a function with its own weights and input; typed.

    Args:
        iterations: how many cells.
        num_hidden: width of the hidden state.
        batch_size: how many sequences at once.
        dtype: of everything.
        layer_names: whether every expression of a cell has the cell's name as its span.

    Raises:
        ValueError: a size is not positive.
    """
    layers = Layers(layer_names)
    state = TensorType((batch_size, num_hidden), dtype)
    states_type = TupleType((state, state))
    weight = TensorType((4 * num_hidden, num_hidden), dtype)
    bias = TensorType((4 * num_hidden,), dtype)
    scope = ScopeBuilder()
    zeros = scope.let("zeros", layers.apply("zeros", "zeros", shape=(batch_size, num_hidden), dtype=dtype), state)
    states = scope.let("init_states", Tuple((zeros, zeros)), states_type)
    out: Expr = zeros
    for index in range(iterations):
        inputs = [var("data", type_annotation=state), states]
        for side in ("i2h", "h2h"):
            inputs.append(var(f"{side}_{index}_weight", type_annotation=weight))
            inputs.append(var(f"{side}_{index}_bias", type_annotation=bias))
        cell = _cell(layers, f"lstm_{index}", state, weight, bias)
        result = scope.let(f"call_{index}", Call(cell, tuple(inputs)), TupleType((state, states_type)))
        out = scope.let(f"out_{index}", item(result, 0), state)
        states = scope.let(f"states_{index}", item(result, 1), states_type)
    return typed_module(function(scope.result(out), ret_type=state))


def _cell(layers: Layers, name: str, state: TensorType, weight: TensorType, bias: TensorType) -> Function:
    """One cell: from an input and the two states to the output and the new states."""
    states_type = TupleType((state, state))
    gates_type = TensorType((state.shape[0], weight.shape[0]), state.dtype)
    inputs = var("inputs", type_annotation=state)
    states = var("states", type_annotation=states_type)
    weights = [
        var(f"{side}_{role}", type_annotation=type)
        for side in ("i2h", "h2h")
        for role, type in (("weight", weight), ("bias", bias))
    ]
    width = weight.shape[0]
    scope = ScopeBuilder()

    def dense(side: str, data: Expr, position: int) -> Expr:
        product = call("nn.dense", data, weights[position], units=width)
        return scope.let(side, call("nn.bias_add", product, weights[position + 1], axis=-1), gates_type)

    i2h = dense("i2h", inputs, 0)
    h2h = dense("h2h", item(states, 0), 2)
    gates = scope.let("gates", call("add", i2h, h2h), gates_type)
    parts = scope.let("slice_gates", call("split", gates, indices_or_sections=4, axis=1), TupleType((state,) * 4))
    in_gate = scope.let("in_gate", call("sigmoid", item(parts, 0)), state)
    forget_gate = scope.let("forget_gate", call("sigmoid", item(parts, 1)), state)
    in_transform = scope.let("in_transform", call("tanh", item(parts, 2)), state)
    out_gate = scope.let("out_gate", call("sigmoid", item(parts, 3)), state)
    kept = call("multiply", forget_gate, item(states, 1))
    next_c = scope.let("next_c", call("add", kept, call("multiply", in_gate, in_transform)), state)
    next_h = scope.let("next_h", call("multiply", out_gate, call("tanh", next_c)), state)
    result_type = TupleType((state, states_type))
    result = scope.let("ret", Tuple((next_h, Tuple((next_h, next_c)))), result_type)
    cell = function(scope.result(result), [inputs, states, *weights], result_type)
    return layers.named(cell, name)
