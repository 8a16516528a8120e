"""How a message of the protocol begins in a stream (LSP 3.17, "Header Part")."""

from __future__ import annotations

__all__ = ["HEADER_END", "content_length"]

HEADER_END = b"\r\n\r\n"


def content_length(header: bytes) -> int:
    """How many bytes a message has after its header; 0 where the header does not say."""
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            return int(value)
    return 0
