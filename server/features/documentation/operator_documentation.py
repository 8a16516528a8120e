"""An operator or an attribute in words, from its declaration: shared by hover, completion and signature help."""

from __future__ import annotations

from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops import Op
from relay_lsp.ir.ops.documentation import value_text

from .markdown import markdown

__all__ = ["attribute_documentation", "operator_documentation"]


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
    return f"{head}. {markdown(field.doc)}" if field.doc else head


def operator_documentation(op: Op) -> str:
    """The operator's documentation with its arguments and attributes, in Markdown."""
    parts = [markdown(op.doc)]
    if op.arguments:
        lines = (f"- `{argument.name}`: {argument.type}. {markdown(argument.doc)}" for argument in op.arguments)
        parts.append("**Arguments**\n\n" + "\n".join(lines))
    if op.attrs_type is not None and op.attrs_type.fields():
        fields = op.attrs_type.fields().values()
        parts.append("**Attributes**\n\n" + "\n".join(f"- {attribute_documentation(field)}" for field in fields))
    if op.relation is None:
        parts.append("*There is no type relation for this operator: its type is not inferred.*")
    return "\n\n".join(part for part in parts if part)
