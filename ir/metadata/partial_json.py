"""What can be read of the JSON text of a metadata section that stops being JSON somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

__all__ = ["DECODER", "members_before", "skip_separators"]

DECODER: Final = json.JSONDecoder()
_SEPARATORS: Final = re.compile(r"[ \t\r\n,:]*")
_TENSORS: Final = re.compile(r'(?<!\\)"b64ndarrays"\s*:\s*(?=\[)')
"""Inside of a string, the quotation marks of this would have backslashes before them."""


def skip_separators(text: str, at: int) -> int:
    """Where the next value begins, or a bracket closes."""
    match = _SEPARATORS.match(text, at)
    return at if match is None else match.end()


def members_before(text: str, end: int) -> Mapping[str, object]:
    """The members of the object that a text is, of which it is JSON up to ``end``; lists as far as their items go.

    The tensors of a metadata section come after its nodes: where these are cut short, they are read all the same.
    """
    members: dict[str, object] = {}
    at = skip_separators(text, 0)
    if not text.startswith("{", at):
        return members
    at += 1
    while (at := skip_separators(text, at)) < end and text[at] == '"':
        try:
            key, at = DECODER.raw_decode(text, at)
        except ValueError:
            break
        at = skip_separators(text, at)
        if text.startswith("[", at):
            members[key], at = _items_before(text, at + 1, end)
            continue
        try:
            value, at = DECODER.raw_decode(text, at)
        except ValueError:
            break
        if at <= end:
            members[key] = value
    if "b64ndarrays" not in members and (tensors := _TENSORS.search(text, min(end, len(text)))) is not None:
        members["b64ndarrays"], _ = _items_before(text, tensors.end() + 1, len(text))
    return members


def _items_before(text: str, at: int, end: int) -> tuple[list[object], int]:
    """The items before ``end`` of the list whose bracket is before ``at``, and where it ends."""
    items: list[object] = []
    while (at := skip_separators(text, at)) < end:
        if text[at] == "]":
            return items, at + 1
        try:
            item, stop = DECODER.raw_decode(text, at)
        except ValueError:
            break
        if stop > end:
            break
        items.append(item)
        at = stop
    return items, len(text)
