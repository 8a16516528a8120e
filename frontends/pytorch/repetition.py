"""``scan`` and ``map`` of exported programs: a graph that is carried out for each first index of its sequences.

Where the program knows how long the sequences are, the iterations stand one behind the other, as those of a recurrent
layer do in TVM's importers; else they are a loop whose results grow by a row in each iteration. Source of the rule:
``torch/_higher_order_ops/scan.py`` and ``map.py`` of PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .graph import Operation, OperationBlock, Value
from .values import DTYPE_CODES

__all__ = ["Repetition"]

_MOST_ITERATIONS = 2**12
"""How many iterations stand one behind the other at most; more of them become a loop."""

_DTYPE_CODES = {name: code for code, name in DTYPE_CODES.items()}

Iteration = Callable[[OperationBlock, Sequence[Value]], list[Value]]
"""Adds the operations of the graph to a block, and gives their results."""


class Repetition:
    """Reads such an operation into a block.

    ``origin`` knows the module and the line of what is made; ``literal`` makes the value of a number or a text.
    """

    def __init__(self, origin: Operation, block: OperationBlock, literal: Callable[[object], Value]) -> None:
        self._origin = origin
        self._block = block
        self._literal = literal

    def read(
        self, iteration: Iteration, carried: Sequence[Value], sequences: Sequence[Value], others: Sequence[Value]
    ) -> list[Value] | None:
        """The carried values after the last iteration, and what the iterations give besides, stacked.

        ``iteration`` takes the carried values, a row of each of the ``sequences`` and the ``others``. ``None`` where
        there is no sequence, or where nothing says how long they are nor what an iteration gives.
        """
        if not sequences:
            return None
        length = next((value.shape[0] for value in sequences if value.shape and value.shape[0] is not None), None)
        if length is None or not 0 < length <= _MOST_ITERATIONS:
            return self._loop(iteration, carried, sequences, others)
        rows: list[list[Value]] = []
        for index in range(length):
            parts = [self._row(self._block, value, self._literal(index)) for value in sequences]
            results = iteration(self._block, [*carried, *parts, *others])
            carried = results[: len(carried)]
            rows.append(results[len(carried) :])
        return [*carried, *map(self._stacked, zip(*rows, strict=True))]

    def _loop(
        self, iteration: Iteration, carried: Sequence[Value], sequences: Sequence[Value], others: Sequence[Value]
    ) -> list[Value] | None:
        """The same as a loop by count, whose results have as many rows as there were iterations."""
        body = OperationBlock([Value("iteration", "IntType", "int64", ())])
        inner = [Value(f"{value.name}.next", value.kind, value.dtype, value.shape) for value in carried]
        parts = [self._row(body, value, body.inputs[0]) for value in sequences]
        results = iteration(body, [*inner, *parts, *others])
        given = results[len(carried) :]
        grown: list[Value] = []
        for value in given:
            if value.shape is None or None in value.shape or value.dtype not in _DTYPE_CODES:
                return None
            grown.append(Value(f"{value.name}.rows", dtype=value.dtype, shape=(None, *value.shape)))
        body.inputs += [*inner, *grown]
        longer: list[Value] = []
        for value, rows in zip(given, grown, strict=True):
            row = self._call(body, "aten::unsqueeze.default", [value, self._literal(0)])
            longer.append(self._call(body, "aten::cat.default", [self._list(body, [rows, row]), self._literal(0)]))
        body.outputs = [self._literal(True), *results[: len(carried)], *longer]
        length = self._call(self._block, "aten::sym_size.int", [sequences[0], self._literal(0)], "IntType")
        loop = self._operation("prim::Loop")
        loop.inputs = [length, self._literal(True), *carried, *map(self._no_rows, given)]
        loop.blocks = [body]
        loop.outputs = [Value(value.name, value.kind, producer=loop) for value in (*carried, *given)]
        self._block.operations.append(loop)
        return list(loop.outputs)

    def _no_rows(self, value: Value) -> Value:
        """A tensor of no rows, each of the shape and dtype of ``value``."""
        shape = self._list(self._block, [self._literal(size) for size in (0, *(value.shape or ()))])
        rest = [self._literal(None) for _ in range(3)]
        return self._call(
            self._block, "aten::zeros.default", [shape, self._literal(_DTYPE_CODES[value.dtype or ""]), *rest]
        )

    def _stacked(self, rows: Sequence[Value]) -> Value:
        value = self._call(self._block, "aten::stack.default", [self._list(self._block, rows), self._literal(0)])
        if rows[0].shape is not None:
            value.dtype, value.shape = rows[0].dtype, (len(rows), *rows[0].shape)
        return value

    def _row(self, block: OperationBlock, value: Value, index: Value) -> Value:
        return self._call(block, "aten::select.int", [value, self._literal(0), index])

    def _list(self, block: OperationBlock, parts: Sequence[Value]) -> Value:
        return self._call(block, "prim::ListConstruct", parts, "ListType")

    def _call(self, block: OperationBlock, operator: str, inputs: Sequence[Value], kind: str = "TensorType") -> Value:
        name, _, overload = operator.partition(".")
        operation = self._operation(name, overload)
        operation.inputs = list(inputs)
        value = Value(name.rpartition("::")[2], kind, producer=operation)
        operation.outputs = [value]
        block.operations.append(operation)
        return value

    def _operation(self, kind: str, overload: str = "") -> Operation:
        origin = self._origin
        return Operation(kind, module=origin.module, call=origin.call, source=origin.source, overload=overload)
