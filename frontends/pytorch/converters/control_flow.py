"""Branches and loops.

Source of the rules: ``convert_if`` and ``convert_loop`` in
``python/tvm/relay/frontend/pytorch.py``. A condition that is known when the program is read chooses its branch there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
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
from ..node import TorchNode, as_expr, converter
from ..runtime_lists import RuntimeList, chosen_lists, listed
from ..trial import reset_point, trial
from ..values import TorchResult, TorchValue


class UnknownTripCountError(ConversionError):
    """It is not known how often a loop runs, or it runs too often to be unrolled."""


_MOST_TURNS = 2**12
"""How often a loop is unrolled at most: each turn is converted on its own."""


@converter("prim::If")
def if_else(node: TorchNode) -> TorchResult:
    """``if``; where the condition is known, the branch that is taken."""
    blocks = node.operation.blocks
    cond = node[0]
    changed = [operation.inputs[0] for block in blocks for operation in block.list_changes()]
    if changed:
        known = node.known_int(cond)
        if known is None:
            return _with_changed_lists(node, changed)
        cond = known
    if isinstance(cond, (bool, int)):
        return tuple(node.model.convert_block(blocks[0 if cond else 1]))
    then = _results(node, blocks[0])
    other = _results(node, blocks[1])
    if len(then) == 1:
        return _listed(node, If(as_expr(cond), then[0], other[0]))
    chosen = Outputs(If(as_expr(cond), Tuple(tuple(then)), Tuple(tuple(other))), len(then))
    return tuple(_listed(node, value) for value in chosen)


def _results(node: TorchNode, block: OperationBlock) -> list[Expr]:
    """What a branch gives; how long its lists are is known when the program runs."""
    results: list[Expr] = []
    for value in node.model.convert_block(block):
        parts = cast("list[TorchValue]", value) if isinstance(value, list) else None
        results.append(as_expr(value if parts is None else RuntimeList.of([as_expr(part) for part in parts])))
    return results


def _listed(node: TorchNode, value: Expr) -> Expr | RuntimeList:
    return listed(value) if any(output.kind == "ListType" for output in node.operation.outputs) else value


def _with_changed_lists(node: TorchNode, changed: Sequence[Value]) -> TorchResult:
    """``if`` whose branches change lists: how long these are is known when the program runs."""
    model = node.model
    lists = list(dict.fromkeys(model.runtime_list(value) for value in changed))

    branches = [partial(_results, node, block) for block in node.operation.blocks]
    return tuple(_listed(node, value) for value in chosen_lists(node.tensor(), lists, branches))


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

    A loop that changes lists, or goes through one, is unrolled where it is known how often it runs; else its lists are
    such of a length that is known when the program runs.
    """
    model, body = node.model, node.operation.blocks[0]
    if not (any(isinstance(value, list) for value in node.inputs[2:]) or body.list_changes() or _indexes_list(node)):
        return _as_function(node)
    limit, goes_on = node.known_int(node[0]), node.known_int(node[1])
    if goes_on is None:
        limit = None
    if limit is not None and limit <= _MOST_TURNS and _is_constant_true(body.outputs[0]):
        return _unrolled(node)
    if limit is not None and not _MOST_TURNS < limit < sys.maxsize:
        reset = reset_point(model)
        try:
            return _unrolled(node)
        except UnknownTripCountError:  # The condition is known at first, and then it is not.
            reset()
    changed = _changed_around(body)
    carried = [value for value in node.operation.inputs[2:] if isinstance(model.values.get(value), list)]
    lists = [model.runtime_list(value) for value in (*carried, *changed)]
    if any(made.element is None for made in lists):
        with trial(model), suppress(ConversionError):
            _as_function(node)
    return _as_function(node)


def _is_constant_true(value: Value) -> bool:
    producer = value.producer
    return producer is not None and producer.kind == "prim::Constant" and bool(producer.attribute)


def _changed_around(body: OperationBlock) -> list[Value]:
    """The lists that a body changes, and neither makes nor carries from turn to turn."""
    own = set(body.inputs)
    own.update(value for operation in body.walk() for block in operation.blocks for value in block.inputs)
    return [operation.inputs[0] for operation in body.list_changes() if operation.inputs[0] not in own]


def _as_function(node: TorchNode) -> TorchResult:
    """A loop as a function that calls itself."""
    model, body = node.model, node.operation.blocks[0]
    node.require(len(body.outputs) == len(body.inputs), "the loop's body must give what it takes")
    most, goes_on = node[0], node[1]
    is_while = isinstance(most, int) and most >= sys.maxsize
    carried = [model.value(value) for value in node.operation.inputs[2:]]
    used = _outer_values(body)
    outer = [value for value in used if _varies(model.values.get(value))]
    around = (model.values.get(value) for value in (*used, *_changed_around(body)))
    lists = list(dict.fromkeys(value for value in around if isinstance(value, RuntimeList)))
    before = {value: model.values[value] for value in outer}

    start: Expr = constant(0, "int32")
    if is_while:
        start = cast_to(as_expr(goes_on), "bool") if isinstance(goes_on, (bool, int)) else as_expr(goes_on)
    variables = [Var(body.inputs[0].name, TensorType((), "bool" if is_while else "int32"))]
    variables += [_variable(value.name, given) for value, given in zip(body.inputs[1:], carried, strict=True)]
    variables += [_variable(value.name, before[value]) for value in outer]
    variables += [_variable(f"list{index}", made) for index, made in enumerate(lists)]
    initial = [_initial(given) for given in (*carried, *before.values(), *lists)]
    limit = as_expr(0 if is_while else most)
    is_computed = not isinstance(limit, (Constant, Var))
    if is_computed:  # What is shared with the graph around the function would be defined in the function's text alone.
        variables.append(Var("limit", type_of(limit)))
        initial.append(limit)
    for variable in variables:
        model.spans.fill(variable, node.name)

    def condition(params: Sequence[Expr]) -> Expr:
        if is_while:
            return call("equal", params[0], constant(True, "bool"))
        return call("less", params[0], params[-1] if is_computed else limit)

    def turn(params: Sequence[Expr]) -> Sequence[Expr]:
        of_outer, of_lists = 1 + len(carried), 1 + len(carried) + len(outer)
        model.values[body.inputs[0]] = params[0]
        for value, given, param in zip(body.inputs[1:], carried, params[1:], strict=False):
            is_list = isinstance(given, RuntimeList)
            model.values[value] = given.within(param) if is_list else param
        model.values.update(zip(outer, params[of_outer:], strict=False))
        for made, param in zip(lists, params[of_lists:], strict=False):
            made.expr = param if made.element is not None else None
        results = model.convert_block(body)
        for given, result in zip(carried, results[1:], strict=True):
            if isinstance(given, RuntimeList) and isinstance(result, RuntimeList):
                given.learn(result)
        if not is_while:
            results[0] = add(params[0], constant(1, "int32"))
        results += [*(model.value(value) for value in outer), *lists, *(params[-1:] if is_computed else ())]
        return [as_expr(value) for value in results]

    result = Call(while_loop(variables, condition, turn), (start, *initial))
    model.values.update(before)
    fields = [TupleGetItem(result, 1 + index) for index in range(len(variables) - 1)]
    for made, field in zip(lists, fields[len(carried) + len(outer) :], strict=False):
        made.expr = field
    return tuple(
        given.within(field) if isinstance(given, RuntimeList) else field
        for given, field in zip(carried, fields, strict=False)
    )


def _variable(name: str, value: TorchValue) -> Var:
    """A variable of the loop that begins with ``value``; an empty dimension may grow."""
    if isinstance(value, RuntimeList):
        return Var(name, None if value.element is None else value.type)
    expr = as_expr(value)
    type = type_of(expr)
    if isinstance(type, TensorType):
        type = TensorType(tuple(ANY if dim == 0 else dim for dim in type.shape), type.dtype)
    return Var(name, type, expr.span)


def _initial(value: TorchValue) -> Expr:
    """What a variable of the loop begins with; nothing for a list of which it is to be learned what it holds."""
    return Tuple(()) if isinstance(value, RuntimeList) and value.element is None else as_expr(value)


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
        UnknownTripCountError: it is not known how often the loop runs, or it runs too often.
    """
    model, body = node.model, node.operation.blocks[0]
    most, condition, *values = node.inputs
    limit, turns = node.known_int(most), 0
    while True:
        goes_on = node.known_int(condition)
        if limit is None or goes_on is None:
            raise UnknownTripCountError("lists are used in this loop, so that it must be known how often the loop runs")
        if turns >= limit or not goes_on:
            return tuple(values)
        if turns == _MOST_TURNS or _MOST_TURNS < limit < sys.maxsize:
            raise UnknownTripCountError(f"lists are used in this loop, and it runs more than {_MOST_TURNS} times")
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
