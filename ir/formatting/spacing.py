"""Which tokens of one line have a space between them.

The spaces are those of the canonical text (``src/relay/printer/relay_text_printer.cc``).
"""

from __future__ import annotations

from typing import Final

__all__ = ["ATTRIBUTE", "BINDING", "DEVICE", "has_space"]

ATTRIBUTE: Final = "attribute"
"""An ``=`` or a brace inside attributes: without spaces."""
BINDING: Final = "binding"
"""The ``=`` of a binding."""
DEVICE: Final = "device"
"""A brace around the attributes of a parameter."""

_COMMENT: Final = "C"
_CALLED: Final = frozenset("ILG@MT)]}cRW")
"""What an opening parenthesis follows directly: names, what has been called, and ``ref``."""
_INDEXED: Final = frozenset("IT@M")
"""What an opening bracket follows directly."""
_TIGHT_BEFORE: Final = frozenset(",;:.)]")
_TIGHT_AFTER: Final = frozenset("([.")


def has_space(before: str, after: str, role_before: str, role_after: str) -> bool:
    """Whether a token of kind ``before`` and the next, of kind ``after``, on its line stand apart.

    The roles tell an ``=`` of an attribute from that of a binding, and the brace of a device from that of a block.
    """
    if after == _COMMENT:
        return before not in _TIGHT_AFTER
    if after in _TIGHT_BEFORE:
        return False
    if before == _COMMENT:
        return True
    if before in _TIGHT_AFTER or ATTRIBUTE in (role_before, role_after):
        return False
    if role_before == DEVICE and before == "{":
        return False
    if role_after == DEVICE and after == "}":
        return False
    if after == "(":
        return before not in _CALLED
    if after == "[":
        return before not in _INDEXED
    return True
