"""The values of number and string tokens.

Source of the rule: ``src/relay/parser/tokenizer.h`` (``ParseNumber``), ``src/support/scalars.cc``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from ..dimensions import FloatImm, IntImm

__all__ = ["MOST_DIGITS_OF_INT32", "Number", "NumberError", "read_number", "read_string"]

Number: TypeAlias = "int | float"

_MOST_DIGITS: Final = 400
"""Of an integer. Python refuses to read one of 4,301."""

MOST_DIGITS_OF_INT32: Final = 9
"""Every whole number of so many digits fits into int32."""

_LARGEST_FLOAT: Final = {"float16": 65504.0, "float32": 3.4028234663852886e38}


class NumberError(msgspec.Struct, frozen=True):
    """Why a token is no number that Relay can hold, and what may have been meant."""

    code: str
    message: str
    suggestion: str | None = None


def read_number(text: str, is_float: bool) -> Number | NumberError:
    """The value of a number token: an ``int`` or ``float``, or :class:`IntImm` or :class:`FloatImm` by its suffix."""
    if len(text) <= MOST_DIGITS_OF_INT32 and not is_float and text.isdigit() and text.isascii():
        return int(text)  # as almost all are
    return _read_number(text, is_float)


@lru_cache(maxsize=4096)
def _read_number(text: str, is_float: bool) -> Number | NumberError:
    digits = text.lstrip("-")
    negative = (len(text) - len(digits)) % 2 == 1
    if is_float:
        return _read_float(digits, negative)
    return _read_integer(digits, negative)


def _width(suffix: str, default: int) -> int | None:
    if not suffix:
        return default
    return int(suffix) if suffix in ("16", "32", "64") else None


def _read_float(digits: str, negative: bool) -> Number | NumberError:
    literal, _, suffix = digits.rpartition("f")
    width = _width(suffix, 32)
    if width is None:
        message = f"`f{suffix}` is no float: the suffixes are f16, f32 and f64"
        return NumberError("invalid-number", message, f"{literal}f")
    if literal == "in":  # `inff`: the infinity of float32
        literal = "inf"
    try:
        value = float(literal)
    except ValueError:
        return NumberError("invalid-number", f"`{literal}` is not a floating point number")
    dtype = f"float{width}"
    limit = _LARGEST_FLOAT.get(dtype)
    infinite = value in (float("inf"),)
    if (infinite and literal != "inf") or (limit is not None and value > limit and not infinite):
        return NumberError("number-out-of-range", f"{_abridged(literal)} does not fit into {dtype}")
    value = -value if negative else value
    return value if dtype == "float32" else FloatImm(value, dtype)


def _read_integer(digits: str, negative: bool) -> Number | NumberError:
    literal, _, suffix = digits.partition("i")
    if not re.fullmatch("[0-9]+", literal):
        if re.fullmatch(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?", literal):
            return NumberError("invalid-number", f"`{literal}` needs the suffix `f` to be a float", f"{literal}f")
        return NumberError("invalid-number", f"`{literal}` is not a number; an operator needs spaces around it")
    if len(literal) > _MOST_DIGITS:
        return NumberError("number-out-of-range", f"a number of {len(literal)} digits does not fit into int64")
    value = -int(literal) if negative else int(literal)
    width = _width(suffix, 32)
    if width is None:
        return NumberError("invalid-number", f"`i{suffix}` is no integer: the suffixes are i16, i32 and i64", literal)
    if not suffix and not _fits(value, 32):
        width = 64  # without a suffix TVM falls back to int64
    if int(literal) >= 1 << 63 or not _fits(value, width):
        return NumberError("number-out-of-range", f"{value} does not fit into int{width}")
    return value if width == 32 else IntImm(value, f"int{width}")


def _abridged(literal: str) -> str:
    return literal if len(literal) <= _MOST_DIGITS else f"a number of {len(literal)} characters"


def _fits(value: int, width: int) -> bool:
    return -(1 << (width - 1)) <= value < 1 << (width - 1)


_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def read_string(text: str) -> str:
    """The value of a string token. Escapes are those of C, which is how TVM prints them."""
    inner = text[1:-1] if len(text) > 1 and text.endswith('"') else text[1:]
    if "\\" not in inner:
        return inner
    return _ESCAPE.sub(_unescape, inner)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _ESCAPED.get(code, code)
