"""Structural equality of modules, expressions, types and attributes, and a hash that agrees with it.

The rules are TVM's. Two things are equal when they are built alike, where

- names of local variables and type parameters do not matter, but what they refer to does; a variable that nothing
  binds is equal only to itself, unless ``map_free_vars`` lets free variables correspond one to one;
- *sharing matters*: calls, non-empty tuples, ``let``, ``if``, functions, references, ``match`` and variables are nodes
  of a graph, and a value used twice is not equal to two values that are built alike. Constants, projections, types and
  attributes are compared by content wherever they occur;
- functions and data types of a module correspond by name; constants are equal when dtype, shape and bytes are;
  numbers when value and dtype are (floats within 1e-9); spans, inferred types and the virtual device of a function
  are not looked at, nor the type arguments of an operator's call.

One deviation: a module's data types are compared before its functions (TVM: after), so that two modules parsed from one
text are equal even where a function uses a constructor with type parameters. TVM finds them equal only with
``map_free_vars``.

Source of the rule: ``src/node/structural_equal.cc``, ``src/ir/module.cc``, and each node's ``SEqualReduce`` in
``include/tvm/relay/{expr,function,adt}.h`` and ``include/tvm/ir/{type,tensor_type,adt,expr,attrs}.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

from .attributes import Attrs
from .dimensions import AnyDim, DimCall, DimCast, DimOperation, SizeVar, immediate_dtype
from .expressions import (
    Call,
    Clause,
    Constant,
    Constructor,
    ErrorExpr,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
    VirtualDevice,
)
from .module import IRModule, TypeData
from .ops.operator import Op
from .types import (
    CompositeType,
    DataType,
    ErrorType,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    TypeCall,
    TypeVar,
)

__all__ = ["first_difference", "structural_equal", "structural_hash"]

_FLOAT_TOLERANCE = 1e-9

_GRAPH_NODES = frozenset(
    {
        Call,
        Function,
        GlobalTypeVar,
        GlobalVar,
        If,
        IncompleteType,
        Let,
        Match,
        RefCreate,
        RefRead,
        RefWrite,
        SizeVar,
        Tuple,
        TypeVar,
        Var,
    }
)
"""What is compared with its sharing; all of these hash by identity."""

_FREE_VARIABLES = frozenset({GlobalTypeVar, GlobalVar, IncompleteType, SizeVar, TypeVar, Var})

_LEAVES = frozenset({bool, Constant, DataType, float, int, Op, str, type(None)})
"""What is equal to itself, whatever variables correspond to."""

_REPEATED = frozenset({dict, FuncType, RelayRefType, tuple, TupleType, TypeCall})
"""What may be shared without that being compared: a pair of these is looked at once."""

_UNCONSTRAINED = VirtualDevice()
_NOTHING_ABRIDGED: Mapping[object, Sequence[object]] = {}

Part: TypeAlias = "tuple[str, object, bool]"
"""A part of a node: what it is called, the part, and whether it is a definition, where new names come in."""


def _items(name: str, values: Sequence[object], defines: bool = False) -> list[Part]:
    return [(f"{name}[{index}]", value, defines) for index, value in enumerate(values)]


def _call_parts(call: Call) -> list[Part]:
    parts: list[Part] = [("op", call.op, False)]
    parts += _items("args", call.args)
    parts.append(("attrs", call.attrs, False))
    if type(call.op) is not Op:
        parts.append(("type_args", call.type_args, False))
    return parts


def _function_parts(function: Function) -> list[Part]:
    return [
        *_items("params", function.params, defines=True),
        *_items("type_params", function.type_params, defines=True),
        ("ret_type", function.ret_type, False),
        ("attrs", function.attrs, False),
        ("body", function.body, False),
    ]


def _func_type_parts(type: FuncType) -> list[Part]:
    return [
        *_items("type_params", type.type_params, defines=True),
        *_items("arg_types", type.arg_types),
        ("ret_type", type.ret_type, False),
    ]


def _module_parts(module: IRModule) -> list[Part]:
    functions = sorted(module.functions.items(), key=lambda item: item[0].name_hint)
    definitions = sorted(module.type_definitions.items(), key=lambda item: item[0].name)
    return [
        ("attrs", module.attrs, False),
        *((f"@{var.name_hint}", var, True) for var, _ in functions),
        *((var.name, var, True) for var, _ in definitions),
        *((f"type {var.name}", data, False) for var, data in definitions),
        *((f"def @{var.name_hint}", function, False) for var, function in functions),
    ]


def _type_data_parts(data: TypeData) -> list[Part]:
    return [
        ("header", data.header, True),
        *_items("type_vars", data.type_vars, defines=True),
        *_items("constructors", data.constructors),
    ]


_PARTS: Mapping[type, Callable[[Any], Sequence[Part]]] = {
    IRModule: _module_parts,
    TypeData: _type_data_parts,
    Call: _call_parts,
    Function: _function_parts,
    Let: lambda let: [("var", let.var, True), ("value", let.value, False), ("body", let.body, False)],
    Tuple: lambda tuple_: _items("fields", tuple_.fields),
    TupleGetItem: lambda item: [("tuple_value", item.tuple_value, False)],
    If: lambda if_: [
        ("cond", if_.cond, False),
        ("true_branch", if_.true_branch, False),
        ("false_branch", if_.false_branch, False),
    ],
    Match: lambda match: [("data", match.data, False), *_items("clauses", match.clauses)],
    Clause: lambda clause: [("lhs", clause.lhs, False), ("rhs", clause.rhs, False)],
    PatternVar: lambda pattern: [("var", pattern.var, True)],
    PatternTuple: lambda pattern: _items("patterns", pattern.patterns),
    PatternConstructor: lambda pattern: [
        ("constructor", pattern.constructor, False),
        *_items("patterns", pattern.patterns),
    ],
    RefCreate: lambda ref: [("value", ref.value, False)],
    RefRead: lambda ref: [("ref", ref.ref, False)],
    RefWrite: lambda ref: [("ref", ref.ref, False), ("value", ref.value, False)],
    ErrorExpr: lambda error: _items("parts", error.parts),
    Constructor: lambda constructor: _items("inputs", constructor.inputs),
    Var: lambda var: [
        ("type_annotation", var.type_annotation, False),
        ("virtual_device", var.virtual_device or _UNCONSTRAINED, False),
    ],
    VirtualDevice: lambda device: [("target", device.target, False)],
    TensorType: lambda type: [("shape", type.shape, False)],
    TupleType: lambda type: _items("fields", type.fields),
    FuncType: _func_type_parts,
    TypeCall: lambda type: [("func", type.func, False), *_items("args", type.args)],
    RelayRefType: lambda type: [("value", type.value, False)],
    DimOperation: lambda dim: [("lhs", dim.lhs, False), ("rhs", dim.rhs, False)],
    DimCast: lambda dim: [("value", dim.value, False)],
    DimCall: lambda dim: _items("args", dim.args),
    tuple: lambda values: _items("", values),
    list: lambda values: _items("", values),
}

_CONTENT: Mapping[type, Callable[[Any], object]] = {
    TupleGetItem: lambda item: item.index,
    Match: lambda match: (match.complete, len(match.clauses)),
    Call: lambda call: len(call.args),
    Tuple: lambda tuple_: len(tuple_.fields),
    Function: lambda function: (len(function.params), len(function.type_params)),
    PatternTuple: lambda pattern: len(pattern.patterns),
    PatternConstructor: lambda pattern: len(pattern.patterns),
    Constructor: lambda constructor: (constructor.name_hint, len(constructor.inputs)),
    GlobalVar: lambda var: var.name_hint,
    Op: lambda op: op.name,
    VirtualDevice: lambda device: (device.device_type, device.virtual_device_id, device.memory_scope),
    TypeData: lambda data: (len(data.type_vars), len(data.constructors)),
    TensorType: lambda type: type.dtype,
    TupleType: lambda type: len(type.fields),
    FuncType: lambda type: (len(type.type_params), len(type.arg_types)),
    TypeCall: lambda type: len(type.args),
    TypeVar: lambda var: var.kind,
    GlobalTypeVar: lambda var: var.name,
    IncompleteType: lambda type: type.kind,
    SizeVar: lambda var: (var.dtype, var.nonnegative),
    DimOperation: lambda dim: (dim.operator, dim.dtype),
    DimCast: lambda dim: dim.dtype,
    DimCall: lambda dim: (dim.function, dim.dtype, len(dim.args)),
    IRModule: lambda module: (
        sorted(var.name_hint for var in module.functions),
        sorted(var.name for var in module.type_definitions),
    ),
    tuple: len,
    list: len,
    AnyDim: lambda _: None,
    PatternWildcard: lambda _: None,
    ErrorType: lambda _: None,
}


def _parts(node: object) -> Sequence[Part]:
    """The parts of ``node`` in the order in which they are compared: definitions before their uses."""
    find = _PARTS.get(type(node))
    if find is not None:
        return find(node)
    if isinstance(node, Attrs):
        return [(name, getattr(node, name), False) for name in type(node).fields()]
    if isinstance(node, Mapping):
        return [(str(key), node[key], False) for key in sorted(node, key=str)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return ()


def _content(node: object) -> object:
    """What of ``node`` itself must agree, apart from its parts, its kind and floats."""
    find = _CONTENT.get(type(node))
    if find is not None:
        return find(node)
    if isinstance(node, Constant):
        return node.dtype, node.data.shape, node.data.tobytes()
    if isinstance(node, Mapping):
        return sorted(map(str, node))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(node, str):
        return str(node)
    if isinstance(node, int):
        return int(node), immediate_dtype(node)
    if isinstance(node, float):
        return immediate_dtype(node)
    if type(node) in _PARTS or isinstance(node, Attrs) or node is None:
        return None
    return node


def _kind(node: object) -> object:
    """What two nodes must share to be compared at all."""
    kind = type(node)
    if kind in _PARTS or kind in _CONTENT:
        return kind
    if isinstance(node, str):
        return str
    if isinstance(node, int):
        return int
    if isinstance(node, float):
        return float
    return Mapping if isinstance(node, Mapping) else kind


class _Task:
    """One pair still to be compared, and the way that leads to it."""

    __slots__ = ("graph", "label", "lhs", "map_free_vars", "parent", "rhs")

    def __init__(
        self, lhs: object, rhs: object, map_free_vars: bool, parent: _Task | None, label: str, graph: bool = False
    ) -> None:
        self.lhs = lhs
        self.rhs = rhs
        self.map_free_vars = map_free_vars
        self.parent = parent
        self.label = label
        self.graph = graph

    def path(self) -> str:
        labels: list[str] = []
        task: _Task | None = self
        while task is not None:
            labels.append(task.label)
            task = task.parent
        labels.reverse()
        if len(labels) > 16:
            labels[8:-6] = [f"… {len(labels) - 14} more …"]
        return ".".join(label for label in labels if label).replace(".[", "[")


def _difference(lhs: object, rhs: object, map_free_vars: bool) -> tuple[_Task, str] | None:
    """The first pair that differs, and why; ``None`` where everything agrees."""
    forward: dict[object, object] = {}
    backward: dict[object, object] = {}
    compared: dict[tuple[int, int, bool], _Task] = {}  # which keeps both alive, so that no identity is used twice
    stack = [_Task(lhs, rhs, map_free_vars, None, "")]
    while stack:
        task = stack.pop()
        left, right = task.lhs, task.rhs
        if task.graph:
            forward[left] = right
            backward[right] = left
            continue
        kind = type(left)
        if kind is not type(right) and _kind(left) != _kind(right):
            return task, f"{_describe(left)} against {_describe(right)}"
        if kind in _REPEATED:
            pair = (id(left), id(right), task.map_free_vars)
            if pair in compared:
                continue
            compared[pair] = task
        if kind in _GRAPH_NODES:
            counterpart = forward.get(left)
            if counterpart is not None:
                if counterpart is right:
                    continue
                return task, f"{_describe(left)} corresponds to another node than {_describe(right)} elsewhere"
            if right in backward:
                return task, f"{_describe(right)} is used once more on the right than on the left"
            if kind in _FREE_VARIABLES and left is not right and not task.map_free_vars:
                return task, f"{_describe(left)} and {_describe(right)} are free and not the same"
        if _content(left) != _content(right):
            return task, f"{_describe(left)} against {_describe(right)}"
        if (
            isinstance(left, float)
            and isinstance(right, float)
            and left != right
            and not abs(left - right) < _FLOAT_TOLERANCE
        ):
            return task, f"{left!r} against {right!r}"
        if kind in _GRAPH_NODES and not (isinstance(left, Tuple) and not left.fields):
            stack.append(_Task(left, right, False, None, "", graph=True))
        free = task.map_free_vars
        left_parts, right_parts = _parts(left), _parts(right)
        if len(left_parts) != len(right_parts):
            return task, f"{_describe(left)} has {len(left_parts)} parts and {_describe(right)} {len(right_parts)}"
        if left_parts:
            pairs = list(zip(left_parts, right_parts, strict=True))
            for (label, left_part, defines), (_, right_part, _) in reversed(pairs):
                if left_part is right_part and type(left_part) in _LEAVES:
                    continue
                stack.append(_Task(left_part, right_part, free or defines, task, label))
    return None


def _describe(node: object) -> str:
    if isinstance(node, Call):
        return f"a call of {_describe(node.op)} with {len(node.args)} arguments"
    if isinstance(node, Constant):
        if node.is_scalar:
            return f"the constant {node.data.item()!r} of dtype {node.dtype}"
        return f"a constant {node.tensor_type!r}"
    if isinstance(node, (Var, GlobalVar, Op, Constructor)):
        return repr(node)
    if isinstance(node, TupleGetItem):
        return f"item {node.index} of a tuple"
    if isinstance(node, Tuple):
        return f"a tuple of {len(node.fields)}"
    if isinstance(node, Function):
        return f"a function of {len(node.params)} parameters and {len(node.type_params)} type parameters"
    if isinstance(node, Match):
        return f"a {'match' if node.complete else 'match?'} of {len(node.clauses)} arms"
    if isinstance(node, Expr):
        return f"a {type(node).__name__}"
    if isinstance(node, IRModule):
        names = ", ".join([f"@{var.name_hint}" for var in node] + [var.name for var in node.type_definitions])
        return f"a module of {names}"
    if isinstance(node, Mapping):
        return "{" + ", ".join(sorted(map(str, node))) + "}"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(node, (int, float)) and immediate_dtype(node) not in ("int32", "float32", "bool"):
        return f"{node!r} of dtype {immediate_dtype(node)}"
    return repr(node)


def structural_equal(a: object, b: object, map_free_vars: bool = False) -> bool:
    """Whether ``a`` and ``b`` (modules, expressions, types, attributes) are built alike; see the module's text.

    Args:
        a: the one.
        b: the other.
        map_free_vars: whether free variables may correspond to each other, instead of only to themselves.
    """
    return _difference(a, b, map_free_vars) is None


def first_difference(a: object, b: object, map_free_vars: bool = False) -> str | None:
    """Where ``a`` and ``b`` first differ and how, in words for a test or a report; ``None`` where they are equal.

    The place is a path such as ``def @main.body.args[0].attrs.axis``.
    """
    difference = _difference(a, b, map_free_vars)
    if difference is None:
        return None
    task, reason = difference
    path = task.path()
    return f"{path}: {reason}" if path else reason


def structural_hash(node: object, abridged: Mapping[object, Sequence[object]] = _NOTHING_ABRIDGED) -> int:
    """A number of 64 bits that is the same for everything structurally equal, with and without ``map_free_vars``.

    It does not change between runs. Floats do not enter, for two that differ by less than 1e-9 are equal.

    Args:
        node: a module, an expression, a type or attributes.
        abridged: what enters in the place of some functions below ``node``: their own hash and what they leave free,
            so that hashing each of many nested functions costs what lies between it and the next.
    """
    digest = blake2b(digest_size=8)
    numbers: dict[object, int] = {}
    stack: list[object] = [node]
    pieces: list[str] = []
    while stack:
        current = stack.pop()
        if type(current) in _GRAPH_NODES and not (isinstance(current, Tuple) and not current.fields):
            number = numbers.get(current)
            if number is not None:
                pieces.append(f"#{number}")
                continue
            numbers[current] = len(numbers)
            if current in abridged:
                stack.extend(reversed(abridged[current]))
                continue
        kind = _kind(current)
        if isinstance(current, Constant):
            content: object = (current.dtype, current.data.shape, blake2b(current.data.tobytes()).hexdigest())
        else:
            content = _content(current)
        if isinstance(current, CompositeType) and current.is_vast:
            pieces.append(f"vast {type(current).__name__}")  # unfolded, it would take for ever
            continue
        pieces.append(f"{getattr(kind, '__name__', kind)}:{content!r}")
        stack.extend(part for _, part, _ in reversed(_parts(current)))
        if len(pieces) > 4096:
            digest.update("\0".join(pieces).encode("utf-8", "surrogatepass"))
            pieces.clear()
    digest.update("\0".join(pieces).encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest(), "little")
