"""Attributes of a node as values, as texts, and as protobuf again."""

from __future__ import annotations

from typing import Any, TypeAlias

from onnx import AttributeProto, GraphProto, NodeProto, TensorProto

from ..imported import Layer

__all__ = ["AttributeValue", "as_attribute", "layer_of", "read_attribute"]

AttributeValue: TypeAlias = "int | float | bytes | TensorProto | GraphProto | tuple[Any, ...]"

_FIELDS = {
    AttributeProto.FLOAT: "f",
    AttributeProto.INT: "i",
    AttributeProto.STRING: "s",
    AttributeProto.TENSOR: "t",
    AttributeProto.GRAPH: "g",
    AttributeProto.FLOATS: "floats",
    AttributeProto.INTS: "ints",
    AttributeProto.STRINGS: "strings",
    AttributeProto.TENSORS: "tensors",
    AttributeProto.GRAPHS: "graphs",
}


def read_attribute(attribute: AttributeProto) -> AttributeValue | None:
    """The value of an attribute: a number, bytes, a tensor, a graph, or a tuple of them; ``None`` for other kinds."""
    field = _FIELDS.get(attribute.type)
    if field is None:
        # Models of the first versions have no type: the field that is there is the value.
        present = (name for name in ("f", "i", "s", "t", "g") if attribute.HasField(name))
        repeated = (
            name for name in ("floats", "ints", "strings", "tensors", "graphs") if len(getattr(attribute, name))
        )
        field = next(present, None) or next(repeated, None)
        if field is None:
            return None
    value = getattr(attribute, field)
    return tuple(value) if field.endswith("s") and len(field) > 1 else value


def layer_of(name: str, proto: NodeProto) -> Layer:
    """What is known of a node, by the name of its layer."""
    return Layer(
        name,
        proto.op_type,
        tuple(proto.input),
        tuple(proto.output),
        {declared.name: _attribute_text(declared) for declared in proto.attribute},
    )


def _attribute_text(declared: AttributeProto) -> str:
    if declared.ref_attr_name:
        return f"@{declared.ref_attr_name}"
    value = read_attribute(declared)
    if isinstance(value, TensorProto):
        return f"tensor {TensorProto.DataType.Name(value.data_type)}{list(value.dims)}"  # type: ignore[arg-type]
    if isinstance(value, GraphProto):
        return f"graph {value.name} of {len(value.node)} nodes"
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, tuple):
        shown = [item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item) for item in value[:16]]
        return f"[{', '.join(shown)}{', …' if len(value) > 16 else ''}]"
    return str(value)


def as_attribute(name: str, value: AttributeValue) -> AttributeProto:
    """A value as protobuf has it, for what refers to it by its name."""
    made = AttributeProto(name=name)
    kinds: tuple[tuple[type, str, int], ...] = (
        (int, "i", AttributeProto.INT),
        (float, "f", AttributeProto.FLOAT),
        (bytes, "s", AttributeProto.STRING),
    )
    for kind, field, number in kinds:
        if isinstance(value, kind):
            setattr(made, field, value)
            made.type = number  # type: ignore[assignment]
            return made
        if isinstance(value, tuple) and value and isinstance(value[0], kind):
            plural = {"i": "ints", "f": "floats", "s": "strings"}[field]
            getattr(made, plural).extend(value)
            made.type = number + 5  # type: ignore[assignment]
            return made
    if isinstance(value, TensorProto):
        made.t.CopyFrom(value)
        made.type = AttributeProto.TENSOR
    elif isinstance(value, GraphProto):
        made.g.CopyFrom(value)
        made.type = AttributeProto.GRAPH
    elif isinstance(value, tuple):
        made.type = AttributeProto.INTS
    return made
