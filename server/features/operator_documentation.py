"""An operator or an attribute in words, from its declaration: shared by hover, completion and signature help."""

from __future__ import annotations

from ...ir.attributes import AttributeField
from ...ir.ops import Op
from ...ir.types import DataType

__all__ = ["attribute_documentation", "operator_documentation", "operator_signature", "value_text"]


def value_text(value: object) -> str:
    """A value as Relay's text writes it among a call's attributes."""
    if isinstance(value, (str, DataType)):
        return f'"{value}"'
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def operator_signature(op: Op) -> str:
    """The operator as one would call it: ``nn.leaky_relu(data, alpha=…)``."""
    return f"{op.name}({', '.join(signature_parts(op))})"


def signature_parts(op: Op) -> list[str]:
    """The arguments and attributes of a call, in order."""
    parts = [f"{argument.name}" for argument in op.arguments]
    if op.variadic:
        parts.append("…")
    for field in op.attrs_type.fields().values() if op.attrs_type else ():
        parts.append(f"{field.name}=…" if field.required else f"{field.name}={value_text(field.default)}")
    return parts


def attribute_documentation(field: AttributeField) -> str:
    """What an attribute takes, its default and bounds, and what it means, in Markdown."""
    lines = [f"`{field.name}`: {field.kind}", f"default `{value_text(field.default)}`" if not field.required else ""]
    if field.lower is not None:
        lines.append(f"at least {field.lower:g}")
    if field.upper is not None:
        lines.append(f"at most {field.upper:g}")
    if field.choices:
        lines.append("one of " + ", ".join(f"`{value_text(choice)}`" for choice in field.choices))
    head = ", ".join(line for line in lines if line)
    return f"{head}. {field.doc}" if field.doc else head


def operator_documentation(op: Op) -> str:
    """The operator's documentation with its arguments and attributes, in Markdown."""
    parts = [op.doc.strip()]
    if op.arguments:
        parts.append("**Arguments**\n\n" + "\n".join(f"- `{arg.name}`: {arg.type}. {arg.doc}" for arg in op.arguments))
    if op.attrs_type is not None and op.attrs_type.fields():
        fields = op.attrs_type.fields().values()
        parts.append("**Attributes**\n\n" + "\n".join(f"- {attribute_documentation(field)}" for field in fields))
    if op.relation is None:
        parts.append("*There is no type relation for this operator: its type is not inferred.*")
    return "\n\n".join(part for part in parts if part)
