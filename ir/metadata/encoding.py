"""Bytes in base64, as the metadata section holds tensors and strings that are not printable.

Source of the rule: ``src/support/base64.h``, which writes the common alphabet without line breaks.
"""

from __future__ import annotations

import base64
import binascii

__all__ = ["MetadataError", "decode_base64", "encode_base64"]


class MetadataError(ValueError):
    """A metadata section that cannot be read, or an object that cannot stand in one; the message says why."""


def decode_base64(blob: str) -> bytes:
    """The bytes behind ``blob``.

    Raises:
        MetadataError: it is not base64.
    """
    try:
        return base64.b64decode(blob.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise MetadataError(f"a tensor is not valid base64: {error}") from None


def encode_base64(raw: bytes) -> str:
    """``raw`` in base64, on one line."""
    return base64.b64encode(raw).decode("ascii")
