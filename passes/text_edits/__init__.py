"""A pass applied to a buffer: the smallest edit of its text that gives the new module."""

from .editing import text_edits

__all__ = ["text_edits"]
