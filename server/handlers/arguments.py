"""What the commands and requests of our own are given, read with care: a client may send anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from lsprotocol import types
from msgspec.structs import replace

from ..documents.documents import Document
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer
from ..pass_calls import PassCall, PassCallError, parse_pipeline
from .views import refusal

__all__ = [
    "calls_in",
    "cursor_in",
    "field_of",
    "numbers_in",
    "one_argument",
    "open_document",
    "version_in",
]


_LARGEST: Final = 2**31 - 1
"""The largest line and character (LSP 3.17, *uinteger*)."""


def one_argument(arguments: Sequence[object]) -> Mapping[str, object]:
    """The one object that each of our commands takes.

    Raises:
        JsonRpcException: it is something else.
    """
    argument: object = arguments[0] if len(arguments) == 1 else None
    if isinstance(argument, dict):
        return cast("dict[str, object]", argument)
    raise refusal('the command takes one object, such as {"uri": …}')


def field_of(params: object, *path: str) -> object:
    """A part of the parameters of a request of our own, which arrive as objects with attributes."""
    current = params
    for name in path:
        current = fields_of(current).get(name, getattr(current, name, None))
    return current


def open_document(server: RelayLanguageServer, uri: object) -> Document:
    """The open document of this URI.

    Raises:
        JsonRpcException: there is none.
    """
    document = server.state.documents.find(uri) if isinstance(uri, str) else None
    if document is None:
        raise refusal(f"{uri} is not an open document")
    return document


def calls_in(passes: object, function: object = "") -> tuple[PassCall, ...]:
    """The passes of a list or of a text with commas, all of which may change the one ``function`` only, if any.

    Raises:
        JsonRpcException: one of them cannot be read.
    """
    try:
        calls = parse_pipeline(cast("Sequence[str] | str", passes or ()))
    except (PassCallError, TypeError) as error:
        raise refusal(str(error)) from None
    return tuple(replace(call, function=function) for call in calls) if isinstance(function, str) else calls


def numbers_in(given: object) -> tuple[int, ...]:
    """The numbers of steps of the history.

    Raises:
        JsonRpcException: it is no list of numbers.
    """
    numbers = tuple(cast("Sequence[object]", given)) if isinstance(given, (list, tuple)) else (None,)
    if not all(isinstance(number, int) for number in numbers):
        raise refusal('"steps" must be a list of the numbers of steps, such as [3, 4]')
    return cast("tuple[int, ...]", numbers)


def version_in(given: object) -> int | None:
    """The version of the text in the arguments, if they have one."""
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def cursor_in(given: object) -> types.Position | None:
    """The position in the arguments of a command, if they have one that the protocol allows."""
    return _position(field_of(given, "position", "line"), field_of(given, "position", "character"))


def _position(line: object, character: object) -> types.Position | None:
    if not isinstance(line, int) or not isinstance(character, int):
        return None
    return types.Position(line, character) if 0 <= min(line, character) <= max(line, character) <= _LARGEST else None


def position_in(given: object) -> types.Position:
    """A position in the parameters of a request of our own.

    Raises:
        JsonRpcException: it is none.
    """
    position = _position(field_of(given, "line"), field_of(given, "character"))
    if position is None:
        raise refusal('the request needs a position: {"line": …, "character": …}')
    return position
