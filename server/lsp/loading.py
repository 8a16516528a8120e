"""Loads lsprotocol's 550 types without compiling methods for them; each gets them when it is first used.

A session uses some fifty of the types. To compile the methods of all, and to resolve what their fields refer to, would
take a third of the time from the start of a server to its first diagnostics. Types that were imported before stay as
they are.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from threading import RLock
from typing import Any, cast

import attrs

__all__ = ["load_protocol", "without_capabilities"]

_define: Any = attrs.define
_defining = RLock()
"""Held while a type gets its methods: handlers and threads may need one at the same time."""


def load_protocol() -> None:
    """Import ``lsprotocol.types``; what it declares is equal, and prints, as attrs would have it."""
    attrs.define = _put_off
    try:
        importlib.import_module("lsprotocol.types")
    finally:
        attrs.define = _define
    # lsprotocol resolves all types at once before the first message; ours are resolved each with its methods. It has no
    # public name for that: tests/server/test_cold_start.py fails when it changes this one.
    hooks: Any = importlib.import_module("lsprotocol._hooks")
    hooks._resolved_forward_references = True


def without_capabilities(message: Mapping[str, object]) -> dict[str, object]:
    """The message to make lsprotocol's types of. What a client can do is looked up in what it wrote itself: to make
    types of it would cost methods for a hundred classes before the first answer."""
    params = message.get("params")
    if message.get("method") != "initialize" or not isinstance(params, dict):
        return dict(message)
    fields = cast("dict[str, object]", params)
    is_readable = isinstance(fields.get("capabilities"), dict)
    return {**message, "params": {**fields, "capabilities": {}}} if is_readable else dict(message)


def _put_off(cls: type) -> type:
    """The class as it is, with an initialiser and a list of fields that make the real ones."""
    put_off = _PutOff(cls)

    def initialize(self: Any, *values: Any, **named: Any) -> None:
        put_off.define()
        self.__init__(*values, **named)

    made: Any = cls
    made.__init__ = initialize
    made.__attrs_attrs__ = put_off
    if "__eq__" not in vars(cls):
        made.__eq__ = _is_equal
        made.__hash__ = None
    if "__repr__" not in vars(cls):
        made.__repr__ = _text
    return cls


class _PutOff:
    """Stands where attrs keeps the fields of a class until they are asked for."""

    def __init__(self, cls: type) -> None:
        self._class = cls
        self._is_defined = False

    def __get__(self, instance: object, owner: type) -> object:
        self.define()
        fields: Any = self._class
        return fields.__attrs_attrs__

    def define(self) -> None:
        """Have attrs define the class, and resolve the types of its fields."""
        with _defining:
            if self._is_defined:
                return
            self._is_defined = True
            types = importlib.import_module("lsprotocol.types")
            # The class stays the same object, because other types refer to it: therefore no slots.
            _define(self._class, slots=False, init=True, eq=False, repr=False)
            attrs.resolve_types(self._class, types.ALL_TYPES_MAP, {})


def _values(value: object) -> list[tuple[str, object]]:
    kind: Any = type(value)
    return [(field.name, getattr(value, field.name)) for field in attrs.fields(kind)]


def _is_equal(self: object, other: object) -> bool:
    if type(other) is not type(self):
        return NotImplemented
    return _values(self) == _values(other)


def _text(self: object) -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in _values(self))})"
