"""Which messages are refused, and how: by their form, by when they come, by what they ask for.

Source of the rules: JSON-RPC 2.0, sections 4 and 5; LSP 3.17, *Base Protocol*, *Lifecycle Messages*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import msgspec

__all__ = [
    "INVALID_REQUEST",
    "PARSE_ERROR",
    "Lifecycle",
    "Refusal",
    "answered_already",
    "bad_parameters",
    "internal_error",
    "too_many_requests",
    "unasked_answer",
    "unknown_method",
]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
_METHOD_NOT_FOUND = -32601
_INVALID_PARAMS = -32602
_INTERNAL_ERROR = -32603
_SERVER_CANCELLED = -32802
_NOT_INITIALIZED = -32002


class Refusal(msgspec.Struct, frozen=True):
    """Why a message is not handled. ``request`` is the id to answer to; ``is_silent``: it wants no answer."""

    code: int
    message: str
    request: int | str | None = None
    is_silent: bool = False


def answered_already(fields: Mapping[str, Any]) -> Refusal:
    """Leave the cancellation of a request aside that is answered: a client cannot know that it is."""
    return _refuse(INVALID_REQUEST, "what is to be cancelled is answered already", fields)


def bad_parameters(fields: Mapping[str, Any]) -> Refusal:
    """Refuse a message whose parameters are of the wrong types."""
    return _refuse(_INVALID_PARAMS, f"the parameters of {fields['method']} are not as the protocol has them", fields)


def internal_error(fields: Mapping[str, Any], error: Exception) -> Refusal:
    """Answer a message over which the handling itself has failed."""
    return _refuse(_INTERNAL_ERROR, type(error).__name__, fields)


def too_many_requests(fields: Mapping[str, Any]) -> Refusal:
    """Refuse a request that comes while thousands wait for their answers."""
    return _refuse(_SERVER_CANCELLED, "too many requests wait for an answer", fields)


def unasked_answer() -> Refusal:
    """Leave an answer aside whose id is of no request of ours."""
    return Refusal(INVALID_REQUEST, "an answer to nothing that was asked", is_silent=True)


def unknown_method(fields: Mapping[str, Any]) -> Refusal:
    """Refuse a message of a method that the server does not have."""
    return _refuse(_METHOD_NOT_FOUND, f"unknown method {fields['method'][:80]}", fields)


def _refuse(code: int, message: str, fields: Mapping[str, Any]) -> Refusal:
    return Refusal(code, message, _identity(fields), is_silent="id" not in fields)


class Lifecycle:
    """Which messages a client may send now: ``initialize`` first and once, after ``shutdown`` only ``exit``."""

    def __init__(self) -> None:
        self.is_initialized = False
        self.is_shut_down = False

    def refusal(self, message: object) -> Refusal | None:
        """What is wrong with a message that a client sends now; ``None`` where it can be handled."""
        if not isinstance(message, Mapping):
            return Refusal(INVALID_REQUEST, "a message must be an object; batches are not part of LSP")
        fields = cast("Mapping[str, Any]", message)
        if fields.get("jsonrpc") != "2.0":
            return Refusal(INVALID_REQUEST, 'a message must have "jsonrpc": "2.0"', _identity(fields))
        if "method" not in fields:
            is_answer = _identity(fields) is not None and ("result" in fields or "error" in fields)
            return None if is_answer else Refusal(INVALID_REQUEST, "a message must have a method, or be an answer")
        method = fields["method"]
        if not isinstance(method, str):
            return Refusal(INVALID_REQUEST, "the method must be a string", _identity(fields))
        if "id" in fields and _identity(fields) is None:
            return Refusal(INVALID_REQUEST, "the id of a request must be a number or a string")
        return self._out_of_turn(method, fields)

    def _out_of_turn(self, method: str, fields: Mapping[str, Any]) -> Refusal | None:
        if method == "exit":
            return None
        if self.is_shut_down:
            return _refuse(INVALID_REQUEST, "the server has been shut down", fields)
        if method == "initialize":
            if self.is_initialized:
                return _refuse(INVALID_REQUEST, "the server has been initialized already", fields)
        elif not self.is_initialized:
            return _refuse(_NOT_INITIALIZED, "initialize must come first", fields)
        return None

    def note(self, method: str) -> None:
        """Take note of a message that could be read and is going to be handled."""
        self.is_initialized = self.is_initialized or method == "initialize"
        self.is_shut_down = self.is_shut_down or method == "shutdown"


def _identity(fields: Mapping[str, Any]) -> int | str | None:
    identity = fields.get("id")
    return identity if isinstance(identity, (int, str)) and not isinstance(identity, bool) else None
