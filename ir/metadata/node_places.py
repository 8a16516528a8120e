"""Where the nodes of a metadata section stand in its text: looked for only where one of them is at fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..text.text_span import TextSpan
from .partial_json import DECODER, skip_separators

__all__ = ["node_places"]


def node_places(text: str) -> Sequence[TextSpan]:
    """The place of each node in the JSON text of a metadata section, as far as it is JSON."""
    places: Sequence[TextSpan] = ()
    at = skip_separators(text, 0) + 1
    while not text.startswith("}", at := skip_separators(text, at)):
        try:
            key, at = DECODER.raw_decode(text, at)
            at = skip_separators(text, at)
            if key == "nodes" and text.startswith("[", at):
                places = tuple(_items(text, at + 1))
            _, at = DECODER.raw_decode(text, at)
        except ValueError:  # it is no JSON from here on
            break
    return places


def _items(text: str, at: int) -> Iterator[TextSpan]:
    """The values of the list whose bracket is before ``at``."""
    while not text.startswith("]", at := skip_separators(text, at)):
        try:
            _, end = DECODER.raw_decode(text, at)
        except ValueError:
            return
        yield TextSpan(at, end)
        at = end
