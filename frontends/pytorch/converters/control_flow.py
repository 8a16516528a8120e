"""Branches and loops.

Source of the rules: ``convert_if`` and ``convert_loop`` in
``python/tvm/relay/frontend/pytorch.py``. A condition that is known when the program is read chooses its branch there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import cast

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Call, Constant, Expr, If, Tuple, TupleGetItem, Var
from relay_lsp.ir.types import ANY, TensorType

from ...diagnostics import ConversionError
from ...inspection import type_of
from ...loops import while_loop
from ...operators import Outputs, add, multiply
from ...operators import cast as cast_to
from ..graph import OperationBlock, Value
from ..node import TorchNode, as_expr
from ..registry import converter
from ..values import TorchResult, TorchValue

_MOST_TURNS = 2**12
"""How often a loop is unrolled at most: each turn is converted on its own."""


@converter("prim::If")
def if_else(node: TorchNode) -> TorchResult:
    """``if``; where the condition is known, the branch that is taken."""
    blocks = node.operation.blocks
    cond = node[0]
    if any(block.list_changes() for block in blocks):
        cond = node.known_int(cond)
        node.require(cond is not None, "a list changes in a branch, so that the condition must be known", 0)
    if isinstance(cond, (bool, int)):
        return tuple(node.model.convert_block(blocks[0 if cond else 1]))
    then = [as_expr(value) for value in node.model.convert_block(blocks[0])]
    other = [as_expr(value) for value in node.model.convert_block(blocks[1])]
    if len(then) == 1:
        return If(as_expr(cond), then[0], other[0])
    return tuple(Outputs(If(as_expr(cond), Tuple(tuple(then)), Tuple(tuple(other))), len(then)))


def _variable(name: str, value: Expr) -> Var:
    """A variable of the loop that begins with ``value``; an empty dimension may grow."""
    type = type_of(value)
    if isinstance(type, TensorType):
        type = TensorType(tuple(ANY if dim == 0 else dim for dim in type.shape), type.dtype)
    return Var(name, type, value.span)


def _outer_values(block: OperationBlock) -> list[Value]:
    """What the operations of a block use and it does not make, in the order of their first use."""
    bound = set(block.inputs)
    outer: dict[Value, None] = {}
    for operation in block.operations:
        outer.update(dict.fromkeys(value for value in operation.inputs if value not in bound))
        bound.update(operation.outputs)
    return list(outer)


@converter("prim::Loop")
def loop(node: TorchNode) -> TorchResult:
    """A loop by count or by condition; what it uses of the values around it becomes a variable of the loop too.

    A loop that changes lists, or goes through one, is unrolled: how often it runs must be known.
    """
    model, body = node.model, node.operation.blocks[0]
    if any(isinstance(value, list) for value in node.inputs[2:]) or body.list_changes() or _indexes_list(node):
        return _unrolled(node)
    most, start_cond = node[0], node[1]
    initial = [as_expr(value) for value in node.inputs[2:]]
    is_while = isinstance(most, int) and most >= sys.maxsize
    start: Expr = constant(0, "int32")
    if is_while:
        start = as_expr(start_cond)
        if isinstance(start_cond, (bool, int)):
            start = cast_to(start, "bool")
    limit = as_expr(0 if is_while else most)
    counter = Var(body.inputs[0].name, TensorType((), "bool" if is_while else "int32"))
    variables = [counter]
    variables += [_variable(value.name, given) for value, given in zip(body.inputs[1:], initial, strict=True)]
    outer = [value for value in _outer_values(body) if _varies(model.values.get(value))]
    before = {value: model.values[value] for value in outer}
    for value in outer:
        given = as_expr(before[value])
        variables.append(_variable(value.name, given))
        initial.append(given)
    for variable in variables:
        model.spans.fill(variable, node.name)

    def condition(params: Sequence[Expr]) -> Expr:
        if is_while:
            return call("equal", params[0], constant(True, "bool"))
        return call("less", params[0], limit)

    def turn(params: Sequence[Expr]) -> Sequence[Expr]:
        model.values.update(zip([*body.inputs, *outer], params, strict=True))
        results = [as_expr(value) for value in model.convert_block(body)]
        if not is_while:
            results[0] = add(params[0], constant(1, "int32"))
        return [*results, *(as_expr(model.value(value)) for value in outer)]

    node.require(len(body.outputs) == len(body.inputs), "the loop's body must give what it takes")
    result = Call(while_loop(variables, condition, turn), (start, *initial))
    model.values.update(before)
    return tuple(TupleGetItem(result, 1 + index) for index in range(node.output_count))


def _indexes_list(node: TorchNode) -> bool:
    """Whether the body of a loop takes elements of a list of values at the loop's own counter."""
    body, values = node.operation.blocks[0], node.model.values
    return any(
        operation.kind == "aten::__getitem__"
        and operation.inputs[1] is body.inputs[0]
        and isinstance(values.get(operation.inputs[0]), list)
        for operation in body.walk()
    )


def _unrolled(node: TorchNode) -> TorchResult:
    """The results after the last turn of a loop; each turn is converted on its own.

    Raises:
        ConversionError: it is not known how often the loop runs, or it runs too often.
    """
    model, body = node.model, node.operation.blocks[0]
    most, condition, *values = node.inputs
    limit, turns = node.known_int(most), 0
    while True:
        goes_on = node.known_int(condition)
        if limit is None or goes_on is None:
            raise ConversionError("lists are used in this loop, so that it must be known how often the loop runs")
        if turns >= limit or not goes_on:
            return tuple(values)
        if turns == _MOST_TURNS or _MOST_TURNS < limit < sys.maxsize:
            raise ConversionError(f"lists are used in this loop, and it runs more than {_MOST_TURNS} times")
        model.values.update(zip(body.inputs, (turns, *values), strict=True))
        condition, *results = model.convert_block(body)
        # A counter that the program keeps stays a number, not a chain of additions that is longer after each turn.
        values = [_number(node, result, of) for result, of in zip(results, body.inputs[1:], strict=True)]
        turns += 1


def _number(node: TorchNode, value: TorchValue, declared: Value) -> TorchValue:
    if declared.kind == "IntType" and isinstance(value, Expr):
        known = node.known_int(value)
        return value if known is None else known
    return value


def _varies(value: TorchValue) -> bool:
    return isinstance(value, Expr) and not isinstance(value, Constant)


@converter("aten::__range_length")
def range_length(node: TorchNode) -> TorchResult:
    """How many numbers ``range(start, end, step)`` has, all of them known."""
    return len(range(node.integer(0), node.integer(1), node.integer(2)))


@converter("aten::__derive_index")
def derived_index(node: TorchNode) -> TorchResult:
    """``start + index * step``: the number of a ``range`` at an index."""
    index, start, step = node[0], node[1], node[2]
    if isinstance(index, int) and isinstance(start, int) and isinstance(step, int):
        return start + index * step
    return add(as_expr(start), multiply(as_expr(index), as_expr(step)))


@converter("prim::min", "prim::max")
def extreme(node: TorchNode) -> TorchResult:
    """The smaller or larger of numbers that are known, or of two that are not: ``minimum`` or ``maximum``."""
    name = node.operator.removeprefix("prim::")
    first = node[0]
    given = cast("list[TorchValue]", first) if isinstance(first, list) else node.inputs
    if given and all(isinstance(value, (int, float)) for value in given):
        numbers = cast("list[float]", given)
        return min(numbers) if name == "min" else max(numbers)
    node.require(len(given) == 2, "two numbers are expected, or several that are known")
    return call(f"{name}imum", *node.promote(given, [node.dtype(0), node.dtype(len(node) - 1)]))


@converter("prim::unchecked_cast")
def refined(node: TorchNode) -> TorchResult:
    """What comes in: a value that is known to be there."""
    return node[0]


@converter("aten::__is__", "aten::__isnot__")
def identical(node: TorchNode) -> bool:
    """Whether there is something: programs compare with nothing."""
    node.require(node[0] is None or node[1] is None, "only a comparison with nothing is converted")
    same = node[0] is None and node[1] is None
    return same if node.operator == "aten::__is__" else not same
