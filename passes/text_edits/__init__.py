"""A pass applied to a buffer: the smallest edit of its text that gives the new module."""

from .editing import text_edits
from .following_edits import followed_by

__all__ = ["followed_by", "text_edits"]
