"""Recurrent layers, unfolded step by step: ``rnn_tanh``, ``rnn_relu``, ``gru``, ``lstm``, in one or two directions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...inspection import dtype_of, shape_of, static_shape_of
from ...operators import concatenate, stack, transpose, zeros
from ...recurrent import CellWeights, gru_cell, lstm_cell, rnn_cell, tanh, unbind
from ..node import TorchNode, converter


class _Stack:
    """The inputs of a recurrent operator: layers of one or two directions, each with its weights."""

    def __init__(self, node: TorchNode, gates: int, has_projection: bool = False) -> None:
        node.require(len(node) == 9, f"{node.operator} of packed sequences has no form in Relay")
        self.node = node
        has_biases, self.layers, dropout = node.flag(3), node.integer(4), node.number(5, 0.0)
        node.require(dropout == 0 or self.layers == 1 or not node.flag(6), "dropout between the layers of training", 5)
        self.directions = 2 if node.flag(7) else 1
        self.batch_first = node.flag(8)
        weights = node.tensors(2)
        cells = self.layers * self.directions
        if cells < 1 or len(weights) % cells:
            raise ConversionError(
                f"{len(weights)} weights cannot be shared by {cells} layers and directions", input="2"
            )
        count = len(weights) // cells
        base = 4 if has_biases else 2
        if count != base and not (has_projection and count == base + 1):
            raise ConversionError(f"each layer and direction has {base} weights, not {count}", input="2")
        self.weights: list[CellWeights] = []
        self.projections: list[Expr | None] = []
        for cell in range(cells):
            own = weights[cell * count : (cell + 1) * count]
            self.weights.append(CellWeights(*own[:base]))
            self.projections.append(own[base] if count > base else None)
        self.data = node.tensor()
        if self.batch_first:
            self.data = transpose(self.data, [1, 0, 2])
        shape = shape_of(self.data)
        if len(shape) != 3:
            raise ConversionError("a batch of sequences is expected, of three dimensions", input="0")
        self.batch = shape[1]
        self.hidden_size = static_shape_of(weights[0], "the weights")[0] // gates
        self.steps: Sequence[Expr] = list(unbind(self.data, 0))

    def states(self, given: Expr | None, size: int) -> list[Expr]:
        """The state of each layer and direction, zeros where none is given."""
        cells = self.layers * self.directions
        if given is None:
            self.node.require(isinstance(self.batch, int), "the size of the batch must be known", 0)
            return [zeros([self.batch, size], dtype_of(self.data))] * cells
        return list(unbind(given, 0))

    def joined(self, forward: Sequence[Expr], backward: Sequence[Expr]) -> list[Expr]:
        """The outputs of both directions, step by step."""
        return [concatenate([one, other], -1) for one, other in zip(forward, reversed(backward), strict=True)]

    def output(self, steps: Sequence[Expr]) -> Expr:
        """The outputs of all steps in one tensor."""
        result = stack(steps, 0)
        return transpose(result, [1, 0, 2]) if self.batch_first else result


class _Cell(Protocol):
    """The steps of one direction: the states after each step in the order of the computation, and the last one."""

    def __call__(
        self, steps: Sequence[Expr], hidden: Expr, weights: CellWeights, /, *, backwards: bool
    ) -> tuple[list[Expr], Expr]:
        """Unfold the steps from the state ``hidden`` on."""
        ...


def _layers(node: TorchNode, gates: int, cell: _Cell) -> tuple[Expr, Expr]:
    """The outputs of all steps, and the last states, of layers that keep one state each."""
    layers = _Stack(node, gates)
    states = layers.states(node.optional(1), layers.hidden_size)
    steps = layers.steps
    finals: list[Expr] = []
    for layer in range(layers.layers):
        outputs: list[list[Expr]] = []
        last: list[Expr] = []
        for direction in range(layers.directions):
            index = layer * layers.directions + direction
            result, final = cell(steps, states[index], layers.weights[index], backwards=direction == 1)
            outputs.append(result)
            last.append(final)
        steps = layers.joined(*outputs) if layers.directions == 2 else outputs[0]
        finals.append(stack(last, 0) if layers.directions == 2 else last[0])
    return layers.output(steps), concatenate(finals, 0) if layers.directions == 2 else stack(finals, 0)


@converter("aten::rnn_tanh")
def rnn_tanh(node: TorchNode) -> tuple[Expr, Expr]:
    """Each step of the network by ``nn.dense`` and ``tanh``."""
    return _layers(node, 1, partial(rnn_cell, activation=tanh))


@converter("aten::rnn_relu")
def rnn_relu(node: TorchNode) -> tuple[Expr, Expr]:
    """Each step of the network by ``nn.dense`` and ``nn.relu``."""
    return _layers(node, 1, partial(rnn_cell, activation=_relu))


@converter("aten::gru")
def gru(node: TorchNode) -> tuple[Expr, Expr]:
    """Each step of the network by ``nn.dense``, ``sigmoid`` and ``tanh``."""
    # TVM stacks the pairs of two directions, which gives them a dimension too many.
    return _layers(node, 3, gru_cell)


def _cell_weights(node: TorchNode) -> CellWeights:
    return CellWeights(node.tensor(2), node.tensor(3), node.optional(4), node.optional(5))


@converter("aten::lstm_cell")
def one_lstm_step(node: TorchNode) -> tuple[Expr, Expr]:
    """One step by ``nn.dense``, ``sigmoid`` and ``tanh``."""
    hidden, cell = node.tensors(1)
    _, hidden, cell = lstm_cell([node.tensor()], hidden, cell, _cell_weights(node))
    return hidden, cell


@converter("aten::gru_cell")
def one_gru_step(node: TorchNode) -> Expr:
    """One step by ``nn.dense``, ``sigmoid`` and ``tanh``."""
    return gru_cell([node.tensor()], node.tensor(1), _cell_weights(node))[1]


@converter("aten::rnn_tanh_cell", "aten::rnn_relu_cell")
def one_rnn_step(node: TorchNode) -> Expr:
    """One step by ``nn.dense`` and ``tanh`` or ``nn.relu``."""
    activation = tanh if "tanh" in node.operator else _relu
    return rnn_cell([node.tensor()], node.tensor(1), _cell_weights(node), activation=activation)[1]


def _relu(data: Expr) -> Expr:
    return call("nn.relu", data)


@converter("aten::lstm")
def lstm(node: TorchNode) -> tuple[Expr, Expr, Expr]:
    """Each step of the network by ``nn.dense``, ``sigmoid`` and ``tanh``; with projections where there are."""
    layers = _Stack(node, 4, has_projection=True)
    given = node.tensors(1)
    node.require(len(given) == 2, "an LSTM starts with a hidden state and a cell state", 1)
    hidden = layers.states(given[0], layers.hidden_size)
    cells = layers.states(given[1], layers.hidden_size)
    steps = layers.steps
    last_hidden: list[Expr] = []
    last_cells: list[Expr] = []
    for layer in range(layers.layers):
        outputs: list[list[Expr]] = []
        for direction in range(layers.directions):
            index = layer * layers.directions + direction
            result, final, final_cell = lstm_cell(
                steps,
                hidden[index],
                cells[index],
                layers.weights[index],
                projection=layers.projections[index],
                backwards=direction == 1,
            )
            outputs.append(result)
            last_hidden.append(final)
            last_cells.append(final_cell)
        steps = layers.joined(*outputs) if layers.directions == 2 else outputs[0]
    return layers.output(steps), stack(last_hidden, 0), stack(last_cells, 0)
