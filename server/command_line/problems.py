"""Errors of the command line and the exit code of each."""

from __future__ import annotations

__all__ = ["EXIT_FOUND", "EXIT_OK", "EXIT_TROUBLE", "CommandError"]

EXIT_OK = 0
EXIT_FOUND = 1
EXIT_TROUBLE = 2


class CommandError(Exception):
    """A command cannot be carried out; the message is a sentence for the user."""
