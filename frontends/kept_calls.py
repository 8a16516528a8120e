"""Calls that no converter knows, kept by their operator's name so that the text can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relay_lsp.ir.attributes import Attrs, attribute, attributes
from relay_lsp.ir.expressions import Call, Expr, Tuple
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import ERROR

from .operators import Outputs

__all__ = ["FinishedOutputs", "kept_call"]


def kept_call(framework: str, parts: Sequence[str], args: Sequence[Expr], values: Mapping[str, object]) -> Call:
    """A call of an operator that Relay does not have, of the type ``ERROR``.

    Args:
        framework: whose operator it is, in words.
        parts: the operator's name as the text has it, between dots.
        args: the inputs.
        values: the attributes; those that have no text in Relay are left out.
    """
    name = ".".join(map(_identifier, parts))
    attrs = _attributes(name, values)
    operator = Op(
        name,
        doc=f"An operator of {framework} that Relay does not have.",
        attrs=None if attrs is None else type(attrs),
        variadic=True,
    )
    call = Call(operator, tuple(args), attrs)
    call.checked_type = ERROR
    return call


class FinishedOutputs(Outputs):
    """Results that are expressions of their own already."""

    def __init__(self, fields: Sequence[Expr]) -> None:
        super().__init__(Tuple(tuple(fields)), len(fields))
        self._fields = fields

    def __getitem__(self, index: int | slice) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        assert isinstance(index, int)
        return self._fields[index]


def _identifier(name: str) -> str:
    """``name`` as a part of an operator's name in a text."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name) or "_"


def _attributes(operator: str, values: Mapping[str, object]) -> Attrs | None:
    """The attributes that have a text in Relay, under a class made for them."""
    simple: dict[str, Any] = {}
    for name, value in values.items():
        if not name.isidentifier():
            continue
        if isinstance(value, bytes):
            simple[name] = value.decode("utf-8", "replace")
        elif isinstance(value, (int, float, str)) or (
            isinstance(value, tuple) and all(isinstance(item, (int, float)) for item in value)  # pyright: ignore[reportUnknownVariableType]
        ):
            simple[name] = value
    if not simple:
        return None
    fields: dict[str, Any] = {name: attribute(doc="As the model has it.") for name in simple}
    fields["__annotations__"] = dict.fromkeys(simple, Any)
    fields["__module__"] = __name__
    made = attributes("")(type(f"Attrs_{operator.replace('.', '_')}", (Attrs,), fields))
    return made(**simple)
