"""How messages follow one another in a stream (LSP 3.17, *Base Protocol*)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from typing import BinaryIO

__all__ = ["read_blocking", "read_message"]

_HEADER_END = b"\r\n\r\n"


def _content_length(header: bytes) -> int:
    """How many bytes a message has after its header; 0 where the header does not say."""
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return 0


async def read_message(reader: asyncio.StreamReader) -> bytes | None:
    """The body of the next message; ``None`` at the end of the stream, or where it has no messages of the protocol."""
    from asyncio import IncompleteReadError, LimitOverrunError

    try:
        while True:
            length = _content_length(await reader.readuntil(_HEADER_END))
            if length:
                return await reader.readexactly(length)
    except (IncompleteReadError, LimitOverrunError):
        return None


def read_blocking(stream: BinaryIO) -> bytes | None:
    """The body of the next message of a stream that blocks; ``None`` at its end."""
    header = b""
    while line := stream.readline():
        header += line
        if line.strip():
            continue
        length = _content_length(header)
        if length:
            body = stream.read(length)
            return body if len(body) == length else None
        header = b""
    return None
