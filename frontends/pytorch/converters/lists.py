"""Lists, tuples and dictionaries between operations, and the operators that change them.

A list whose length is known is Python's list of values while the program is converted: what changes it in place changes
that list, so every name of it sees the change. A loop that changes a list is unrolled (:mod:`.control_flow`) where it
is known how often it runs. Else it becomes a value of Relay's type ``List`` (:mod:`..runtime_lists`), as TVM makes of
each list that a program changes or takes elements of; the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np

from relay_lsp.ir.builder import call, constant
from relay_lsp.ir.expressions import Expr, Tuple, TupleGetItem
from relay_lsp.ir.types import TupleType

from ...diagnostics import ConversionError
from ...inspection import type_of
from ...operators import Outputs, take
from ..node import TorchNode, as_expr, converter
from ..runtime_lists import RuntimeList, listed, module_of_lists
from ..values import TorchResult, TorchValue

__all__ = ["joined_lists", "list_slice", "repeated_list"]


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


@converter("prim::DictConstruct")
def dict_construct(node: TorchNode) -> TorchResult:
    """A dictionary whose keys are texts or numbers; as a result of the program it is the tuple of its values."""
    values = {_key(node, index): node[index + 1] for index in range(0, len(node), 2)}
    return cast("TorchValue", values)


def _key(node: TorchNode, index: int) -> object:
    key = node[index]
    if isinstance(key, (str, int, float)):
        return key
    raise ConversionError("a text or a number that is known is expected as a key", input=str(index))


@converter("prim::ListUnpack", "prim::TupleUnpack")
def unpack(node: TorchNode) -> TorchResult:
    """The parts of a list or a tuple."""
    given = node[0]
    if isinstance(given, (list, Outputs)):
        return tuple(cast("Iterable[TorchValue]", given))
    expr = as_expr(given)
    type = type_of(expr, module_of_lists())
    if not isinstance(type, TupleType):
        raise ConversionError("a list whose length is not known cannot be unpacked")
    return tuple(listed(TupleGetItem(expr, index)) for index in range(len(type.fields)))


@converter("prim::TupleIndex")
def tuple_item(node: TorchNode) -> TorchResult:
    """A field of a tuple, at a place that is known."""
    given, place = node[0], node.integer(1)
    if isinstance(given, Tuple):
        return listed(given.fields[place])
    return listed(TupleGetItem(node.tensor(), place))


@converter("aten::len")
def length(node: TorchNode) -> TorchResult:
    """The length of a list, or the first size of a tensor."""
    given = node[0]
    if isinstance(given, (list, dict, Outputs)):
        return len(given)
    if isinstance(given, RuntimeList):
        return given.length()
    size = node.shape()[0]
    return size if isinstance(size, int) else take(call("shape_of", node.tensor(), dtype="int32"), constant(0), 0)


@converter("aten::__getitem__")
def item(node: TorchNode) -> TorchResult:
    """An element of a list, or of a dictionary under a key that is known."""
    given = node[0]
    if isinstance(given, dict):
        return _entry(node, given)
    if isinstance(given, RuntimeList):
        return given.item(node.tensor(1))
    if isinstance(given, (list, Outputs)) and given and node.known_int(node[1]) is None:
        return RuntimeList.of([as_expr(cast("TorchValue", value)) for value in given]).item(node.tensor(1))
    if not isinstance(given, (list, Outputs)):
        raise ConversionError("a list whose length is not known has no elements here", input="0")
    return cast("TorchValue", given[_place(node, len(given), "an element")])


def _entry(node: TorchNode, given: dict[object, TorchValue]) -> TorchValue:
    key = _key(node, 1)
    if key not in given:
        raise ConversionError(f"the dictionary has no {key!r}", input="1")
    return given[key]


def _place(node: TorchNode, size: int, what: str) -> int:
    place = node.integer(1)
    if not -size <= place < size:
        raise ConversionError(f"{what} {place} is asked of a list of {size}", input="1")
    return place


def _list(node: TorchNode, index: int = 0) -> list[TorchValue]:
    value = node[index]
    if isinstance(value, list):
        return cast("list[TorchValue]", value)
    if isinstance(value, Outputs):
        return list(value)
    known = node.known(value)
    if isinstance(known, np.ndarray) and known.ndim == 1:  # The sizes of a tensor.
        return cast("list[TorchValue]", known.tolist())
    raise ConversionError("a list whose length is known is expected", input=str(index))


# ---- new lists


def joined_lists(node: TorchNode) -> list[TorchValue] | RuntimeList:
    """One list behind the other; in place (``aten::add_``) the first one grows."""
    if isinstance(node[0], RuntimeList) or isinstance(node[1], RuntimeList):
        return _joined_at_run_time(node)
    first, second = _list(node), _list(node, 1)
    node.unfolded(len(first) + len(second), "a list of")
    if node.operator != "aten::add_":
        return [*first, *second]
    first.extend(second)
    return first


def _joined_at_run_time(node: TorchNode) -> RuntimeList:
    in_place = node.operator in ("aten::add_", "aten::extend")
    first = node.model.runtime_list(node.operation.inputs[0]) if in_place else _as_runtime_list(node, 0)
    made = first if in_place else RuntimeList(first.expr, first.element)
    made.extend(_as_runtime_list(node, 1))
    return made


def _as_runtime_list(node: TorchNode, index: int) -> RuntimeList:
    """The list at ``index`` as one whose length is not known; a change of it does not change the program's."""
    given = node[index]
    return given if isinstance(given, RuntimeList) else RuntimeList.of([as_expr(part) for part in _list(node, index)])


def repeated_list(node: TorchNode) -> list[TorchValue]:
    """A list several times behind itself."""
    values, times = _list(node), max(node.integer(1), 0)
    node.unfolded(len(values) * times, "a list of")
    return values * times


def list_slice(node: TorchNode) -> list[TorchValue]:
    """``values[start:end:step]``, each of them known or left out."""
    start, end, step = (None if node[index] is None else node.integer(index) for index in (1, 2, 3))
    return _list(node)[start:end:step]


@converter("aten::keys")
def keys(node: TorchNode) -> TorchResult:
    """The keys of a dictionary."""
    return list(_dict(node))


@converter("aten::values")
def values_of(node: TorchNode) -> TorchResult:
    """The values of a dictionary."""
    return list(_dict(node).values())


@converter("aten::__contains__")
def contains(node: TorchNode) -> TorchResult:
    """Whether a dictionary has a key, or a list of numbers and texts has a value."""
    given = node[0]
    return _key(node, 1) in (given if isinstance(given, dict) else _list(node))


def _dict(node: TorchNode) -> dict[object, TorchValue]:
    value = node[0]
    if isinstance(value, dict):
        return cast("dict[object, TorchValue]", value)
    raise ConversionError("a dictionary whose keys are known is expected", input="0")


@converter("aten::list")
def copied(node: TorchNode) -> TorchResult:
    """A new list of the same values."""
    given = node[0]
    return RuntimeList(given.expr, given.element) if isinstance(given, RuntimeList) else list(_list(node))


# ---- changes in place


@converter("aten::append")
def append(node: TorchNode) -> TorchResult:
    """A list with a value more."""
    given = node[0]
    if isinstance(given, RuntimeList):
        given.append(node.tensor(1))
        return given
    values = _list(node)
    values.append(node[1])
    return values


@converter("aten::extend")
def extend(node: TorchNode) -> TorchResult:
    """A list with the values of another one behind its own."""
    if isinstance(node[0], RuntimeList) or isinstance(node[1], RuntimeList):
        return _joined_at_run_time(node)
    values, more = _list(node), _list(node, 1)
    node.unfolded(len(values) + len(more), "a list of")
    values.extend(more)
    return values


@converter("aten::insert")
def insert(node: TorchNode) -> TorchResult:
    """A list with a value more, before a place that is known."""
    values = _list(node)
    values.insert(node.integer(1), node[2])
    return values


@converter("aten::pop")
def pop(node: TorchNode) -> TorchResult:
    """The value at a place that is known, which the list loses."""
    values = _list(node)
    return values.pop(_place(node, len(values), "the element"))


@converter("aten::Delete")
def delete(node: TorchNode) -> TorchResult:
    """A list without the value at a place that is known."""
    values = _list(node)
    del values[_place(node, len(values), "the element")]
    return values


@converter("aten::_set_item")
def set_item(node: TorchNode) -> TorchResult:
    """A list with another value at a place, or a dictionary under a key that is known."""
    given = node[0]
    if isinstance(given, dict):
        given[_key(node, 1)] = node[2]
        return given
    if isinstance(given, list) and node.known_int(node[1]) is None:
        given = node.model.runtime_list(node.operation.inputs[0])
    if isinstance(given, RuntimeList):
        given.put(node.tensor(1), node.tensor(2))
        return given
    values = _list(node)
    values[_place(node, len(values), "the element")] = node[2]
    return values


@converter("aten::clear")
def clear(node: TorchNode) -> TorchResult:
    """An empty list."""
    given = node[0]
    if isinstance(given, RuntimeList):
        given.expr = None
        return given
    values = _list(node)
    values.clear()
    return values


@converter("aten::reverse")
def reverse(node: TorchNode) -> TorchResult:
    """The list from its end to its beginning, in place."""
    given = node[0]
    if isinstance(given, RuntimeList):
        given.reverse()
        return given
    values = _list(node)
    values.reverse()
    return values
