"""``If``, ``Loop`` and ``Scan``: branches, and recursive functions in place of loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from onnx import GraphProto

from relay_lsp.ir.arrays import numpy_dtype
from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Call, Constant, Expr, If, Tuple, TupleGetItem, Var
from relay_lsp.ir.types import ANY, Dim, TensorType

from ...diagnostics import ConversionError
from ...freezing import known_by_types
from ...inspection import dtype_of, rank_of, shape_of, static_shape_of, tensor_type_of, type_of
from ...layers import parameter_name
from ...loops import while_loop
from ...operators import (
    Outputs,
    add,
    broadcast_to,
    concatenate,
    expand_dims,
    reshape,
    strided_slice,
    subtract,
    take,
    zeros,
)
from ..node import OnnxNode, converter
from .shape_values import scalar_of, shape_value


@converter("If")
def if_else(node: OnnxNode) -> Expr | Outputs:
    """``if``; the branches see the values of the graph around them."""
    cond = node.input()
    if rank_of(cond) > 0:
        cond = take(cond, constant(0, "int64"), 0 if rank_of(cond) > 1 else None)
    known = node.fold(cond)
    if node.scope.model.freeze_params:
        known = known_by_types(known, node.scope.model.folder)
    taken = None if not isinstance(known, Constant) else "then_branch" if known.data.any() else "else_branch"
    branches: list[Expr] = []
    for name in ("then_branch", "else_branch"):
        graph = node.scope.subgraph(node, name)
        if taken not in (None, name):
            graph.name_layers(node.graph(name))  # It may make no sense for the values that there are.
            continue
        outputs = graph.convert(node.graph(name))
        branches.append(node.fold(outputs[0] if len(outputs) == 1 else Tuple(tuple(outputs))))
    if taken is not None:
        count = len(node.graph(taken).output)
        return Outputs(branches[0], count) if count > 1 else branches[0]
    then, other = branches
    if not isinstance(then, Tuple) and not isinstance(other, Tuple) and rank_of(then) != rank_of(other):
        node.warn(
            "branches-of-different-rank",
            f"the branches have {rank_of(then)} and {rank_of(other)} dimensions: the smaller is broadcast",
        )
        if rank_of(then) < rank_of(other):
            then = call("broadcast_to_like", then, other)
        else:
            other = call("broadcast_to_like", other, then)
    count = len(node.graph("then_branch").output)
    if count != len(node.graph("else_branch").output):
        raise ConversionError("the branches have different numbers of outputs")
    chosen = If(cond, then, other)
    return Outputs(chosen, count) if count > 1 else chosen


def _variable(name: str, value: Expr) -> Var:
    """A variable of the loop that begins with ``value``; an empty dimension may grow."""
    type = type_of(value)
    if isinstance(type, TensorType):
        return Var(name, TensorType(tuple(ANY if dim == 0 else dim for dim in type.shape), type.dtype))
    return Var(name, type)


def _named(node: OnnxNode, variables: Sequence[Var], body: GraphProto) -> None:
    for var in variables:
        node.scope.model.spans.fill(var, parameter_name(var.name_hint, body.name))


@converter("Loop", since=11)
def loop(node: OnnxNode) -> Expr | Outputs:
    """A loop by count, by condition, or both; what it gathers grows by one element a turn."""
    body = node.graph("body")
    most, first_cond, states = node[0], node[1], [node.input(index) for index in range(2, len(node.inputs))]
    if most is None and first_cond is None:
        raise ConversionError("a loop without a count and a condition does not end")
    if len(body.input) != 2 + len(states):
        raise ConversionError(f"the loop's body takes {len(body.input)} values, and gets {2 + len(states)}")
    counter_dtype = "int64" if most is None else dtype_of(most)
    limit = constant(np.iinfo(np.int64).max, "int64") if most is None else scalar_of(most)
    start_cond = constant(True, "bool") if first_cond is None else scalar_of(first_cond)
    names = [info.name for info in body.input]
    variables = [
        Var(names[0], TensorType((), counter_dtype)),
        Var("max_count", tensor_type_of(limit)),
        _variable(names[1], start_cond),
        *(_variable(name, state) for name, state in zip(names[2:], states, strict=True)),
    ]
    _named(node, variables, body)
    gathered = len(body.output) - 1 - len(states)
    if gathered < 0:
        raise ConversionError(f"the loop's body gives {len(body.output)} values, and needs {1 + len(states)}")
    gathering, initial = _gathering(node, body, names, variables, gathered, len(states))

    def condition(params: Sequence[Expr]) -> Expr:
        counted = call("less", params[0], params[1])
        if first_cond is None:
            return counted
        holds = call("equal", params[2], constant(True, "bool"))
        return holds if most is None else call("logical_and", holds, counted)

    def turn(params: Sequence[Expr]) -> Sequence[Expr]:
        count, now = params[0], params[2 : 3 + len(states)]
        bound = dict(zip(names, [count, *now], strict=True))
        outputs = node.scope.subgraph(node, "body").convert(body, bound)
        grown = [
            _grow(node, whole, part, count, counter_dtype)
            for whole, part in zip(params[3 + len(states) :], outputs[1 + len(states) :], strict=True)
        ]
        following = [scalar_of(outputs[0]), *outputs[1 : 1 + len(states)]]
        return [add(count, constant(1, counter_dtype)), params[1], *following, *grown]

    repeated = node.fold(while_loop([*variables, *gathering], condition, turn))
    values = Call(repeated, (constant(0, counter_dtype), limit, start_cond, *states, *initial))
    return _results(values, 3, len(states) + gathered)


def _results(values: Expr, first: int, count: int) -> Expr | Outputs:
    if count == 1:
        return TupleGetItem(values, first)
    return Outputs.of(*(TupleGetItem(values, first + index) for index in range(count)))


def _gathering(
    node: OnnxNode, body: GraphProto, names: Sequence[str], variables: Sequence[Var], count: int, states: int
) -> tuple[list[Var], list[Expr]]:
    """The variables that a loop gathers its outputs in, and what they begin with."""
    if not count:
        return [], []
    trial = dict(zip(names, [variables[0], *variables[2:]], strict=True))
    outputs = node.scope.subgraph(node, "body").convert(body, trial)
    gathering: list[Var] = []
    initial: list[Expr] = []
    for info, output in zip(body.output[1 + states :], outputs[1 + states :], strict=True):
        type = tensor_type_of(output)
        gathering.append(Var(info.name, TensorType((ANY,) * (type.ndim + 1), type.dtype)))
        empty = Constant(np.array([], numpy_dtype(type.dtype)))
        initial.append(reshape(empty, [0] + [1] * type.ndim))
    return gathering, initial


def _grow(node: OnnxNode, whole: Expr, part: Expr, count: Expr, dtype: str) -> Expr:
    expanded = expand_dims(part, 0)
    if rank_of(whole) > 1:
        whole = broadcast_to(whole, concatenate([reshape(count, [1]), shape_value(part, dtype)], 0))
    return concatenate([whole, expanded], 0)


@converter("Scan", since=8)
def scan_of_batch(node: OnnxNode) -> Outputs:
    """The ``Scan`` of each element of the batch, one after the other."""
    (batch, *_) = static_shape_of(node.input(1), "the first state")
    elements: list[Outputs] = []
    for index in range(node.unfolded(batch, "the batch of")):
        inputs = [take(node.input(place), constant(index), 0) for place in range(1, len(node.inputs))]
        element = OnnxNode(node.scope, node.name, node.operator, inputs, node.attributes, node.outputs, 9)
        elements.append(scan(element))
    rows = [[expand_dims(value, 0) for value in element] for element in elements]
    joined = rows[0]
    for row in rows[1:]:
        joined = [concatenate([one, other], 0) for one, other in zip(joined, row, strict=True)]
    return Outputs.of(*joined)


@converter("Scan", since=9)
def scan(node: OnnxNode) -> Outputs:
    """A loop over the slices of its inputs; those that it gives push the older ones out of tensors of their size."""
    body = node.graph("body")
    scanned = node.int("num_scan_inputs")
    inputs = [node.input(index) for index in range(len(node.inputs))]
    states = len(body.input) - scanned
    gathered = len(body.output) - states
    if scanned < 1 or states < 0 or gathered < 0 or len(inputs) != len(body.input):
        raise node.invalid("num_scan_inputs", f"{scanned} of {len(inputs)} inputs cannot be scanned")
    in_axes = _each(node, "scan_input_axes", scanned)
    backwards_in = _each(node, "scan_input_directions", scanned)
    out_axes = list(_each(node, "scan_output_axes", gathered))
    backwards_out = _each(node, "scan_output_directions", gathered)
    in_axes = [axis % rank_of(value) for axis, value in zip(in_axes, inputs[states:], strict=True)]
    length = shape_of(inputs[states])[in_axes[0]]
    names = [info.name for info in body.input]
    if not isinstance(length, int):
        return _open_scan(node, inputs, states, _ScanAxes(in_axes, backwards_in, out_axes, backwards_out))
    variables = [Var("iter", TensorType((), "int32"))]
    variables += [_variable(name, value) for name, value in zip(names, inputs[:states], strict=False)]
    gathering, initial = _slices(node, body, inputs, in_axes, states, out_axes, length)
    _named(node, variables, body)

    def condition(params: Sequence[Expr]) -> Expr:
        return call("less", params[0], constant(length, "int32"))

    def turn(params: Sequence[Expr]) -> Sequence[Expr]:
        count = params[0]
        slices: list[Expr] = []
        for value, axis, is_backwards in zip(inputs[states:], in_axes, backwards_in, strict=True):
            index = subtract(constant(length - 1, "int32"), count) if is_backwards else count
            slices.append(take(value, index, axis))
        bound = dict(zip(names, [*params[1 : 1 + states], *slices], strict=True))
        outputs = node.scope.subgraph(node, "body").convert(body, bound)
        pushed = [
            _push(whole, part, axis, length, bool(is_backwards))
            for whole, part, axis, is_backwards in zip(
                params[1 + states :], outputs[states:], out_axes, backwards_out, strict=True
            )
        ]
        return [add(count, constant(1, "int32")), *outputs[:states], *pushed]

    repeated = node.fold(while_loop([*variables, *gathering], condition, turn))
    values = Call(repeated, (constant(0, "int32"), *inputs[:states], *initial))
    return Outputs.of(*(TupleGetItem(values, 1 + index) for index in range(len(body.output))))


class _ScanAxes(NamedTuple):
    """The axes of what is scanned, and of what the scan gives; what goes backwards is not 0."""

    inputs: Sequence[int]
    backwards_in: Sequence[int]
    outputs: list[int]
    backwards_out: Sequence[int]


def _open_scan(node: OnnxNode, inputs: Sequence[Expr], states: int, axes: _ScanAxes) -> Outputs:
    """A scan whose length is known when the module runs: what it gives grows by a slice a turn.

    The length and what is scanned are variables of the loop too, so that the loop's text does not define what the text
    around it needs.
    """
    body = node.graph("body")
    names = [info.name for info in body.input]
    shape = call("shape_of", inputs[states], dtype="int32")
    length = take(shape, constant(axes.inputs[0], "int32"), 0)
    gathering, initial = _slices(node, body, inputs, axes.inputs, states, axes.outputs, 0)
    gathering = [
        Var(var.name_hint, TensorType(tuple(ANY if dim == 0 else dim for dim in shape_of(value)), dtype_of(value)))
        for var, value in zip(gathering, initial, strict=True)
    ]
    variables = [Var("iter", TensorType((), "int32")), Var("length", TensorType((), "int32"))]
    variables += [_variable(name, value) for name, value in zip(names, inputs, strict=True)]
    _named(node, variables, body)

    def turn(params: Sequence[Expr]) -> Sequence[Expr]:
        count, end, given = params[0], params[1], params[2 : 2 + len(inputs)]
        slices: list[Expr] = []
        for value, axis, is_backwards in zip(given[states:], axes.inputs, axes.backwards_in, strict=True):
            index = subtract(subtract(end, constant(1, "int32")), count) if is_backwards else count
            slices.append(take(value, index, axis))
        outputs = node.scope.subgraph(node, "body").convert(
            body, dict(zip(names, [*given[:states], *slices], strict=True))
        )
        grown: list[Expr] = []
        for whole, part, axis, is_backwards in zip(
            params[2 + len(inputs) :], outputs[states:], axes.outputs, axes.backwards_out, strict=True
        ):
            expanded = expand_dims(part, axis)
            grown.append(concatenate([expanded, whole] if is_backwards else [whole, expanded], axis))
        return [add(count, constant(1, "int32")), end, *outputs[:states], *given[states:], *grown]

    repeated = while_loop([*variables, *gathering], lambda params: call("less", params[0], params[1]), turn)
    values = Call(node.fold(repeated), (constant(0, "int32"), length, *inputs, *initial))
    last = [TupleGetItem(values, 2 + index) for index in range(states)]
    return Outputs.of(*last, *(TupleGetItem(values, 2 + len(inputs) + index) for index in range(len(initial))))


def _each(node: OnnxNode, name: str, count: int) -> Sequence[int]:
    values = node.ints(name)
    if values is None:
        return [0] * count
    if len(values) != count:
        raise node.invalid(name, f"{name} must have {count} numbers, not {len(values)}")
    return values


def _slices(
    node: OnnxNode,
    body: GraphProto,
    inputs: Sequence[Expr],
    in_axes: Sequence[int],
    states: int,
    out_axes: list[int],
    length: int,
) -> tuple[list[Var], list[Expr]]:
    """The variables for what a scan gives, and the zeros that they begin with; makes ``out_axes`` positive."""
    if not out_axes:
        return [], []
    trial: dict[str, Expr] = {}
    for index, (info, value) in enumerate(zip(body.input, inputs, strict=True)):
        shape: tuple[Dim, ...] = shape_of(value)
        if index >= states:
            axis = in_axes[index - states]
            shape = (*shape[:axis], *shape[axis + 1 :])
        trial[info.name] = Var(info.name, TensorType(shape, dtype_of(value)))
    outputs = node.scope.subgraph(node, "body").convert(body, trial)
    gathering: list[Var] = []
    initial: list[Expr] = []
    for index, (info, output) in enumerate(zip(body.output[states:], outputs[states:], strict=True)):
        sizes = list(static_shape_of(output, "what a scan gives"))
        if out_axes[index] < 0:
            out_axes[index] += len(sizes) + 1
        sizes.insert(out_axes[index], length)
        dtype = dtype_of(output)
        gathering.append(Var(info.name, TensorType(tuple(sizes), dtype)))
        initial.append(zeros(sizes, dtype))
    return gathering, initial


def _push(whole: Expr, part: Expr, axis: int, length: int, in_front: bool) -> Expr:
    expanded = expand_dims(part, axis)
    joined = concatenate([expanded, whole] if in_front else [whole, expanded], axis)
    begin = 0 if in_front else 1
    return strided_slice(joined, [begin], [length + begin], [1], [axis])
