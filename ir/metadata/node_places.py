"""Where the nodes of a metadata section stand in its text: looked for only where one of them is at fault."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from ..text.text_span import TextSpan

__all__ = ["node_places"]

_SPACE: Final = re.compile(r"[ \t\r\n,:]*")
_DECODER: Final = json.JSONDecoder()


def node_places(text: str) -> Sequence[TextSpan]:
    """The place of each node in the JSON text of a metadata section, which is one that can be read as JSON."""
    places: Sequence[TextSpan] = ()
    at = _skip(text, 0) + 1
    while not text.startswith("}", at := _skip(text, at)):
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        if key == "nodes" and text.startswith("[", at):
            places = tuple(_items(text, at + 1))
        _, at = _DECODER.raw_decode(text, at)
    return places


def _items(text: str, at: int) -> Iterator[TextSpan]:
    """The values of the list whose bracket is before ``at``."""
    while not text.startswith("]", at := _skip(text, at)):
        _, end = _DECODER.raw_decode(text, at)
        yield TextSpan(at, end)
        at = end


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()
