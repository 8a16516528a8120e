"""Which arguments and attributes the call around the cursor takes, and which one is being written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from relay_lsp.ir import ops
from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops import Op
from relay_lsp.ir.ops.documentation import value_text
from relay_lsp.ir.semantic.snapshot import CallSite, Snapshot
from relay_lsp.ir.types import FuncType, Type

from .documentation.markdown import markdown
from .documentation.operator_documentation import attribute_documentation

__all__ = ["Parameter", "SignatureHelp", "signature_help"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A part of the signature's label, ``[start, end)`` in it, with its documentation in Markdown."""

    start: int
    end: int
    documentation: str = ""


@dataclass(frozen=True)
class SignatureHelp:
    """A call's signature; ``active`` counts in ``parameters``, and is ``None`` where the cursor is at none."""

    label: str
    documentation: str
    parameters: tuple[Parameter, ...]
    active: int | None


def signature_help(snapshot: Snapshot, offset: int) -> SignatureHelp | None:
    """The signature of the innermost call around ``offset``."""
    call = snapshot.call_at(offset)
    if call is None:
        return None
    op = ops.find(call.op_name)
    if op is not None:
        return _operator_signature(op, call)
    type = _type_of_callee(snapshot, call.op_name, offset)
    if not isinstance(type, FuncType):
        return None
    parts = [(repr(argument), "") for argument in type.arg_types]
    active = call.argument_index if call.argument_index < len(parts) else None
    return _signature(call.op_name, parts, f" -> {type.ret_type!r}", "", active)


def _type_of_callee(snapshot: Snapshot, name: str, offset: int) -> Type | None:
    """The type of a function of the module, of a constructor, or of a value that is visible at ``offset``."""
    of_module = (*snapshot.functions_named([name]), *snapshot.type_symbols)
    symbol = next((symbol for symbol in of_module if symbol.name == name), None)
    if symbol is not None:
        return snapshot.type_of(symbol)
    value = snapshot.visible_value(name, offset)
    return None if value is None else value[1]


def _operator_signature(op: Op, call: CallSite) -> SignatureHelp:
    parts = [(argument.name, f"{argument.type}. {markdown(argument.doc)}") for argument in op.arguments]
    fields: Mapping[str, AttributeField] = op.attrs_type.fields() if op.attrs_type is not None else {}
    active: int | None = None
    if call.attribute is None:
        if call.argument_index < len(op.arguments):
            active = call.argument_index
        elif op.variadic and op.arguments:
            active = len(op.arguments) - 1
    for field in fields.values():
        if field.name == call.attribute:
            active = len(parts)
        default = "…" if field.required else value_text(field.default)
        parts.append((f"{field.name}={default}", attribute_documentation(field)))
    return _signature(op.name, parts, "", markdown(op.doc).partition("\n\n")[0], active)


def _signature(
    name: str, parts: list[tuple[str, str]], result: str, documentation: str, active: int | None
) -> SignatureHelp:
    label = f"{name}("
    parameters: list[Parameter] = []
    for index, (text, words) in enumerate(parts):
        if index:
            label += ", "
        parameters.append(Parameter(len(label), len(label) + len(text), words))
        label += text
    return SignatureHelp(f"{label}){result}", documentation, tuple(parameters), active)
