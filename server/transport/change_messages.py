"""The message that comes with every letter, read without the library's general conversion.

That takes an eighth of all the time from a letter to its diagnostics. What is out of the ordinary here is left to it:
it knows what to say about a message that is not as it should be.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

__all__ = ["change_notification"]


def change_notification(message: Any) -> types.DidChangeTextDocumentNotification | None:
    """What a ``textDocument/didChange`` says (LSP 3.17); ``None`` for another message, and one with a fault."""
    if not isinstance(message, dict) or message.get("method") != types.TEXT_DOCUMENT_DID_CHANGE or "id" in message:
        return None
    try:
        params = message["params"]
        document = params["textDocument"]
        identifier = types.VersionedTextDocumentIdentifier(document["version"], document["uri"])
        changes = tuple(map(_change, params["contentChanges"]))
        return types.DidChangeTextDocumentNotification(
            types.DidChangeTextDocumentParams(identifier, changes), jsonrpc=message["jsonrpc"]
        )
    except (KeyError, TypeError, ValueError):  # a value of the wrong kind is a TypeError or a ValueError there
        return None


def _change(event: dict[str, Any]) -> types.TextDocumentContentChangeEvent:
    if "range" not in event:
        return types.TextDocumentContentChangeWholeDocument(event["text"])
    start, end = event["range"]["start"], event["range"]["end"]
    range = types.Range(
        types.Position(start["line"], start["character"]), types.Position(end["line"], end["character"])
    )
    return types.TextDocumentContentChangePartial(range, event["text"], event.get("rangeLength"))
