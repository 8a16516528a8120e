"""Recurrent cells, step by step: what ONNX and PyTorch have as one operator.

All weights are laid out as (gates times hidden size, features). Source of the rules: ``rnn_cell``, ``gru_cell``,
``lstm_cell`` and ``unbind`` in ``python/tvm/relay/frontend/common.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr

from .diagnostics import ConversionError
from .inspection import dtype_of, shape_of, static_shape_of
from .operators import (
    Outputs,
    add,
    arange,
    broadcast_to,
    cast,
    concatenate,
    expand_dims,
    multiply,
    split,
    squeeze,
    subtract,
    zeros,
)

__all__ = ["Activation", "CellWeights", "Peepholes", "gru_cell", "lstm_cell", "rnn_cell", "sigmoid", "tanh", "unbind"]

Activation: TypeAlias = Callable[[Expr], Expr]


def sigmoid(data: Expr) -> Expr:
    """``sigmoid(data)``."""
    return call("sigmoid", data)


def tanh(data: Expr) -> Expr:
    """``tanh(data)``."""
    return call("tanh", data)


def dense(data: Expr, weight: Expr) -> Expr:
    """``data`` times the transposed ``weight``."""
    return call("nn.dense", data, weight, units=None)


def unbind(data: Expr, axis: int = 0) -> Outputs:
    """The slices of ``data`` along ``axis``, which they lack.

    Raises:
        ConversionError: the size of that dimension is not known.
    """
    size = shape_of(data)[axis]
    if not isinstance(size, int):
        raise ConversionError(f"the length of a sequence must be known, and is {size}")
    parts = split(data, size, axis)
    return Outputs.of(*(squeeze(parts[index], [axis]) for index in range(size)))


@dataclass(frozen=True, slots=True)
class CellWeights:
    """The weights of one direction: of the input, of the hidden state, and the biases where there are any."""

    input: Expr
    hidden: Expr
    input_bias: Expr | None = None
    hidden_bias: Expr | None = None


@dataclass(frozen=True, slots=True)
class Peepholes:
    """The peephole weights of an LSTM's input, forget and output gates."""

    input: Expr
    forget: Expr
    output: Expr


class _Lengths:
    """Masks of a batch whose sequences end at different steps."""

    def __init__(self, lengths: Expr, steps: Sequence[Expr], backwards: bool) -> None:
        dtype, count = dtype_of(steps[0]), len(steps)
        index_dtype = dtype_of(lengths)
        (batch,) = static_shape_of(lengths, "the sequence lengths")
        indices = expand_dims(arange(constant(0), constant(count), dtype=index_dtype), 1)
        limits = broadcast_to(lengths, [count, batch])

        def mask(comparison: str) -> Outputs:
            return unbind(expand_dims(cast(call(comparison, indices, limits), dtype), 2))

        self.running = mask("less")
        self.ended = mask("greater_equal")
        self.starting = mask("equal") if backwards else None

    @classmethod
    def of(cls, lengths: Expr | None, steps: Sequence[Expr], backwards: bool) -> _Lengths | None:
        """The masks of these steps; ``None`` where all sequences have all of them."""
        return None if lengths is None else cls(lengths, steps, backwards)


class _State:
    """A state of a cell, from step to step: it is zero behind the end of a sequence, and begins there backwards."""

    def __init__(self, initial: Expr, lengths: _Lengths | None) -> None:
        self.value = initial
        self._initial: Final = initial
        self._lengths: Final = lengths
        self.last = initial
        """What it was at the last step of each sequence."""
        if lengths is not None:
            self.last = zeros(static_shape_of(initial, "the initial state"), dtype_of(initial))

    def step(self, index: int, value: Expr) -> Expr:
        """Take over what a step makes of it; gives what that step has as its output."""
        lengths = self._lengths
        if lengths is None:
            self.value = self.last = value
            return value
        value = multiply(value, lengths.running[index])
        self.last = add(multiply(self.last, lengths.ended[index]), value)
        self.value = value
        if lengths.starting is not None:
            self.value = add(value, multiply(self._initial, lengths.starting[index]))
        return value


def rnn_cell(
    steps: Sequence[Expr],
    hidden: Expr,
    weights: CellWeights,
    *,
    backwards: bool = False,
    activation: Activation = tanh,
    sequence_lengths: Expr | None = None,
) -> tuple[list[Expr], Expr]:
    """The hidden state after each step, in the order of the computation, and the last one."""
    state = _State(hidden, _Lengths.of(sequence_lengths, steps, backwards))
    outputs: list[Expr] = []
    for index in _order(steps, backwards):
        from_input = dense(steps[index], weights.input)
        from_hidden = dense(state.value, weights.hidden)
        if weights.input_bias is not None and weights.hidden_bias is not None:
            from_input = add(from_input, weights.input_bias)
            from_hidden = add(from_hidden, weights.hidden_bias)
        outputs.append(state.step(index, activation(add(from_input, from_hidden))))
    return outputs, state.last


def _order(steps: Sequence[Expr], backwards: bool) -> Iterable[int]:
    return reversed(range(len(steps))) if backwards else range(len(steps))


def gru_cell(
    steps: Sequence[Expr],
    hidden: Expr,
    weights: CellWeights,
    *,
    gate_activation: Activation = sigmoid,
    new_activation: Activation = tanh,
    backwards: bool = False,
    linear_before_reset: bool = True,
    sequence_lengths: Expr | None = None,
) -> tuple[list[Expr], Expr]:
    """The hidden state after each step, in the order of the computation, and the last one.

    The gates stand in the weights in the order reset, update, new.
    """
    state = _State(hidden, _Lengths.of(sequence_lengths, steps, backwards))
    gates = _gru_gates_linear if linear_before_reset else _gru_gates
    outputs: list[Expr] = []
    for index in _order(steps, backwards):
        update_gate, new_gate = gates(steps[index], state.value, weights, gate_activation, new_activation)
        outputs.append(state.step(index, add(multiply(subtract(state.value, new_gate), update_gate), new_gate)))
    return outputs, state.last


def _gru_gates_linear(
    step: Expr, hidden: Expr, weights: CellWeights, gate: Activation, new: Activation
) -> tuple[Expr, Expr]:
    from_input, from_hidden = dense(step, weights.input), dense(hidden, weights.hidden)
    if weights.input_bias is not None and weights.hidden_bias is not None:
        from_input, from_hidden = add(from_input, weights.input_bias), add(from_hidden, weights.hidden_bias)
    input_reset, input_update, input_new = split(from_input, 3, -1)
    hidden_reset, hidden_update, hidden_new = split(from_hidden, 3, -1)
    reset_gate = gate(add(input_reset, hidden_reset))
    update_gate = gate(add(input_update, hidden_update))
    return update_gate, new(add(input_new, multiply(reset_gate, hidden_new)))


def _gru_gates(step: Expr, hidden: Expr, weights: CellWeights, gate: Activation, new: Activation) -> tuple[Expr, Expr]:
    input_reset, input_update, input_new = split(dense(step, weights.input), 3, 1)
    weight_reset, weight_update, weight_new = split(weights.hidden, 3, 0)
    reset_gate = add(input_reset, dense(hidden, weight_reset))
    update_gate = add(input_update, dense(hidden, weight_update))
    if weights.input_bias is not None and weights.hidden_bias is not None:
        bias_reset, bias_update, bias_new = split(weights.input_bias, 3, -1)
        hidden_bias_reset, hidden_bias_update, hidden_bias_new = split(weights.hidden_bias, 3, -1)
        reset_gate = gate(add(reset_gate, add(bias_reset, hidden_bias_reset)))
        update_gate = add(update_gate, add(bias_update, hidden_bias_update))
        input_new = add(input_new, bias_new)
        hidden_new = add(dense(multiply(reset_gate, hidden), weight_new), hidden_bias_new)
    else:
        reset_gate = gate(reset_gate)
        hidden_new = dense(multiply(reset_gate, hidden), weight_new)
    return gate(update_gate), new(add(input_new, hidden_new))


def lstm_cell(
    steps: Sequence[Expr],
    hidden: Expr,
    cell: Expr,
    weights: CellWeights,
    *,
    projection: Expr | None = None,
    peepholes: Peepholes | None = None,
    gate_activation: Activation = sigmoid,
    cell_activation: Activation = tanh,
    hidden_activation: Activation = tanh,
    backwards: bool = False,
    sequence_lengths: Expr | None = None,
) -> tuple[list[Expr], Expr, Expr]:
    """The hidden state after each step, in the order of the computation, the last one, and the last cell state.

    The gates stand in the weights in the order input, forget, cell, output.
    """
    lengths = _Lengths.of(sequence_lengths, steps, backwards)
    hidden_state, cell_state = _State(hidden, lengths), _State(cell, lengths)
    outputs: list[Expr] = []
    for index in _order(steps, backwards):
        cell = cell_state.value
        joined = concatenate([steps[index], hidden_state.value], 1)
        gates = dense(joined, concatenate([weights.input, weights.hidden], 1))
        if weights.input_bias is not None:
            gates = add(gates, weights.input_bias)
        if weights.hidden_bias is not None:
            gates = add(gates, weights.hidden_bias)
        input_gate, forget_gate, cell_gate, output_gate = split(gates, 4, -1)
        if peepholes is not None:
            input_gate = add(input_gate, multiply(peepholes.input, cell))
            forget_gate = add(forget_gate, multiply(peepholes.forget, cell))
        input_gate, forget_gate = gate_activation(input_gate), gate_activation(forget_gate)
        cell_gate = cell_activation(cell_gate)
        cell = add(multiply(forget_gate, cell), multiply(input_gate, cell_gate))
        if peepholes is not None:
            output_gate = add(output_gate, multiply(peepholes.output, cell))
        hidden = multiply(gate_activation(output_gate), hidden_activation(cell))
        if projection is not None:
            hidden = dense(hidden, projection)
        cell_state.step(index, cell)
        outputs.append(hidden_state.step(index, hidden))
    return outputs, hidden_state.last, cell_state.last
