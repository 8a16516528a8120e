"""Calling an operator by name, and reading the attributes of a call by their class."""

from __future__ import annotations

from typing import TypeVar

from ..attributes import Attrs
from ..expressions import Call, Expr
from .operator import Op, get

__all__ = ["apply", "attrs_of", "is_call_to"]

AttrsClass = TypeVar("AttrsClass", bound=Attrs)


def apply(name: str, *args: Expr, **attributes: object) -> Call:
    """A call of the operator ``name``; attributes that are not given take their defaults.

    Raises:
        KeyError: there is no such operator.
        TypeError: an attribute is unknown, or one without a default is missing.
    """
    op = get(name)
    if op.attrs_type is None:
        if attributes:
            raise TypeError(f"{name} has no attributes")
        return Call(op, args)
    return Call(op, args, op.attrs_type(**attributes))


def attrs_of(call: Call, kind: type[AttrsClass]) -> AttrsClass:
    """The attributes of ``call``, which are of the class ``kind``.

    Raises:
        TypeError: they are of another class.
    """
    if not isinstance(call.attrs, kind):
        raise TypeError(f"{call!r} has attributes of {type(call.attrs).__name__}, not of {kind.__name__}")
    return call.attrs


def is_call_to(expr: Expr, *names: str) -> bool:
    """Whether ``expr`` is a call of one of the operators ``names``."""
    return isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name in names
