"""Attributes of the call that is being written, and what can stand as their values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops.documentation import value_text
from relay_lsp.ir.semantic.snapshot import CallSite, Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from .items import Completion, CompletionKind
from .snippets import attribute_snippet

__all__ = ["DTYPES", "attribute_completions", "field_before", "list_completions", "string_values", "value_completions"]

DTYPES: Final = (
    *("float32", "float64", "float16", "bfloat16"),
    *("int32", "int64", "int16", "int8", "uint8", "uint16", "uint32", "uint64", "bool"),
)

_LAYOUTS: Final = (
    *("NCHW", "NHWC", "NCHW4c", "NCHW8c", "NCHW16c", "HWCN", "CHWN"),
    *("NCW", "NWC", "NCDHW", "NDHWC"),
    *("OIHW", "HWIO", "OHWI", "HWOI", "IOHW", "OIHW4i4o", "OIHW16i16o"),
    *("OIW", "WIO", "WOI", "IOW", "OIDHW", "DHWIO", "ODHWI", "IODHW"),
)
"""The layouts that TVM's operators take most."""

_NEAR: Final = 16_384
"""How many code points before the cursor are searched for the values that an attribute has elsewhere."""

_MOST_NEAR: Final = 5


def field_before(call: CallSite | None, before: str) -> AttributeField | None:
    """The attribute whose value is being written: ``before`` ends in ``name=``, or in ``name=[`` and values."""
    match = re.search(r"(\w+)\s*=\s*(?:\[[^\[\]=]*)?\Z", before)
    op = ops.find(call.op_name) if call is not None else None
    if match is None or op is None or op.attrs_type is None:
        return None
    return op.attrs_type.fields().get(match[1])


def attribute_completions(call: CallSite, span: TextSpan) -> Iterator[Completion]:
    """The attributes that the call does not have yet."""
    op = ops.find(call.op_name)
    if op is None or op.attrs_type is None:
        return
    for field in op.attrs_type.fields().values():
        if field.name in call.attributes:
            continue
        yield Completion(
            field.name,
            CompletionKind.ATTRIBUTE,
            span,
            field.kind if field.required else f"{field.kind}, default {value_text(field.default)}",
            insert_text=f"{field.name}=",
            snippet=attribute_snippet(field),
            subject=f"attribute:{op.name}:{field.name}",
        )


def value_completions(snapshot: Snapshot, field: AttributeField, span: TextSpan) -> Iterator[Completion]:
    """The values of an attribute: its default, those that it has in calls before this one, those of its kind."""
    values: dict[str, str] = {}
    if not field.required:
        values[value_text(field.default)] = "default"
    for text in _values_nearby(snapshot, field, span.start):
        values.setdefault(text, "used above")
    for text in string_values(field):
        values.setdefault(f'"{text}"', "")
    if "True or False" in field.kind:
        values.setdefault("True", "")
        values.setdefault("False", "")
    for value, detail in values.items():
        yield Completion(value, CompletionKind.ATTRIBUTE_VALUE, span, detail)


def list_completions(snapshot: Snapshot, field: AttributeField, span: TextSpan) -> Iterator[Completion]:
    """What can stand between the brackets of an attribute's list: the elements of its values, all at once."""
    for item in value_completions(snapshot, field, span):
        text = item.label.strip()
        if text.startswith(("[", "(")) and (inner := text[1:-1].strip().removesuffix(",")):
            yield Completion(inner, CompletionKind.ATTRIBUTE_VALUE, span, item.detail)


def _values_nearby(snapshot: Snapshot, field: AttributeField, offset: int) -> Iterator[str]:
    """The constants that attributes of this name have in the text before ``offset``, the nearest first."""
    near = snapshot.lines.part(max(0, offset - _NEAR), offset)
    values = re.findall(rf"\b{re.escape(field.name)}=(\[[^\[\]]*\]|\"[^\"\n]*\"|[-\w.]+)(?=\s*[,)])", near)
    seen: dict[str, None] = {}
    for value in reversed(values):
        seen.setdefault(value)
        if len(seen) == _MOST_NEAR:
            break
    yield from seen


def string_values(field: AttributeField) -> tuple[str, ...]:
    """The strings that an attribute takes, without their quotes: its choices, layouts of its axes, dtypes."""
    if field.choices:
        return field.choices
    if "dtype" in field.kind:
        return DTYPES
    default = field.default if isinstance(field.default, str) else ""
    if "layout" in field.name:
        return tuple(dict.fromkeys((*([default] if default else []), *_layouts(default))))
    return (default,) if default else ()


def _layouts(default: str) -> Iterator[str]:
    """The layouts of the axes that the default names; all of them where there is none."""
    axes = {letter for letter in default if letter.isupper()}
    for layout in _LAYOUTS:
        if not axes or {letter for letter in layout if letter.isupper()} == axes:
            yield layout
