"""How messages of the protocol follow one another in a stream (LSP 3.17, "Base Protocol")."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .message_queue import Body

__all__ = ["HEADER_END", "Frames", "content_length"]

HEADER_END = b"\r\n\r\n"


def content_length(header: bytes) -> int:
    """How many bytes a message has after its header; 0 where the header does not say."""
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return 0


class Frames:
    """Finds the messages in a stream that is read in chunks.

    One that does not come in one chunk is left in pieces: to put a very long one together would hold up everybody for
    some milliseconds.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._pieces: list[bytes] = []
        """The beginning of a message of which so many bytes are ``_missing``."""
        self._missing = 0

    def take(self, chunk: bytes) -> list[Body]:
        """The bodies of the messages that end in the next chunk."""
        found: list[Body] = []
        if self._missing:
            self._pieces.append(chunk[: self._missing])
            chunk = chunk[self._missing :]
            self._missing -= len(self._pieces[-1])
            if self._missing:
                return found
            found.append(self._pieces)
            self._pieces = []
        buffer = self._buffer
        buffer += chunk
        while not self._missing and (end := buffer.find(HEADER_END)) >= 0:
            length = content_length(bytes(buffer[:end]))
            begun = end + len(HEADER_END)
            body = bytes(buffer[begun : begun + length])
            del buffer[: begun + length]
            if len(body) < length:
                self._pieces, self._missing = [body], length - len(body)
            elif body:
                found.append(body)
        return found
