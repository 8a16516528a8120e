"""What is put in for a completion, with places to jump to: ``nn.dense(${1:data}, ${2:weight})$0``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from relay_lsp.ir.attributes import AttributeField
from relay_lsp.ir.ops import Op

__all__ = ["DEFINITIONS", "KEYWORDS", "applied", "attribute_snippet", "operator_snippet", "placeholder"]

DEFINITIONS = {
    "def": "def @${1:main}(${2:%x: Tensor[(1, 64), float32]}) {\n  $0\n}",
    "type": "type ${1:Option}[${2:A}] {\n  ${3:Some}(${2:A}),\n  $0\n}",
    "#[version]": '#[version = "0.0.5"]\n$0',
}
"""What a module is made of."""

KEYWORDS = {
    "let": "let %${1:x} = $2;\n$0",
    "fn": "fn (%${1:x}: ${2:float32}) {\n  $0\n}",
    "if": "if ($1) {\n  $2\n} else {\n  $0\n}",
    "match": "match ($1) {\n  ${2:_} => $0,\n}",
    "ref": "ref($1)$0",
    "ref_read": "ref_read($1)$0",
    "ref_write": "ref_write($1, $2)$0",
    "True": "",
    "False": "",
}
"""The words that expressions begin with."""


def placeholder(number: int, text: str) -> str:
    """A place to jump to with a text in it."""
    escaped = re.sub(r"([$}\\])", r"\\\1", text)
    return f"${{{number}:{escaped}}}" if escaped else f"${number}"


def applied(name: str, arguments: Iterable[str]) -> str:
    """A call with a place for each argument; the cursor ends behind it, or where there are none, still inside."""
    places = [placeholder(number, argument) for number, argument in enumerate(arguments, 1)]
    return f"{name}({', '.join(places)})$0" if places else f"{name}($0)"


def operator_snippet(op: Op) -> str:
    """A call of an operator with its arguments and the attributes that it cannot do without."""
    arguments = [] if op.variadic else [argument.name for argument in op.arguments]
    if op.variadic or not arguments:
        return f"{op.name}($0)"
    places = [placeholder(number, name) for number, name in enumerate(arguments, 1)]
    fields = op.attrs_type.fields().values() if op.attrs_type is not None else ()
    for field in fields:
        if field.required:
            places.append(f"{field.name}={_value(field, len(places) + 1)}")
    return f"{op.name}({', '.join(places)})$0"


def attribute_snippet(field: AttributeField) -> str:
    """An attribute with a place for its value, in the brackets or quotes that it wants."""
    return f"{field.name}={_value(field, 1)}"


def _value(field: AttributeField, number: int) -> str:
    if isinstance(field.default, str) or field.choices or "dtype" in field.kind:
        return f'"${number}"'
    return f"[${number}]" if field.kind.startswith("a list") else f"${number}"
