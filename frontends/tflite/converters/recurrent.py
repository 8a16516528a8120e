"""The recurrent layer that TVM converts, unfolded step by step.

Source of the rule: ``convert_unidirectional_sequence_lstm`` and ``unbind`` in ``python/tvm/relay/frontend/tflite.py``.
"""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.builder import constant
from relay_lsp.ir.expressions import Expr

from ...diagnostics import ConversionError
from ...operators import Outputs, concatenate, reshape, split, squeeze, stack, transpose, zeros
from ...recurrent import CellWeights, lstm_cell
from ..node import Operand, TfliteNode, converter

_GATES = range(4)
"""Input, forget, cell, output."""
_OPTIONAL = (9, 10, 11, 16, 17, 20, 21, 22, 23)
"""Peepholes, projections and layer normalisation."""


@converter("UNIDIRECTIONAL_SEQUENCE_LSTM")
def sequence_lstm(node: TfliteNode) -> Expr:
    """Each step's ``nn.dense`` and gates, from states of zeros, as in TVM.

    Peepholes, projections, layer normalisation, a clipped cell and other activations than ``TANH`` are refused, where
    TVM leaves them out. A batch of several sequences is transposed, where TVM reshapes it.
    """
    if len(node.inputs) not in (20, 24):
        raise ConversionError(f"{node.operator} takes 20 or 24 inputs, not {len(node.inputs)}")
    node.require_float()
    unknown = [index for index in _OPTIONAL if node[index] is not None]
    if unknown:
        raise ConversionError(
            "peepholes, projections and layer normalisation are not converted", input=node.input(unknown[0]).name
        )
    for name in ("cell_clip", "proj_clip"):
        if node.options.get(name):
            raise node.invalid(name, "clipped cells are not converted")
    if node.integer("fused_activation_function", 4) not in (0, 4):
        raise node.invalid("fused_activation_function", "cells of other activations than TANH are not converted")
    given = [index for index in (18, 19) if node.input(index).is_computed]
    if given:
        raise ConversionError("states that the model computes are not converted", input=node.input(given[0]).name)
    time_axis = 0 if node.integer("time_major", 0) else 1
    steps = _steps(node, node.input(), time_axis)
    hidden, cell = (_zeros(node.input(index)) for index in (18, 19))
    weights = CellWeights(
        concatenate([squeeze(_whole(node.input(1 + gate))) for gate in _GATES], 0),
        concatenate([_whole(node.input(5 + gate)) for gate in _GATES], 0),
        concatenate([_whole(node.input(12 + gate)) for gate in _GATES], 0),
        _hidden_bias(node),
    )
    outputs, _, _ = lstm_cell(steps, hidden, cell, weights)
    return stack(outputs, time_axis)


def _steps(node: TfliteNode, tensor: Operand, axis: int) -> Outputs:
    shape = list(tensor.shape)
    if len(shape) != 3:
        raise ConversionError(f"sequences have three dimensions, and {tensor.name} has {len(shape)}")
    count = node.unfolded(shape[axis], "a number of steps of")
    data = tensor.expr
    if axis == 1 and shape[0] != 1:
        data = transpose(data, [1, 0, 2])
    else:
        data = reshape(data, [count, *shape[:axis], *shape[axis + 1 :]])
    parts = split(data, count, 0)
    return Outputs.of(*(squeeze(parts[index], [0]) for index in range(count)))


def _zeros(state: Operand) -> Expr:
    return split(zeros(list(state.shape), state.dtype), 1)[0]


def _whole(weight: Operand) -> Expr:
    return split(constant(np.asarray(weight.value, np.float32)), 1)[0]


def _hidden_bias(node: TfliteNode) -> Expr:
    bias = node.input(12)
    size = sum(node.input(12 + gate).value.size for gate in _GATES)
    return split(constant(np.zeros(size, np.float32), bias.dtype), 1)[0]
