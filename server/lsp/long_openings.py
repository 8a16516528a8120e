"""The opening of a long text, read while it arrives: in pieces of whole lines, as a line index keeps them.

To decode ten megabytes at once takes 10 to 20 ms, in which the event loop answers no request about another document.
Here each piece is decoded when it is there, by the thread that reads, while the client is still writing the rest. What
is no such opening, or not quite as JSON has it, is read as a whole, as any message.

``docs/design/0015-pygls-and-what-stands-beside-it.md`` has the figures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from relay_lsp.ir.text.line_index import LineIndex

from .message_codec import fields_of

__all__ = ["LongOpening", "read_long"]

_METHOD: Final = "textDocument/didOpen"
_HEAD: Final = 1 << 14
"""Bytes in which the text must begin: before it stand at most its name, version and language."""

_PIECE: Final = 1 << 14
"""Bytes that a piece has at least, but for the last: as many as a block of a line index."""

_READ: Final = 1 << 16
"""Bytes that are read at once: what a pipe holds."""

_LONGEST_LINE: Final = 1 << 20
"""Bytes without a line end above which the message is read as a whole."""

_TEXT: Final = re.compile(rb'(?<!\\)"text"\s*:\s*"')
_IN_PLACE: Final = "\0text"
"""What stands for the text in the message around it."""


@dataclass(frozen=True)
class LongOpening:
    """A message that opens a text, without it; the text; and how many bytes both were."""

    fields: dict[str, Any]
    lines: LineIndex
    size: int


def read_long(read: Callable[[int], bytes], length: int) -> bytes | LongOpening | None:
    """Read a message of ``length`` bytes; ``None`` where the stream ends before it does.

    Args:
        read: gives as many bytes as it is asked for, and fewer only at the end of the stream.
        length: the bytes of the message.
    """
    arrived = _Arrived(read, length)
    opening = _opening(arrived)
    if opening is not None:
        return opening
    body = arrived.whole()
    return body if len(body) == length else None


def _opening(arrived: _Arrived) -> LongOpening | None:
    """The message as an opening; ``None`` where it is none, or ends too early."""
    head = arrived.more(_HEAD)
    begin = _TEXT.search(head)
    if begin is None:
        return None
    before = head[: begin.end()]
    if b'"method"' in before and b"didOpen" not in before:
        return None
    pieces = _Pieces(arrived, head[begin.end() :])
    try:
        lines = LineIndex.of_pieces(pieces)
        rest = pieces.rest + arrived.more(arrived.left)
        message = fields_of(msgspec.json.decode(before + msgspec.json.encode(_IN_PLACE)[1:-1] + rest))
    except (ValueError, RecursionError):
        return None
    item = fields_of(fields_of(message.get("params")).get("textDocument"))
    if message.get("method") != _METHOD or item.get("text") != _IN_PLACE or arrived.is_short:
        return None
    item["text"] = ""
    return LongOpening(message, lines, arrived.size)


class _Arrived:
    """The bytes of a message as they come, all of which are kept until it is known what the message is."""

    def __init__(self, read: Callable[[int], bytes], size: int) -> None:
        self._read: Final = read
        self._chunks: Final[list[bytes]] = []
        self.size: Final = size
        self.left = size
        """How many are still to come."""
        self.is_short = False
        """Whether the stream ended before they came."""

    def more(self, count: int) -> bytes:
        """The next bytes, so many if there are."""
        wanted = min(count, self.left)
        chunk = self._read(wanted) if wanted else b""
        self._chunks.append(chunk)
        self.left -= len(chunk)
        if len(chunk) < wanted:
            self.left, self.is_short = 0, True
        return chunk

    def whole(self) -> bytes:
        """All of them."""
        self.more(self.left)
        return b"".join(self._chunks)


class _Pieces:
    """The text of a string of JSON, a piece of whole lines at a time; ``rest`` is what follows its closing quote."""

    def __init__(self, arrived: _Arrived, begun: bytes) -> None:
        self._arrived: Final = arrived
        self._begun: Final = begun
        self.rest = b""

    def __iter__(self) -> Iterator[str]:
        """The pieces.

        Raises:
            ValueError: it is no string of JSON, has halves of surrogate pairs or a very long line, or does not end.
        """
        decode: Callable[[bytes], str] = msgspec.json.Decoder(str).decode
        known, searched, quote = self._begun, 0, -1
        while quote < 0:
            quote = _closing_quote(known, searched)
            end = len(known) if quote < 0 else quote
            start = 0
            while (cut := _line_end(known, start + _PIECE, end)) > 0:
                yield decode(b'"%b"' % known[start:cut])
                start = cut
            known, searched, quote = known[start:], end - start, quote - start
            if quote < 0:
                following = self._arrived.more(_READ)
                if not following or len(known) > _LONGEST_LINE:
                    raise ValueError("the text does not end, or has a line that is not cut")
                known += following
        self.rest = known[quote:]
        yield decode(b'"%b"' % known[:quote])


def _closing_quote(body: bytes, start: int) -> int:
    """Where the first quote from ``start`` on stands that is not escaped, in what begins outside of an escape."""
    while (quote := body.find(b'"', start)) >= 0 and _is_escaped(body, quote):
        start = quote + 1
    return quote


def _line_end(body: bytes, start: int, end: int) -> int:
    """Where the first escaped line end between two positions ends; -1 where there is none."""
    while (mark := body.find(b"\\n", start, end)) >= 0:
        if not _is_escaped(body, mark):
            return mark + 2
        start = mark + 1
    return -1


def _is_escaped(body: bytes, position: int) -> bool:
    """Whether an odd number of backslashes stands before a position."""
    start = position
    while start and body[start - 1] == 0x5C:
        start -= 1
    return (position - start) % 2 == 1
