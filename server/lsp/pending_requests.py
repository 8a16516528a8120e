"""The requests of the client and of the server that are not answered yet."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .envelope import Refusal, answered_already, bad_parameters, too_many_requests, unasked_answer
from .message_codec import fields_of

__all__ = ["PendingRequests"]

_MOST_PENDING = 4000
"""Requests that may wait for an answer at once; no editor comes near."""


class PendingRequests:
    """The table of futures by id that pygls keeps; those of the server's own requests are futures of threads."""

    def __init__(self, futures: dict[int | str, Any]) -> None:
        self._futures = futures

    def refusal(self, fields: Mapping[str, Any]) -> Refusal | None:
        """Why a message of the right form is not handled, by what is pending; ``None`` where it can be handled."""
        method = fields.get("method")
        if method is None:
            return None if isinstance(self._futures.get(fields["id"]), Future) else unasked_answer()
        if method == types.CANCEL_REQUEST:
            identity = fields_of(fields.get("params")).get("id")
            if not isinstance(identity, (int, str)):
                return bad_parameters(fields)
            return None if identity in self._futures else answered_already(fields)
        return too_many_requests(fields) if "id" in fields and len(self._futures) > _MOST_PENDING else None

    def give_up(self, identity: int | str) -> None:
        """Wait no longer for an answer: what came is none."""
        future = self._futures.pop(identity)
        future.set_exception(JsonRpcException(f"the answer to request {identity} is not as the protocol has it"))

    def cancel_all_but(self, at_work: int | str | None) -> None:
        """Cancel what is being worked at, and what is waited for, but the request that asks for that.

        pygls does so itself at ``shutdown``, but walks the table that each cancelled request takes itself out of.
        """
        for identity, future in list(self._futures.items()):
            if identity != at_work and not future.done():
                future.cancel()
