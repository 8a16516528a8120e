"""Bytes in base64, as the metadata section holds tensors and strings that are not printable.

Source of the rule: ``src/support/base64.h``, which writes the common alphabet without line breaks.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["MetadataError", "base64_pieces", "decode_base64", "encode_base64"]

_PIECE: Final = 3 * 2**16
"""How many bytes are encoded at once: a multiple of three, so that no piece but the last is padded."""


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


def base64_pieces(head: bytes, data: npt.NDArray[np.uint8]) -> Iterator[str]:
    """``head`` and then the bytes of ``data`` in base64, piece by piece: a tensor's text may be larger than memory."""
    start = -len(head) % 3
    yield encode_base64(head + data[:start].tobytes())
    for position in range(start, data.size, _PIECE):
        yield encode_base64(data[position : position + _PIECE].tobytes())
