"""What the nodes of the graph mean: for each type key its fields, and the object of ours that it stands for.

Source of the rule: each node's ``VisitAttrs`` in ``include/tvm/{ir,relay,tir,target}/*.h``; the order of the fields
is the order in which TVM numbers the nodes below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from ..attributes import Attrs
from ..dimensions import ANY, AnyDim, DimCall, DimCast, DimOperation, SizeVar
from ..expressions import (
    Call,
    Clause,
    Constant,
    Constructor,
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
from ..spans import SequentialSpan, SourceName, Span
from ..types import (
    DataType,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RelayRefType,
    TensorType,
    TupleType,
    TypeCall,
    TypeKind,
    TypeVar,
)
from .encoding import MetadataError
from .objects import Identity, Kind, MetadataNode, PrimType

__all__ = ["SCHEMAS", "UNCONSTRAINED", "Schema", "type_key_of"]


class Schema(msgspec.Struct, frozen=True):
    """One type key: its fields in TVM's order, how to make our object from their values, and how to get them back."""

    fields: Sequence[tuple[str, Kind]]
    make: Callable[[Mapping[str, Any]], object]
    take: Callable[[Any], Sequence[object]]


UNCONSTRAINED: Final = VirtualDevice()
"""The device of everything that names none: one node in TVM."""

_KINDS: Final = {
    0: TypeKind.TYPE,
    1: TypeKind.SHAPE_VAR,
    2: TypeKind.BASE_TYPE,
    4: TypeKind.CONSTRAINT,
    5: TypeKind.ADT_HANDLE,
    6: TypeKind.TYPE_DATA,
}
_KIND_NUMBERS: Final = {kind: number for number, kind in _KINDS.items()}

_OPERATORS: Final = {
    "tir.Add": "+",
    "tir.Sub": "-",
    "tir.Mul": "*",
    "tir.Div": "/",
    "tir.FloorDiv": "//",
    "tir.FloorMod": "%",
    "tir.Mod": "truncmod",
    "tir.Min": "min",
    "tir.Max": "max",
    "tir.EQ": "==",
    "tir.NE": "!=",
    "tir.LT": "<",
    "tir.LE": "<=",
    "tir.GT": ">",
    "tir.GE": ">=",
    "tir.And": "and",
    "tir.Or": "or",
}
_OPERATOR_KEYS: Final = {operator: key for key, operator in _OPERATORS.items()}

_TAIL: Final[tuple[tuple[str, Kind], ...]] = (("virtual_device_", "node"), ("span", "node"), ("_checked_type_", "node"))


def _expression(
    fields: Sequence[tuple[str, Kind]],
    make: Callable[[Mapping[str, Any]], Any],
    take: Callable[[Any], Sequence[object]],
) -> Schema:
    """The schema of an expression, with the fields that every expression ends with."""

    def make_typed(values: Mapping[str, Any]) -> object:
        made = make(values)
        made.checked_type = values["_checked_type_"]
        return made

    def take_all(expr: Any) -> Sequence[object]:
        device = getattr(expr, "virtual_device", None) or UNCONSTRAINED
        return (*take(expr), device, expr.span, expr.checked_type)

    return Schema((*fields, *_TAIL), make_typed, take_all)


def _device(values: Mapping[str, Any]) -> VirtualDevice | None:
    device = values["virtual_device_"]
    return None if device == UNCONSTRAINED else device


def _make_dim_operation(operator: str) -> Callable[[Mapping[str, Any]], object]:
    return lambda values: DimOperation(operator, values["a"], values["b"])


def _make_size_var(nonnegative: bool) -> Callable[[Mapping[str, Any]], object]:
    return lambda values: SizeVar(values["name"], values["dtype"], nonnegative)


def _make_constant(values: Mapping[str, Any]) -> object:
    array, dtype = values["data"]
    made = Constant(array, dtype, values["span"], values["virtual_device_"])
    made.checked_type = values["_checked_type_"]
    return made


def _make_span(values: Mapping[str, Any]) -> object:
    return Span(values["source_name"], values["line"], values["end_line"], values["column"], values["end_column"])


def _take_span(span: Span) -> Sequence[object]:
    return span.source_name, span.line, span.column, span.end_line, span.end_column


_SPAN_FIELDS: Final[tuple[tuple[str, Kind], ...]] = (
    ("source_name", "node"),
    ("line", "int"),
    ("column", "int"),
    ("end_line", "int"),
    ("end_column", "int"),
)

_SIZE_VAR_FIELDS: Final[tuple[tuple[str, Kind], ...]] = (
    ("dtype", "dtype"),
    ("name", "node"),
    ("type_annotation", "node"),
    ("span", "node"),
)

_TARGET_FIELDS: Final[Mapping[str, Sequence[tuple[str, Kind]]]] = {
    "Target": tuple((name, "node") for name in ("kind", "tag", "keys", "attrs", "features", "host")),
    "TargetKind": (("name", "node"), ("default_device_type", "int"), ("default_keys", "node")),
}


def _opaque(type_key: str, fields: Sequence[tuple[str, Kind]]) -> Schema:
    """The schema of a node that is kept as a :class:`MetadataNode`."""
    return Schema(
        fields,
        lambda values: MetadataNode(type_key, fields=dict(values)),
        lambda node: [node.fields[name] for name, _ in fields],
    )


def _take_size_var(var: SizeVar) -> Sequence[object]:
    return var.dtype, var.name, PrimType(var.dtype), None


SCHEMAS: Final[Mapping[str, Schema]] = {
    "relay.Constant": Schema(
        (("data", "tensor"), *_TAIL),
        _make_constant,
        lambda constant: (
            constant,
            constant.virtual_device or UNCONSTRAINED,
            constant.span,
            constant.checked_type,
        ),
    ),
    "relay.Var": _expression(
        (("vid", "node"), ("type_annotation", "node")),
        lambda values: Var(values["vid"].name, values["type_annotation"], values["span"], _device(values)),
        lambda var: (Identity(var.name_hint, var), var.type_annotation),
    ),
    "relay.Id": Schema(
        (("name_hint", "node"),), lambda values: Identity(values["name_hint"]), lambda identity: (identity.name,)
    ),
    "GlobalVar": _expression(
        (("name_hint", "node"),),
        lambda values: GlobalVar(values["name_hint"], values["span"]),
        lambda var: (var.name_hint,),
    ),
    "relay.Tuple": _expression(
        (("fields", "node"),), lambda values: Tuple(values["fields"], values["span"]), lambda tuple_: (tuple_.fields,)
    ),
    "relay.TupleGetItem": _expression(
        (("tuple_value", "node"), ("index", "int")),
        lambda values: TupleGetItem(values["tuple_value"], values["index"], values["span"]),
        lambda item: (item.tuple_value, item.index),
    ),
    "relay.Call": _expression(
        (("op", "node"), ("args", "node"), ("attrs", "node"), ("type_args", "node")),
        lambda values: Call(
            values["op"], values["args"], values["attrs"], tuple(values["type_args"] or ()), values["span"]
        ),
        lambda call: (call.op, call.args, call.attrs, call.type_args),
    ),
    "relay.Let": _expression(
        (("var", "node"), ("value", "node"), ("body", "node")),
        lambda values: Let(values["var"], values["value"], values["body"], values["span"]),
        lambda let: (let.var, let.value, let.body),
    ),
    "relay.If": _expression(
        (("cond", "node"), ("true_branch", "node"), ("false_branch", "node")),
        lambda values: If(values["cond"], values["true_branch"], values["false_branch"], values["span"]),
        lambda if_: (if_.cond, if_.true_branch, if_.false_branch),
    ),
    "relay.Function": _expression(
        (("params", "node"), ("body", "node"), ("ret_type", "node"), ("type_params", "node"), ("attrs", "node")),
        lambda values: Function(
            values["params"],
            values["body"],
            values["ret_type"],
            values["type_params"],
            values["attrs"].fields["__dict__"] if values["attrs"] is not None else None,
            values["span"],
            _device(values),
        ),
        lambda function: (
            function.params,
            function.body,
            function.ret_type,
            function.type_params,
            MetadataNode("DictAttrs", fields={"__dict__": function.attrs}),
        ),
    ),
    "DictAttrs": _opaque("DictAttrs", (("__dict__", "node"),)),
    "relay.RefCreate": _expression(
        (("value", "node"),), lambda values: RefCreate(values["value"], values["span"]), lambda ref: (ref.value,)
    ),
    "relay.RefRead": _expression(
        (("ref", "node"),), lambda values: RefRead(values["ref"], values["span"]), lambda ref: (ref.ref,)
    ),
    "relay.RefWrite": _expression(
        (("ref", "node"), ("value", "node")),
        lambda values: RefWrite(values["ref"], values["value"], values["span"]),
        lambda ref: (ref.ref, ref.value),
    ),
    "relay.Match": _expression(
        (("data", "node"), ("clauses", "node"), ("complete", "bool")),
        lambda values: Match(values["data"], values["clauses"], values["complete"], values["span"]),
        lambda match: (match.data, match.clauses, match.complete),
    ),
    "relay.Clause": Schema(
        (("lhs", "node"), ("rhs", "node")),
        lambda values: Clause(values["lhs"], values["rhs"]),
        lambda clause: (clause.lhs, clause.rhs),
    ),
    "relay.PatternWildcard": Schema(
        (("span", "node"),), lambda values: PatternWildcard(values["span"]), lambda pattern: (pattern.span,)
    ),
    "relay.PatternVar": Schema(
        (("var", "node"), ("span", "node")),
        lambda values: PatternVar(values["var"], values["span"]),
        lambda pattern: (pattern.var, pattern.span),
    ),
    "relay.PatternConstructor": Schema(
        (("constructor", "node"), ("patterns", "node"), ("span", "node")),
        lambda values: PatternConstructor(values["constructor"], values["patterns"], values["span"]),
        lambda pattern: (pattern.constructor, pattern.patterns, pattern.span),
    ),
    "relay.PatternTuple": Schema(
        (("patterns", "node"), ("span", "node")),
        lambda values: PatternTuple(values["patterns"], values["span"]),
        lambda pattern: (pattern.patterns, pattern.span),
    ),
    "relay.Constructor": Schema(
        (
            ("name_hint", "node"),
            ("inputs", "node"),
            ("belong_to", "node"),
            ("tag", "int"),
            ("span", "node"),
            ("_checked_type_", "node"),
        ),
        lambda values: Constructor(
            values["name_hint"], values["inputs"], values["belong_to"], values["tag"], values["span"]
        ),
        lambda constructor: (
            constructor.name_hint,
            constructor.inputs,
            constructor.belong_to,
            constructor.tag,
            constructor.span,
            constructor.checked_type,
        ),
    ),
    "relay.TensorType": Schema(
        (("shape", "node"), ("dtype", "dtype"), ("span", "node")),
        lambda values: TensorType(values["shape"], values["dtype"]),
        lambda type: (type.shape, type.dtype, None),
    ),
    "TupleType": Schema(
        (("fields", "node"), ("span", "node")),
        lambda values: TupleType(values["fields"]),
        lambda type: (type.fields, None),
    ),
    "FuncType": Schema(
        tuple((name, "node") for name in ("arg_types", "ret_type", "type_params", "type_constraints", "span")),
        lambda values: FuncType(values["arg_types"], values["ret_type"], values["type_params"]),
        lambda type: (type.arg_types, type.ret_type, type.type_params, (), None),
    ),
    "TypeVar": Schema(
        (("name_hint", "node"), ("kind", "int"), ("span", "node")),
        lambda values: TypeVar(values["name_hint"], _KINDS.get(values["kind"], TypeKind.TYPE)),
        lambda var: (var.name, _KIND_NUMBERS.get(var.kind, 0), None),
    ),
    "GlobalTypeVar": Schema(
        (("name_hint", "node"), ("kind", "int")),
        lambda values: GlobalTypeVar(values["name_hint"], _KINDS.get(values["kind"], TypeKind.ADT_HANDLE)),
        lambda var: (var.name, _KIND_NUMBERS.get(var.kind, 5)),
    ),
    "TypeCall": Schema(
        (("func", "node"), ("args", "node"), ("span", "node")),
        lambda values: TypeCall(values["func"], values["args"]),
        lambda type: (type.func, type.args, None),
    ),
    "relay.RefType": Schema(
        (("value", "node"), ("span", "node")),
        lambda values: RelayRefType(values["value"]),
        lambda type: (type.value, None),
    ),
    "IncompleteType": Schema(
        (("kind", "int"), ("span", "node")),
        lambda values: IncompleteType(_KINDS.get(values["kind"], TypeKind.TYPE)),
        lambda type: (_KIND_NUMBERS.get(type.kind, 0), None),
    ),
    "PrimType": Schema(
        (("dtype", "dtype"),), lambda values: PrimType(values["dtype"]), lambda type: (DataType(type.dtype),)
    ),
    "tir.Var": Schema(_SIZE_VAR_FIELDS, _make_size_var(nonnegative=False), _take_size_var),
    "tir.SizeVar": Schema(_SIZE_VAR_FIELDS, _make_size_var(nonnegative=True), _take_size_var),
    "tir.Any": Schema((("dtype", "dtype"), ("span", "node")), lambda _: ANY, lambda _: (DataType("int32"), None)),
    "tir.Cast": Schema(
        (("dtype", "dtype"), ("value", "node"), ("span", "node")),
        lambda values: DimCast(values["dtype"], values["value"]),
        lambda cast: (cast.dtype, cast.value, None),
    ),
    "tir.Call": Schema(
        (("dtype", "dtype"), ("op", "node"), ("args", "node"), ("span", "node")),
        lambda values: DimCall(values["op"].text, values["args"], values["dtype"]),
        lambda call: (call.dtype, MetadataNode("Op", call.function), call.args, None),
    ),
    **{
        key: Schema(
            (("dtype", "dtype"), ("a", "node"), ("b", "node"), ("span", "node")),
            _make_dim_operation(operator),
            lambda dim: (dim.dtype, dim.lhs, dim.rhs, None),
        )
        for key, operator in _OPERATORS.items()
    },
    "VirtualDevice": Schema(
        (("device_type_int", "int"), ("virtual_device_id", "int"), ("target", "node"), ("memory_scope", "node")),
        lambda values: VirtualDevice(
            values["device_type_int"], values["virtual_device_id"], values["target"], values["memory_scope"] or ""
        ),
        lambda device: (device.device_type, device.virtual_device_id, device.target, device.memory_scope),
    ),
    "Span": Schema(_SPAN_FIELDS, _make_span, _take_span),
    "SequentialSpan": Schema(
        (*_SPAN_FIELDS, ("spans", "node")),
        lambda values: SequentialSpan(values["spans"]),
        lambda span: (SourceName("SequentialSpan"), 0, 0, 0, 0, span.spans),
    ),
    **{key: _opaque(key, fields) for key, fields in _TARGET_FIELDS.items()},
}

_TYPE_KEYS: Final[Mapping[type, str]] = {
    Constant: "relay.Constant",
    Var: "relay.Var",
    Identity: "relay.Id",
    GlobalVar: "GlobalVar",
    Tuple: "relay.Tuple",
    TupleGetItem: "relay.TupleGetItem",
    Call: "relay.Call",
    Let: "relay.Let",
    If: "relay.If",
    Function: "relay.Function",
    RefCreate: "relay.RefCreate",
    RefRead: "relay.RefRead",
    RefWrite: "relay.RefWrite",
    Match: "relay.Match",
    Clause: "relay.Clause",
    PatternWildcard: "relay.PatternWildcard",
    PatternVar: "relay.PatternVar",
    PatternConstructor: "relay.PatternConstructor",
    PatternTuple: "relay.PatternTuple",
    Constructor: "relay.Constructor",
    TensorType: "relay.TensorType",
    TupleType: "TupleType",
    FuncType: "FuncType",
    TypeVar: "TypeVar",
    GlobalTypeVar: "GlobalTypeVar",
    TypeCall: "TypeCall",
    RelayRefType: "relay.RefType",
    IncompleteType: "IncompleteType",
    PrimType: "PrimType",
    AnyDim: "tir.Any",
    DimCast: "tir.Cast",
    DimCall: "tir.Call",
    VirtualDevice: "VirtualDevice",
    Span: "Span",
    SequentialSpan: "SequentialSpan",
}


def type_key_of(value: object) -> str:
    """TVM's type key of ``value``: the first part of ``meta[type key][index]``.

    Raises:
        MetadataError: nothing in TVM's graph of nodes corresponds to ``value``.
    """
    key = _TYPE_KEYS.get(type(value))
    if key is not None:
        return key
    if isinstance(value, Attrs):
        return value.type_key
    if isinstance(value, SizeVar):
        return "tir.SizeVar" if value.nonnegative else "tir.Var"
    if isinstance(value, DimOperation):
        return _OPERATOR_KEYS[value.operator]
    if isinstance(value, MetadataNode):
        return value.type_key
    if isinstance(value, Mapping):
        return "Map"
    if isinstance(value, (tuple, list)):
        return "Array"
    if isinstance(value, str):
        return "runtime.String"
    if isinstance(value, int):
        return "IntImm"
    if isinstance(value, float):
        return "FloatImm"
    raise MetadataError(f"a {type(value).__name__} cannot stand in the metadata section")
