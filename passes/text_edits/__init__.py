"""A pass applied to a buffer: the smallest edit of its text that gives the new module."""

from .editing import text_edits
from .following_edits import followed_by, kept_pieces, written_spans

__all__ = ["followed_by", "kept_pieces", "text_edits", "written_spans"]
