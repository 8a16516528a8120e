"""A pass applied to a buffer: the smallest edit of its text that gives the new module."""

from .carried_comments import carried_comments, lost_comments
from .editing import EditedText, edited_text, text_edits
from .following_edits import followed_by, kept_pieces, moved_by, written_spans

__all__ = [
    "EditedText",
    "carried_comments",
    "edited_text",
    "followed_by",
    "kept_pieces",
    "lost_comments",
    "moved_by",
    "text_edits",
    "written_spans",
]
