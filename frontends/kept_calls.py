"""Calls that no converter knows, kept by their operator's name so that the text can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from relay_lsp.ir.attributes import Attrs, attribute, attributes, has_float_text
from relay_lsp.ir.expressions import Call, Expr, Tuple
from relay_lsp.ir.ops.operator import Op, find
from relay_lsp.ir.syntax.tokens import BY_TEXT
from relay_lsp.ir.types import ERROR

from .operators import Outputs

__all__ = ["FinishedOutputs", "kept_call"]

_GREATEST_INTEGER: Final = 2**63 - 1


def kept_call(framework: str, parts: Sequence[str], args: Sequence[Expr], values: Mapping[str, object]) -> Call:
    """A call of an operator that Relay does not have, of the type ``ERROR``.

    Args:
        framework: whose operator it is, in words.
        parts: the operator's name as the text has it, between dots.
        args: the inputs.
        values: the attributes; those that have no text in Relay are left out.
    """
    name = ".".join(map(_identifier, parts))
    if find(name) is not None:  # A model may call its operators as it likes, and this one is not Relay's.
        name = f"{framework.lower()}.{name}"
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
    """``name`` as a part of an operator's name in a text, or as an attribute's."""
    made = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name) or "_"
    return f"_{made}" if made[0].isdigit() else made


def _attribute_name(name: str) -> str:
    """``name`` as an attribute's name in a text, and as one that a class of attributes can have."""
    made = _identifier(name)
    if made.startswith("__") and not made.endswith("__"):  # Python would give it the class's name.
        made = f"{made}__"
    return f"{made}_" if made in BY_TEXT or made == "self" or hasattr(Attrs, made) else made


def _plain(value: object) -> Any:
    """A value as a text can have it and give it back; ``None`` where there is none, as for what is no number."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, tuple):
        items = [_plain(item) if isinstance(item, (int, float)) else None for item in value]  # pyright: ignore[reportUnknownVariableType]
        return None if None in items else tuple(items)
    if isinstance(value, int):
        return value if abs(value) <= _GREATEST_INTEGER else None
    if isinstance(value, float):
        return value if has_float_text(value) else None
    return None


def _attributes(operator: str, values: Mapping[str, object]) -> Attrs | None:
    """The attributes that have a text in Relay, under a class made for them."""
    given = ((_attribute_name(name), _plain(value)) for name, value in values.items())
    simple: dict[str, Any] = {name: value for name, value in given if value is not None}
    if not simple:
        return None
    fields: dict[str, Any] = {name: attribute(doc="As the model has it.") for name in simple}
    fields["__annotations__"] = dict.fromkeys(simple, Any)
    fields["__module__"] = __name__
    made = attributes("")(type(f"Attrs_{operator.replace('.', '_')}", (Attrs,), fields))
    return made(**simple)
