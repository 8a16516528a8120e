r"""What a comment says of where a value comes from.

Three forms stand in Relay dumps: ``/* ty=… span=model.relay:4:16 */`` of TVM's printer, ``/* si=[torch.relu_9] */`` of
modules that carry their source through passes (TVM Explorer), and ``/* conv1 */``, a bare layer name, of front ends.
Marks such as ``/* TODO */`` are no layers.

A name that would not come back from the list as it is (with a comma, a quote, a line end, what looks like a position)
is written as a string of JSON, ``/* si=["first, second", torch.relu_9] */``, with ``\u002a`` for a star, so that it can
neither open nor end a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from .spans import SourceName, Span

__all__ = [
    "SOURCES_PATTERN",
    "NamedSource",
    "every_source_in",
    "is_layer_name",
    "may_name_sources",
    "source_text",
    "sources_in",
]

_STRING = r'"(?:[^"\\]|\\.)*"'
SOURCES_PATTERN = rf'\bsi=(?:\[(?P<list>(?:{_STRING}|\[[^\]\n]*\]|[^\[\]"]|"(?!\w))*)\]|(?P<one>{_STRING}|[^\s*\[]+))'
"""The list of sources in a comment, or its one source."""

_SPAN = re.compile(r"\bspan=(?P<spans>.*?)\s*(?:\*/|\Z)", re.DOTALL)
_SOURCES = re.compile(SOURCES_PATTERN)
_NOTE = r"(?!(?:TODO|FIXME|XXX|HACK|NOTE):?\s*(?:\*/|\Z))"
"""Words with which users mark what is left to do; alone in a comment, none of them names a layer."""
_LAYER = re.compile(rf"(?:/\*|//)\s*(?P<name>{_NOTE}[A-Za-z_][\w.:/-]*)\s*(?:\*/)?\s*\Z")
_HINTS = ("span=", "si=", "//")
_NAME_ALONE = re.compile(rf"/\*\s*{_NOTE}[A-Za-z_][\w.:/-]*\s*\*/")
_POSITION = re.compile(r"(?P<name>.+?):(?P<line>\d{1,18}):(?P<column>\d{1,18})\Z", re.DOTALL)
_ITEM = re.compile(rf"{_STRING}(?::\d+:\d+)?|(?:\[[^\]]*\]|[^,\s\[])(?:\[[^\]]*\]|[^,\[])*")
_PLAIN = re.compile(r"[^\s,\"*/\[\](){}\\](?:[^\s,\"*\[\](){}\\]|/(?!\*))*\Z")


class NamedSource(NamedTuple):
    """A span that a comment names, and from where to where in the comment. A layer has line and column 0."""

    span: Span
    start: int
    end: int


def may_name_sources(text: str) -> bool:
    """Whether a comment of a text could name a source; where none can, none need be looked for."""
    return any(hint in text for hint in _HINTS) or _NAME_ALONE.search(text) is not None


def is_layer_name(comment: str) -> bool:
    """Whether a comment ``/* … */`` is the bare name of a layer."""
    return _NAME_ALONE.fullmatch(comment) is not None


def sources_in(comment: str) -> Iterator[NamedSource]:
    """What a comment, from its ``/*`` or ``//`` on, names as sources, each once."""
    seen: set[Span] = set()
    for source in every_source_in(comment):
        if source.span not in seen:
            seen.add(source.span)
            yield source


def every_source_in(comment: str) -> Iterator[NamedSource]:
    """As :func:`sources_in`, each as often as it is named."""
    for name, start in _names(comment):
        yield NamedSource(_span(name), start, start + len(name))


def source_text(span: Span) -> str:
    """A span as a list in a comment has it: a layer by its name, a place with its line and column."""
    name = span.source_name.name
    is_layer = span.line == 0 and span.column == 0
    if not _PLAIN.match(name) or (is_layer and _POSITION.match(name)):
        name = json.dumps(name, ensure_ascii=False).replace("*", r"\u002a")
    return name if is_layer else f"{name}:{span.line}:{span.column}"


def _span(text: str) -> Span:
    quoted, _, rest = text.rpartition('"') if text.startswith('"') and text.count('"') > 1 else ("", "", text)
    if quoted:
        try:
            name = json.loads(f'{quoted}"', strict=False)
        except ValueError:
            return Span(SourceName(text))
        position = re.fullmatch(r":(\d{1,18}):(\d{1,18})", rest)
        if position is None:
            return Span(SourceName(name))
        line, column = int(position[1]), int(position[2])
        return Span(SourceName(name), line, line, column, column)
    place = _POSITION.match(text)
    if place is None:
        return Span(SourceName(text))
    line, column = int(place["line"]), int(place["column"])
    return Span(SourceName(place["name"]), line, line, column, column)


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
    for match in _ITEM.finditer(text):
        yield match[0].rstrip(), start + match.start()
