"""The unit in which a client counts characters (LSP 3.17, *PositionEncodingKind*)."""

from __future__ import annotations

import enum

__all__ = ["Encoding"]


class Encoding(enum.Enum):
    """Code units of UTF-8 (bytes), of UTF-16, or of UTF-32 (code points)."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"
