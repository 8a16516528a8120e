"""Recurrent layers: ``RNN``, ``GRU``, ``LSTM``, in one or two directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relay_lsp.ir.builder import call
from relay_lsp.ir.expressions import Expr, Tuple

from ...diagnostics import ConversionError
from ...inspection import dtype_of, static_shape_of
from ...operators import Outputs, concatenate, expand_dims, split, squeeze, stack, transpose, zeros
from ...recurrent import Activation, CellWeights, Peepholes, gru_cell, lstm_cell, rnn_cell, sigmoid, tanh, unbind
from ..node import AttributeValue, OnnxNode, converter, converters

_DIRECTIONS = {"forward": 1, "reverse": 1, "bidirectional": 2}
_WITH_ALPHA = ("Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu")
_WITH_BETA = ("Affine", "ScaledTanh", "HardSigmoid")


def _activations(node: OnnxNode, each: Sequence[Activation], directions: int) -> list[Activation]:
    """The activations of all directions, the usual ones where the node names none."""
    names = node.strings("activations")
    if names is None:
        return list(each) * directions
    if len(names) != len(each) * directions:
        raise node.invalid("activations", f"there must be {len(each) * directions} activations, not {len(names)}")
    alphas, betas = list(node.floats("activation_alpha") or ()), list(node.floats("activation_beta") or ())
    chosen: list[Activation] = []
    for name in names:
        attributes: dict[str, AttributeValue] = {}
        if name in _WITH_ALPHA and alphas:
            attributes["alpha"] = alphas.pop(0)
        if name in _WITH_BETA and betas:
            attributes["beta"] = betas.pop(0)
        chosen.append(_activation(node, name, attributes))
    return chosen


def _activation(node: OnnxNode, name: str, attributes: dict[str, AttributeValue]) -> Activation:
    converter = converters.find(name, 1)
    if converter is None:
        raise node.invalid("activations", f"there is no activation {name}")

    def apply(data: Expr) -> Expr:
        result = converter.convert(OnnxNode(node.scope, node.name, name, [data], attributes, [""], 1))
        assert isinstance(result, Expr)
        return result

    return apply


class _Layer:
    """The inputs of a recurrent layer, taken apart by direction."""

    def __init__(self, node: OnnxNode) -> None:
        self.node = node
        self.batch_first = node.int("layout", 0) == 1
        self.directions = static_shape_of(node.input(1), "the weights")[0]
        if self.directions not in (1, 2):
            raise ConversionError(f"there must be one or two directions, not {self.directions}", input="1")
        direction = node.string("direction", "forward")
        hidden_size = static_shape_of(node.input(2), "the recurrent weights")[-1]
        self._is_reverse = direction == "reverse"
        self._check_attributes(direction, hidden_size)
        data = node.input(0)
        if self.batch_first:
            data = transpose(data, [1, 0, 2])
        hidden = node[5]
        if hidden is None:
            batch = static_shape_of(data, "the input")[1]
            hidden = zeros([self.directions, batch, hidden_size], dtype_of(node.input(1)))
        else:
            hidden = self.states_first(hidden)
        self.steps = unbind(data, 0)
        self.hidden = split(hidden, self.directions)
        self._weights = split(node.input(1), self.directions)
        self._recurrences = split(node.input(2), self.directions)
        self._biases = None if node[3] is None else split(node.input(3), self.directions)

    def _check_attributes(self, direction: str, hidden_size: int) -> None:
        """Refuse what the numbers of the layer would silently go without, or what its weights contradict.

        Raises:
            ConversionError: the attributes clip or couple gates, or do not agree with the weights.
        """
        node = self.node
        if node.float("clip", 0.0) > 0:
            raise node.invalid("clip", "gates that are clipped are not converted")
        if node.int("input_forget", 0):
            raise node.invalid("input_forget", "an input gate that is coupled with the forget gate is not converted")
        if direction not in _DIRECTIONS:
            raise node.invalid("direction", f"direction must be one of {', '.join(_DIRECTIONS)}, not {direction}")
        if self.directions != _DIRECTIONS[direction]:
            raise node.invalid(
                "direction", f"{direction} goes with {_DIRECTIONS[direction]} sets of weights, not {self.directions}"
            )
        stated = node.int("hidden_size", hidden_size)
        if stated != hidden_size:
            raise node.invalid("hidden_size", f"hidden_size is {stated}, but the weights have {hidden_size}")

    def is_backwards(self, direction: int) -> bool:
        """Whether a direction goes from the end to the start; TVM knows this of the second one alone."""
        return direction == 1 or self._is_reverse

    def states_first(self, states: Expr) -> Expr:
        """States with their directions first."""
        return transpose(states, [1, 0, 2]) if self.batch_first else states

    def weights(self, direction: int, arrange: Callable[[Expr], Expr]) -> CellWeights:
        """The weights of one direction, their gates put in the cell's order by ``arrange``."""
        inputs = arrange(squeeze(self._weights[direction], [0]))
        hidden = arrange(squeeze(self._recurrences[direction], [0]))
        if self._biases is None:
            return CellWeights(inputs, hidden)
        of_input, of_hidden = split(self._biases[direction], 2, -1)
        return CellWeights(inputs, hidden, arrange(squeeze(of_input, [0])), arrange(squeeze(of_hidden, [0])))

    def results(self, outputs: Sequence[Sequence[Expr]], *states: Sequence[Expr]) -> Outputs:
        """The outputs of all steps, and the last states, of all directions."""
        if self.directions == 2:
            forward, backward = outputs
            steps = [stack([one, other], 0) for one, other in zip(forward, reversed(backward), strict=True)]
            fields = [stack(steps, 0), *(stack(state, 0) for state in states)]
        else:
            steps = list(reversed(outputs[0])) if self._is_reverse else outputs[0]
            fields = [expand_dims(stack(steps, 0), 1), *(expand_dims(state[0], 0) for state in states)]
        if self.batch_first:
            fields = [
                transpose(fields[0], [2, 0, 1, 3]),
                *(transpose(field, [1, 0, 2]) for field in fields[1:]),
            ]
        return Outputs.of(*fields)


def _same(gates: Expr) -> Expr:
    return gates


@converter("RNN", since=7)
def rnn(node: OnnxNode) -> Outputs:
    """The steps of a plain recurrent layer."""
    layer = _Layer(node)
    activations = _activations(node, [tanh], layer.directions)
    outputs: list[list[Expr]] = []
    last: list[Expr] = []
    for direction in range(layer.directions):
        hidden = squeeze(layer.hidden[direction], [0])
        weights = layer.weights(direction, _same)
        steps, state = rnn_cell(
            list(layer.steps),
            hidden,
            weights,
            backwards=layer.is_backwards(direction),
            activation=activations[direction],
            sequence_lengths=node[4],
        )
        outputs.append(steps)
        last.append(state)
    return layer.results(outputs, last)


def _reset_first(gates: Expr) -> Expr:
    """Gates from ONNX's order update, reset, new to the cell's."""
    update, reset, new = split(gates, 3)
    return concatenate([reset, update, new], 0)


@converter("GRU", since=7)
def gru(node: OnnxNode) -> Outputs:
    """The steps of a gated recurrent layer."""
    layer = _Layer(node)
    activations = _activations(node, [sigmoid, tanh], layer.directions)
    outputs: list[list[Expr]] = []
    last: list[Expr] = []
    for direction in range(layer.directions):
        hidden = squeeze(layer.hidden[direction], [0])
        weights = layer.weights(direction, _reset_first)
        steps, state = gru_cell(
            list(layer.steps),
            hidden,
            weights,
            gate_activation=activations[2 * direction],
            new_activation=activations[2 * direction + 1],
            backwards=layer.is_backwards(direction),
            linear_before_reset=bool(node.int("linear_before_reset", 0)),
            sequence_lengths=node[4],
        )
        outputs.append(steps)
        last.append(state)
    return layer.results(outputs, last)


def _output_last(gates: Expr) -> Expr:
    """Gates from ONNX's order input, output, forget, cell to the cell's."""
    of_input, of_output, of_forget, of_cell = split(gates, 4)
    return concatenate([of_input, of_forget, of_cell, of_output], 0)


@converter("LSTM", since=7)
def lstm(node: OnnxNode) -> Outputs:
    """The steps of a layer of long short-term memory."""
    layer = _Layer(node)
    activations = _activations(node, [sigmoid, tanh, tanh], layer.directions)
    if node[6] is None:
        fields = tuple(call("zeros_like", layer.hidden[index]) for index in range(layer.directions))
        cells = Outputs(Tuple(fields), layer.directions)
    else:
        cells = split(layer.states_first(node.input(6)), layer.directions)
    holes = None if node[7] is None else [split(part, layer.directions) for part in split(node.input(7), 3, 1)]
    outputs: list[list[Expr]] = []
    last: list[Expr] = []
    last_cells: list[Expr] = []
    for direction in range(layer.directions):
        hidden, cell = squeeze(layer.hidden[direction], [0]), squeeze(cells[direction], [0])
        weights = layer.weights(direction, _output_last)
        peepholes = None
        if holes is not None:
            of_input, of_output, of_forget = (squeeze(part[direction], [0]) for part in holes)
            peepholes = Peepholes(of_input, of_forget, of_output)
        steps, state, cell = lstm_cell(
            list(layer.steps),
            hidden,
            cell,
            weights,
            peepholes=peepholes,
            gate_activation=activations[3 * direction],
            cell_activation=activations[3 * direction + 1],
            hidden_activation=activations[3 * direction + 2],
            backwards=layer.is_backwards(direction),
            sequence_lengths=node[4],
        )
        outputs.append(steps)
        last.append(state)
        last_cells.append(cell)
    return layer.results(outputs, last, last_cells)
