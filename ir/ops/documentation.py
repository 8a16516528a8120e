"""Documentation of operators in Markdown, from their declarations.

``docs/operators.md`` is what :func:`document_operators` gives; a test compares them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from ..attributes import AttributeField, Attrs
from .operator import Op, OpPattern, registered

__all__ = [
    "document_operator",
    "document_operators",
    "kind_text",
    "operator_properties",
    "signature",
    "value_text",
]

_PATTERNS = {
    OpPattern.ELEMWISE: "elementwise",
    OpPattern.BROADCAST: "broadcast",
    OpPattern.INJECTIVE: "injective",
    OpPattern.COMM_REDUCE: "reduction",
    OpPattern.OUT_ELEMWISE_FUSABLE: "takes elementwise operators after it",
    OpPattern.TUPLE: "tuple",
    OpPattern.OPAQUE: "opaque",
}

_PREFACE = """\
# Operators

Generated from the declarations in `ir/ops` by `relay-lsp ops --markdown`; do not edit.

An attribute without a default must be given. *Fusion* is how FuseOps treats the operator, *level* is TVM's support
level. Operators are those of TVM v0.12.0.
"""


def signature(op: Op) -> str:
    """The call in one line: ``nn.leaky_relu(data, alpha=0.25)``; a required attribute has ``…`` as its value."""
    parts = [argument.name for argument in op.arguments]
    if op.variadic:
        parts.append("…")
    parts.extend(f"{field.name}={_default(field)}" for field in _fields(op.attrs_type))
    return f"{op.name}({', '.join(parts)})"


def document_operator(op: Op) -> str:
    """All about one operator: what it computes, arguments, attributes, how passes treat it."""
    lines = [f"### `{op.name}`", "", _paragraphs(op.doc), "", "```", signature(op), "```", ""]
    if op.arguments:
        lines += ["| argument | |", "|---|---|"]
        lines += [f"| `{argument.name}` | {_cell(argument.doc)} |" for argument in op.arguments]
        lines.append("")
    attrs_type = op.attrs_type or op.metadata_attrs_type
    fields = _fields(attrs_type)
    if attrs_type is not None and op.attrs_type is None:
        lines += [f"A text gives its attributes as `meta[{attrs_type.type_key}][…]`.", ""]
    if fields:
        lines += ["| attribute | takes | default | |", "|---|---|---|---|"]
        lines.extend(map(_row, fields))
        lines.append("")
    lines += [operator_properties(op), ""]
    return "\n".join(lines)


def document_operators(operators: Iterable[Op] | None = None) -> str:
    """The whole of ``docs/operators.md``: every registered operator, or ``operators``, by family and name."""
    families: dict[str, list[Op]] = {}
    for op in sorted(registered().values() if operators is None else operators, key=lambda op: op.name):
        families.setdefault(_family(op), []).append(op)
    sections = [_PREFACE]
    for family in sorted(families, key=lambda name: (name != "", name)):
        members = families[family]
        sections.append(f"## {f'`{family}.`' if family else 'Tensors'}\n")
        sections.extend(map(document_operator, members))
    return "\n".join(sections)


def _family(op: Op) -> str:
    prefix, dot, _ = op.name.partition(".")
    return prefix if dot else ""


def _fields(attrs_type: type[Attrs] | None) -> list[AttributeField]:
    return [] if attrs_type is None else list(attrs_type.fields().values())


def _default(field: AttributeField) -> str:
    return "…" if field.required else value_text(field.default)


def value_text(value: object) -> str:
    """A value as Relay's text has it, floats without their suffix."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(value_text, value))}]"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (bool, int, type(None))):
        return str(value)
    if isinstance(value, float):
        return f"{value:g}"
    return type(value).__name__ + "()"


def _default_cell(field: AttributeField) -> str:
    return "" if field.required else f"`{value_text(field.default)}`"


def _row(field: AttributeField) -> str:
    return f"| `{field.name}` | {_kind_cell(field)} | {_default_cell(field)} | {_cell(field.doc)} |"


def _kind_cell(field: AttributeField) -> str:
    return kind_text(field).replace("|", "\\|")


def kind_text(field: AttributeField) -> str:
    """What an attribute takes: its kind, with the choices and the bounds that there are."""
    kind = field.kind
    if field.choices:
        kind += f": {', '.join(f'`{choice}`' for choice in field.choices)}"
    if field.lower is not None:
        kind += f", at least {field.lower:g}"
    if field.upper is not None:
        kind += f", at most {field.upper:g}"
    return kind


def operator_properties(op: Op) -> str:
    """How passes treat an operator, in one line."""
    fusion = "refused, TVM registers no pattern" if op.without_pattern else _PATTERNS[op.pattern]
    properties = [f"Fusion: {fusion}", f"level {op.support_level}"]
    if op.stateful:
        properties.append("has effects, so it is never folded or removed")
    if op.infer_layout is not None:
        properties.append("follows a change of layout")
    if op.kernel is None:
        properties.append("cannot be evaluated here")
    return "; ".join(properties) + "."


def _paragraphs(doc: str) -> str:
    return inspect.cleandoc(doc)


def _cell(doc: str) -> str:
    return " ".join(inspect.cleandoc(doc).split()).replace("|", "\\|")
