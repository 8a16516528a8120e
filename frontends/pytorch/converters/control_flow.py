"""Branches and loops, and the lists and tuples between operations.

Source of the rules: ``convert_if``, ``convert_loop`` and ``convert_operators`` in
``python/tvm/relay/frontend/pytorch.py``. A condition that is known when the program is read chooses its branch there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import cast

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Call, Constant, Expr, If, Tuple, TupleGetItem, Var
from relay_lsp.ir.types import ANY, TensorType, TupleType

from ...diagnostics import ConversionError
from ...inspection import type_of
from ...loops import while_loop
from ...operators import Outputs, add, take
from ...operators import cast as cast_to
from ..graph import OperationBlock, Value
from ..node import TorchNode, as_expr
from ..registry import converter
from ..values import TorchResult, TorchValue


@converter("prim::If")
def if_else(node: TorchNode) -> TorchResult:
    """``if``; where the condition is known, the branch that is taken."""
    blocks = node.operation.blocks
    cond = node[0]
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
    """A loop by count or by condition; what it uses of the values around it becomes a variable of the loop too."""
    model, body = node.model, node.operation.blocks[0]
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


def _varies(value: TorchValue) -> bool:
    return isinstance(value, Expr) and not isinstance(value, Constant)


# ---- lists and tuples


@converter("prim::ListConstruct")
def list_construct(node: TorchNode) -> TorchResult:
    """A list whose length is known: it stays one until an operator takes it."""
    return list(node.inputs)


@converter("prim::TupleConstruct")
def tuple_construct(node: TorchNode) -> TorchResult:
    """A tuple; lists in it become tuples."""
    return _tuple(node.inputs)


def _tuple(values: Sequence[TorchValue]) -> Tuple:
    parts: list[Expr] = []
    for value in values:
        parts.append(_tuple(cast("list[TorchValue]", value)) if isinstance(value, list) else as_expr(value))
    return Tuple(tuple(parts))


@converter("prim::ListUnpack", "prim::TupleUnpack")
def unpack(node: TorchNode) -> TorchResult:
    """The parts of a list or a tuple."""
    given = node[0]
    if isinstance(given, (list, Outputs)):
        return tuple(cast("Iterable[TorchValue]", given))
    expr = as_expr(given)
    type = type_of(expr)
    if not isinstance(type, TupleType):
        raise ConversionError("a list whose length is not known cannot be unpacked")
    return tuple(TupleGetItem(expr, index) for index in range(len(type.fields)))


@converter("aten::len")
def length(node: TorchNode) -> TorchResult:
    """The length of a list that is known, or the first size of a tensor; lists that grow are not converted."""
    if isinstance(node[0], (list, Outputs)):
        return len(node.tensors())
    size = node.shape()[0]
    return size if isinstance(size, int) else take(call("shape_of", node.tensor(), dtype="int32"), constant(0), 0)


@converter("aten::__getitem__")
def item(node: TorchNode) -> TorchResult:
    """An element of a list that is known; lists that grow are not converted."""
    given = node[0]
    if not isinstance(given, (list, Outputs)):
        raise ConversionError("a list whose length is not known has no elements here", input="0")
    return cast("TorchValue", given[node.integer(1)])


@converter("aten::__is__", "aten::__isnot__")
def identical(node: TorchNode) -> bool:
    """Whether there is something: programs compare with nothing."""
    node.require(node[0] is None or node[1] is None, "only a comparison with nothing is converted")
    same = node[0] is None and node[1] is None
    return same if node.operator == "aten::__is__" else not same
