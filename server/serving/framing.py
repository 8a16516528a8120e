"""How messages follow one another in a stream (LSP 3.17, *Base Protocol*)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from typing import BinaryIO

    from ..lsp.long_openings import LongOpening

__all__ = ["LARGEST_MESSAGE", "StreamFault", "read_blocking", "read_message"]

_HEADER_END = b"\r\n\r\n"

LARGEST_MESSAGE = 256 << 20
"""Bytes of a message."""

_LONG_MESSAGE = 1 << 20
"""Bytes from which on a message may be read piece by piece (:mod:`..lsp.long_openings`)."""

_LONGEST_HEADER = 4096
"""Bytes of a header: it has two fields at most."""


class StreamFault(Exception):
    """Bytes that are no messages. Where the next one would begin is not known: the stream cannot be read further."""


def _content_length(header: bytes, longest: int = LARGEST_MESSAGE) -> int:
    """How many bytes a message has after its header.

    Raises:
        StreamFault: the header does not say, or they are too many.
    """
    if b"HTTP/" in header.partition(b"\n")[0]:
        raise StreamFault("this is HTTP, which is not spoken here")
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        digits = value.strip()
        if name.strip().lower() != b"content-length":
            continue
        if not digits.isdigit():
            raise StreamFault("the Content-Length of a message is no number")
        if len(digits) > 12 or int(digits) > longest:
            raise StreamFault(f"a message is longer than {longest >> 20} MB")
        return int(digits)
    raise StreamFault("the header of a message has no Content-Length")


async def read_message(reader: asyncio.StreamReader, longest: int = LARGEST_MESSAGE) -> bytes | None:
    """The body of the next message, of at most ``longest`` bytes; ``None`` at the end of the stream.

    Raises:
        StreamFault: there is something else than messages of the protocol.
    """
    from asyncio import IncompleteReadError, LimitOverrunError

    try:
        return await reader.readexactly(_content_length(await reader.readuntil(_HEADER_END), longest))
    except IncompleteReadError:
        return None
    except LimitOverrunError:
        raise StreamFault("the header of a message does not end") from None


def read_blocking(stream: BinaryIO) -> bytes | LongOpening | None:
    """The body of the next message of a stream that blocks, or a long opening as it was read; ``None`` at its end.

    Raises:
        StreamFault: there is something else than messages of the protocol.
    """
    header = b""
    while line := stream.readline(_LONGEST_HEADER):
        header += line
        if len(header) >= _LONGEST_HEADER:
            raise StreamFault("the header of a message does not end")
        if line.strip():
            continue
        length = _content_length(header)
        if length >= _LONG_MESSAGE:
            from ..lsp.long_openings import read_long

            return read_long(stream.read, length)
        body = stream.read(length)
        return body if len(body) == length else None
    return None
