"""What a comment says of where a value comes from.

Three forms stand in Relay dumps: ``/* ty=… span=model.relay:4:16 */`` of TVM's printer, ``/* si=[torch.relu_9] */`` of
modules that carry their source through passes (TVM Explorer), and ``/* conv1 */``, a bare layer name, of front ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .spans import SourceName, Span

__all__ = ["NamedSource", "sources_in"]

_SPAN = re.compile(r"\bspan=(?P<spans>.*?)\s*(?:\*/|\Z)", re.DOTALL)
_SOURCES = re.compile(r"\bsi=(?:\[(?P<list>[^\]]*)\]|(?P<one>[^\s*]+))")
_LAYER = re.compile(r"(?:/\*|//)\s*(?P<name>[A-Za-z_][\w.:/-]*)\s*(?:\*/)?\s*\Z")
_POSITION = re.compile(r"(?P<name>.+?):(?P<line>\d+):(?P<column>\d+)\Z", re.DOTALL)


class NamedSource(NamedTuple):
    """A span that a comment names, and from where to where in the comment. A layer has line and column 0."""

    span: Span
    start: int
    end: int


def sources_in(comment: str) -> Iterator[NamedSource]:
    """What a comment, from its ``/*`` or ``//`` on, names as sources, each once."""
    seen: set[Span] = set()
    for name, start in _names(comment):
        span = _span(name)
        if span not in seen:
            seen.add(span)
            yield NamedSource(span, start, start + len(name))


def _span(name: str) -> Span:
    position = _POSITION.match(name)
    if position is None:
        return Span(SourceName(name))
    line, column = int(position["line"]), int(position["column"])
    return Span(SourceName(position["name"]), line, line, column, column)


def _names(comment: str) -> Iterator[tuple[str, int]]:
    """The names of sources in a comment, with where they begin."""
    if match := _SPAN.search(comment):
        yield from _listed(match["spans"], match.start("spans"))
    if match := _SOURCES.search(comment):
        group = "list" if match["list"] is not None else "one"
        yield from _listed(match[group], match.start(group))
    elif match := _LAYER.match(comment):
        yield match["name"], match.start("name")


def _listed(text: str, start: int) -> Iterator[tuple[str, int]]:
    for match in re.finditer(r"[^,\s][^,]*", text):
        yield match[0].rstrip(), start + match.start()
