"""The options of an operator by name, as plain values.

Each operator's options are a table of their own in the schema; the package ``tflite`` has a generated class for each,
with a method for each field. The fields are read by those methods' names: ``StrideW`` is ``stride_w`` here.
"""

from __future__ import annotations

import functools
import re
from typing import Any, TypeAlias

import numpy as np

from .generated import names_of, schema

__all__ = ["OptionValue", "option_text", "read_options"]

OptionValue: TypeAlias = "int | float | bool | str | tuple[int | float, ...] | None"

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MOST_NUMBERS = 4096
"""How many numbers an option holds at most; more are no shape and no list of axes."""


def read_options(operator: Any) -> tuple[str, dict[str, OptionValue]]:
    """The name of an operator's options in the schema and their values; an empty name where it has none."""
    kind, table = operator.BuiltinOptionsType(), operator.BuiltinOptions()
    names = _TABLES
    if not kind and hasattr(operator, "BuiltinOptions2Type"):
        kind, table = operator.BuiltinOptions2Type(), operator.BuiltinOptions2()
        names = _TABLES2
    name = names.get(kind, "")
    accessor = getattr(schema, name, None) if name else None
    if accessor is None or table is None:
        return "", {}
    options = accessor()
    options.Init(table.Bytes, table.Pos)
    return name, {field: _value(method, getattr(options, method)()) for field, method in _fields(accessor)}


def _value(method: str, value: Any) -> OptionValue:
    if isinstance(value, np.ndarray):
        if value.size > _MOST_NUMBERS:
            raise ValueError(f"an option has {value.size} numbers")
        return tuple(value.tolist())
    if method.endswith("AsNumpy"):
        return ()  # The accessor of a vector that is not there gives 0.
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


@functools.cache
def _fields(accessor: type) -> tuple[tuple[str, str], ...]:
    """The fields of a table, each with the method that reads it; those that are tables themselves are left out."""
    methods = vars(accessor)
    vectors = [name[: -len("AsNumpy")] for name in methods if name.endswith("AsNumpy")]
    skipped = {"Init", "GetRootAs", f"GetRootAs{accessor.__name__}", f"{accessor.__name__}BufferHasIdentifier"}
    derived = {f"{name}{suffix}" for name in vectors for suffix in ("", "AsNumpy", "Length", "IsNone")}
    scalars = [name for name in methods if name[:1].isupper() and name not in skipped | derived]
    scalars = [name for name in scalars if not name.endswith(("Length", "IsNone")) or name[:-6] not in methods]
    plain = [(name, name) for name in scalars if methods[name].__code__.co_argcount == 1]
    return tuple((_snake(name), method) for name, method in [*plain, *((name, f"{name}AsNumpy") for name in vectors)])


def _snake(name: str) -> str:
    return _WORD.sub("_", name).lower()


_TABLES = names_of(schema.BuiltinOptions)
_TABLES2 = names_of(schema.BuiltinOptions2) if hasattr(schema, "BuiltinOptions2") else {}
_ENUMERATIONS = {
    "padding": names_of(schema.Padding),
    "fused_activation_function": names_of(schema.ActivationFunctionType),
    "in_data_type": names_of(schema.TensorType),
    "out_data_type": names_of(schema.TensorType),
    "out_type": names_of(schema.TensorType),
    "output_type": names_of(schema.TensorType),
    "mode": names_of(schema.MirrorPadMode),
}


def option_text(name: str, value: OptionValue) -> str:
    """An option as a reader knows it: ``SAME`` rather than ``0``."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    names = _ENUMERATIONS.get(name)
    if names is not None and isinstance(value, int):
        return names.get(value, str(value))
    return str(value)
