"""A fault of ours while one part of a text is looked at: it costs what is known of that part, and is a finding there.

The log has the stack, under the reference that the finding gives. The same fault has the same reference, and its stack
is logged once: a text may have ten thousand statements that all meet it.
"""

from __future__ import annotations

import logging
import traceback
import zlib
from typing import Final

from .diagnostics import Diagnostic, Severity
from .text.text_span import TextSpan

__all__ = ["INTERNAL_ERROR", "internal_error"]

logger = logging.getLogger(__name__)

INTERNAL_ERROR: Final = "internal-error"

_MOST_LOGGED: Final = 1_000
_logged: Final[set[str]] = set()


def internal_error(error: Exception, doing: str, span: TextSpan) -> Diagnostic:
    """The finding for an exception that was not expected, met ``doing`` something at ``span``; its stack is logged."""
    frames = traceback.extract_tb(error.__traceback__)
    where = ";".join(f"{frame.filename}:{frame.lineno}" for frame in frames)
    reference = f"{zlib.crc32(f'{type(error).__name__};{where}'.encode()):08x}"
    if reference not in _logged:
        if len(_logged) < _MOST_LOGGED:
            _logged.add(reference)
        logger.error("internal error %s while %s", reference, doing, exc_info=error)
    words = f"internal error while {doing} ({type(error).__name__}); the server's log has the details under {reference}"
    return Diagnostic(INTERNAL_ERROR, Severity.ERROR, words, span)
