"""The message that is being handled, as the client wrote it: what the types of the protocol do not keep."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING

from .message_codec import fields_of

if TYPE_CHECKING:
    from relay_lsp.ir.text.line_index import LineIndex

__all__ = ["message_at_work", "opened_lines", "parameters_at_work"]

message_at_work: ContextVar[Mapping[str, object] | None] = ContextVar("message_at_work", default=None)
"""The message that is being handled, also by what its handler goes on with later."""

opened_lines: ContextVar[LineIndex | None] = ContextVar("opened_lines", default=None)
"""The text that the message opens that is being handled, where it was read in pieces; in the message it is empty."""


def parameters_at_work() -> Mapping[str, object]:
    """The parameters of the message that is being handled, as the client wrote them."""
    return fields_of(fields_of(message_at_work.get()).get("params"))
