"""What a segment of a text is, and where it ends."""

from __future__ import annotations

import enum
from typing import Final, NamedTuple

__all__ = ["OF_BODY", "Beyond", "Cut", "Role"]


class Role(enum.Enum):
    """What a segment is."""

    DIRECTIVE = "directive"
    METADATA = "metadata"
    HEADER = "header"
    TYPE = "type"
    STATEMENT = "statement"
    CLOSE = "close"
    EXTRA_CLOSE = "extra close"
    JUNK = "junk"

    __hash__ = object.__hash__  # statements are known by their roles, too, and an enumeration hashes names in Python


OF_BODY: Final = (Role.STATEMENT, Role.CLOSE, Role.EXTRA_CLOSE)
"""What the body of a function is made of."""


class Cut(NamedTuple):
    """A segment's end (an index of pieces), its role, and whether what follows is still in the function's body.

    ``is_short``: its semicolon is missing, since another statement follows.

    ``far_sighted``: where it ends depends on text far beyond it, since something in it is never closed, or is told by
    what follows.
    """

    end: int
    role: Role
    in_body: bool
    far_sighted: bool = False
    is_short: bool = False


class Beyond(Exception):
    """Where a segment ends depends on kinds beyond those that are at hand."""
