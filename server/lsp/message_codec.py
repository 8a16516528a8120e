"""Messages as bytes, read and written by msgspec: the fast path for long texts and for large answers.

``docs/design/0015-pygls-and-what-stands-beside-it.md`` has the figures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, cast

import msgspec

__all__ = ["Plain", "decode_message", "encode_message", "fields_of", "is_nested_too_deeply"]

_MOST_LEVELS = 100
"""Lists and objects in each other; what the protocol and editors have is a tenth of it."""


class Plain(msgspec.Struct, frozen=True):
    """An answer of dictionaries, lists and structures of msgspec, which are encoded as they are.

    For thousands of objects, the conversion of lsprotocol's types takes most of the time.
    """

    value: Any


def decode_message(body: bytes) -> Any:
    """What the body of a message says.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    try:
        return msgspec.json.decode(body)
    except ValueError:  # halves of surrogate pairs, other encodings: what only the standard library reads
        return json.loads(body)


def encode_message(value: Any) -> bytes:
    """The body of a message of dictionaries, lists and structures of msgspec, :class:`msgspec.Raw` among them."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON has as an escape only
        return json.dumps(value, default=_as_builtins).encode()


def _as_builtins(value: object) -> Any:
    return json.loads(bytes(value)) if isinstance(value, msgspec.Raw) else msgspec.to_builtins(value)


def is_nested_too_deeply(value: object) -> bool:
    """Whether lists and objects are in each other so deeply that what takes them apart, call by call, may not end."""
    level = [value]
    for _ in range(_MOST_LEVELS):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return False
    return True


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def fields_of(given: object) -> dict[str, Any]:
    """The fields of an object of JSON; none where it is something else."""
    return cast("dict[str, Any]", given) if isinstance(given, dict) else {}
