"""Numbers, strings and attribute values as the text format writes them.

Source of the rule: ``src/support/scalars.cc``, ``src/support/str_escape.h``, ``PrintAttributeValue`` and
``AttrPrinter`` in ``src/relay/printer/relay_text_printer.cc``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from msgspec.structs import fields

from ..attributes import Attrs
from ..dimensions import AnyDim, FloatImm, IntImm, immediate_dtype
from ..expressions import Constant, GlobalVar, VirtualDevice
from ..metadata import MetadataNode, type_key_of
from ..types import DataType

__all__ = [
    "AttributeTexts",
    "MetadataTable",
    "attribute_texts",
    "number_text",
    "scalar_text",
    "string_literal",
    "value_text",
]

_INTEGER_SUFFIXES: Final = {"int16": "i16", "int32": "", "int64": "i64"}
_LEAST_INT64: Final = -(2**63)
"""The one integer whose literal is none: the sign stands before a number that int64 does not have."""
_FLOAT_SUFFIXES: Final = {"float16": "f16", "float32": "f", "float64": "f64"}

_ESCAPES: Final = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\t"): "\\t", ord("\r"): "\\r", ord("\n"): "\\n"}


def string_literal(text: str) -> str:
    """``text`` in quotes; what is not printable ASCII is escaped byte by byte."""
    if text.isascii() and text.isprintable():
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    escaped: list[str] = []
    for byte in text.encode("utf-8", "surrogateescape"):
        if byte in _ESCAPES:
            escaped.append(_ESCAPES[byte])
        else:
            escaped.append(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02X}")
    return '"' + "".join(escaped) + '"'


def _float_digits(value: float) -> str:
    """``value`` with six significant digits, as C++ streams print a double."""
    if math.isnan(value):
        return "-nan" if math.copysign(1.0, value) < 0 else "nan"
    return f"{value:.6g}"


def number_text(value: float) -> str:
    """A number as attribute values and dimensions write it: ``3``, ``3i64``, ``0.5f``, ``True``."""
    if isinstance(value, bool):
        return "True" if value else "False"
    dtype = immediate_dtype(value)
    if isinstance(value, int):
        if dtype == "bool":
            return "True" if value else "False"
        return f"{int(value)}{_INTEGER_SUFFIXES.get(dtype, '')}"
    if dtype in _FLOAT_SUFFIXES:
        return _float_digits(value) + _FLOAT_SUFFIXES[dtype]
    return f"{float(value):f}"


def _digits_that_tell(value: float, dtype: str) -> str:
    """``value`` with six significant digits, or with as many more as tell it from all others of its dtype.

    The number that they say is none beyond the largest of the dtype, which readers refuse.
    """
    if math.isinf(value):
        return _float_digits(value)
    import numpy as np  # loaded already where there is a constant; texts without one are checked without it

    kind, largest = np.dtype(dtype).type, float(np.finfo(dtype).max)
    texts = (f"{value:.{digits}g}" for digits in range(6, 17))
    return next((text for text in texts if abs(float(text)) <= largest and float(kind(text)) == value), repr(value))


def scalar_text(constant: Constant, exact: bool = False) -> str | None:
    """The literal of a constant that has one: a scalar of a common dtype. Others stand in the metadata section.

    So do those whose literal TVM prints and nothing reads back, TVM's parser included: ``nanf``, ``inff16``, and the
    least int64. Floats have six digits, as in TVM; with ``exact``, as many as it takes to read the same number.
    """
    if constant.data.ndim != 0:
        return None
    dtype = constant.dtype
    if dtype in _INTEGER_SUFFIXES:
        number = int(constant.data)
        return f"{number}{_INTEGER_SUFFIXES[dtype]}" if number > _LEAST_INT64 else None
    if dtype in _FLOAT_SUFFIXES:
        value = float(constant.data)
        is_readable = math.isfinite(value) or (math.isinf(value) and dtype == "float32")
        if not is_readable:
            return None
        return (_digits_that_tell(value, dtype) if exact else _float_digits(value)) + _FLOAT_SUFFIXES[dtype]
    if dtype == "bool":
        return "True" if constant.data else "False"
    return None


class MetadataTable:
    """The objects that the text refers to by ``meta[type key][index]``, each once, by identity."""

    def __init__(self, show: bool) -> None:
        self.show: Final = show
        self.objects: Final[dict[str, list[object]]] = {}
        self.references_made = 0
        """How often a text referred to an object."""
        self._references: Final[dict[int, str]] = {}

    def reference(self, value: object) -> str:
        """The text that refers to ``value``.

        Raises:
            MetadataError: nothing in TVM corresponds to ``value``.
        """
        self.references_made += 1
        reference = self._references.get(id(value))
        if reference is None:
            key = type_key_of(value)
            objects = self.objects.setdefault(key, [])
            reference = self._references[id(value)] = f"meta[{key}][{len(objects)}]"
            objects.append(value)
        return reference


class _Text(str):
    """A piece of finished text among values that are still to be written."""

    __slots__ = ()


def value_text(root: object, table: MetadataTable) -> str:
    """An attribute's value: ``None``, a number, a string, a list, or a reference into the metadata section."""
    # Nearly all attributes of nearly all operators are lists of plain integers.
    if type(root) is tuple and set(map(type, cast("tuple[object, ...]", root))) == {int}:
        return f"[{', '.join(map(str, cast('tuple[int, ...]', root)))}]"
    pieces: list[str] = []
    stack: list[object] = [root]
    while stack:
        value = stack.pop()
        if isinstance(value, _Text):
            pieces.append(value)
        elif value is None:
            pieces.append("None")
        elif isinstance(value, str):
            pieces.append(string_literal(value))
        elif isinstance(value, (int, float)):
            pieces.append(number_text(value))
        elif isinstance(value, AnyDim):
            pieces.append("?")
        elif isinstance(value, (tuple, list)):
            _push_list(stack, "[", cast("Sequence[object]", value), "]")
        elif table.show:
            pieces.append(table.reference(value))
        elif isinstance(value, VirtualDevice):
            pieces.append(_device_text(value))
        elif isinstance(value, Attrs):
            pieces.append("{" + ", ".join(attribute_texts(value, table)) + "}")
        elif isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            _push_list(stack, "{", [part for key, item in items for part in (key, _Text("="), item)], "}", step=3)
        elif isinstance(value, GlobalVar):
            pieces.append(f"'{value.name_hint}'")
        else:
            pieces.append(table.reference(value))
    return "".join(pieces)


def _push_list(stack: list[object], opening: str, items: Sequence[object], closing: str, step: int = 1) -> None:
    stack.append(_Text(closing))
    for index in range(len(items) - 1, -1, -1):
        stack.append(items[index])
        if index and index % step == 0:
            stack.append(_Text(", "))
    stack.append(_Text(opening))


def _device_text(device: VirtualDevice) -> str:
    parts: list[str] = []
    default = VirtualDevice()
    for field in fields(device):
        value = getattr(device, field.name)
        if value != getattr(default, field.name):
            shown = value.text or value.type_key if isinstance(value, MetadataNode) else value
            parts.append(f"{field.name}={shown!r}" if isinstance(value, str) else f"{field.name}={shown}")
    return f"VirtualDevice({', '.join(parts) or '?'})"


def attribute_texts(attrs: Attrs, table: MetadataTable) -> list[str]:
    """``name=value`` for each attribute that differs from its default or has none, in the order of declaration."""
    attribute_texts: list[str] = []
    for name, annotation, default in _declared(type(attrs)):
        value = getattr(attrs, name)
        if value is default or (value == default and _same_dtypes(value, default)):
            continue
        if annotation is float:
            if isinstance(default, float) and abs(value - default) < FLOAT_TOLERANCE:
                continue  # What a model keeps as float32 is TVM's default all the same.
            attribute_texts.append(f"{name}={_float_digits(value)}f")
        elif isinstance(value, DataType):
            attribute_texts.append(f'{name}="{value}"')
        else:
            attribute_texts.append(f"{name}={value_text(value, table)}")
    return attribute_texts


class AttributeTexts:
    """What :func:`attribute_texts` gives for attributes that refer to no metadata, each made once.

    Modules before and after a pass share most of their attributes: who prints several keeps one of these.
    """

    def __init__(self) -> None:
        self._texts: dict[int, tuple[Attrs, list[str]]] = {}

    def of(self, attrs: Attrs, table: MetadataTable) -> list[str]:
        """The texts of ``attrs``. Those that refer to ``table`` are made anew: another text has another table."""
        known = self._texts.get(id(attrs))
        if known is not None:
            return known[1]
        references = table.references_made
        texts = attribute_texts(attrs, table)
        if table.references_made == references:
            self._texts[id(attrs)] = (attrs, texts)
        return texts


FLOAT_TOLERANCE: Final = 1e-9
"""How near to its default a number is not printed (``BaseValueEqual`` in ``include/tvm/node/structural_equal.h``)."""

_declarations: dict[type[Attrs], list[tuple[str, Any, Any]]] = {}


def _declared(cls: type[Attrs]) -> list[tuple[str, Any, Any]]:
    declared = _declarations.get(cls)
    if declared is None:
        declared = [(name, field.annotation, field.default) for name, field in cls.fields().items()]
        _declarations[cls] = declared
    return declared


def _same_dtypes(value: object, default: object) -> bool:
    """Whether two equal values agree in the dtypes of their numbers too: ``[1i64]`` is not the default ``[1]``."""
    if isinstance(value, (IntImm, FloatImm)):
        return isinstance(default, (int, float)) and immediate_dtype(value) == immediate_dtype(default)
    if isinstance(value, tuple) and isinstance(default, tuple):
        stack = list(zip(cast("tuple[object, ...]", value), cast("tuple[object, ...]", default), strict=True))
        while stack:
            left, right = stack.pop()
            if isinstance(left, tuple) and isinstance(right, tuple):
                stack.extend(zip(cast("tuple[object, ...]", left), cast("tuple[object, ...]", right), strict=True))
            elif isinstance(left, (IntImm, FloatImm)) and not _same_dtypes(left, right):
                return False
    return True
