"""A fault of ours while one part of a text is looked at: it costs what is known of that part, and is a finding there.

The log has the stack, under the reference that the finding gives. The same fault has the same reference, and its stack
is logged once: a text may have ten thousand statements that all meet it.
"""

from __future__ import annotations

import logging
import traceback
import zlib
from typing import Final

import msgspec

from .diagnostics import Diagnostic, Severity
from .text.text_span import TextSpan

__all__ = ["INTERNAL_ERROR", "Fault", "fault", "fault_of", "fault_without_stack", "internal_error", "words_of"]

logger = logging.getLogger(__name__)

INTERNAL_ERROR: Final = "internal-error"


class Fault(msgspec.Struct, frozen=True):
    """An exception that was not expected. The same kind from the same places has the same ``reference``."""

    reference: str
    words: str
    stack: tuple[str, ...]
    """The places that it came through: file, line and function."""


_MOST_LOGGED: Final = 1_000
_MOST_CHARACTERS: Final = 2_000
"""How much is told of what an exception says."""
_met: Final[dict[str, Fault]] = {}


def fault(error: BaseException) -> Fault:
    """What is kept of an exception; not its frames, which hold whole texts."""
    frames = traceback.extract_tb(error.__traceback__)
    stack = tuple([f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames])
    reference = f"{zlib.crc32(';'.join((_kind_of(error), *stack)).encode()):08x}"
    return Fault(reference, words_of(error), stack)


def frame_in(error: BaseException, file: str) -> traceback.FrameSummary | None:
    """Where an error came through a file last; ``None`` where it did not."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame for frame in reversed(frames) if frame.filename == file), None)


def words_of(error: BaseException) -> str:
    """The kind of an error and what it says, whatever that is: a user's exception may raise another one there."""
    try:
        said = str(error.msg if isinstance(error, SyntaxError) else error).strip()
    except (Exception, SystemExit):
        said = "what it says cannot be told"
    if len(said) > _MOST_CHARACTERS:
        said = f"{said[: _MOST_CHARACTERS // 2]} … {said[-_MOST_CHARACTERS // 2 :]}"
    name = _kind_of(error)
    return f"{name}: {said}" if said else name


def _kind_of(error: BaseException) -> str:
    """The name of its class, whatever the class of that one answers."""
    return type.__dict__["__name__"].__get__(type(error))


def fault_without_stack(doing: str, words: str) -> Fault:
    """What is kept where a process has ended in the middle of something, and only its end is known."""
    return Fault(f"{zlib.crc32(f'{doing}: {words}'.encode()):08x}", words, ())


def fault_of(finding: Diagnostic) -> Fault | None:
    """The fault that a finding of :func:`internal_error` is about, where it is kept."""
    return _met.get(finding.message.rpartition(" ")[2]) if finding.code == INTERNAL_ERROR else None


def internal_error(error: Exception, doing: str, span: TextSpan) -> Diagnostic:
    """The finding for an exception that was not expected, met ``doing`` something at ``span``; its stack is logged."""
    met = fault(error)
    if met.reference not in _met:
        logger.error("internal error %s while %s", met.reference, doing, exc_info=error)
        if len(_met) < _MOST_LOGGED:
            _met[met.reference] = met
    words = f"internal error while {doing} ({_kind_of(error)}); the server's log has the details under {met.reference}"
    return Diagnostic(INTERNAL_ERROR, Severity.ERROR, words, span)
