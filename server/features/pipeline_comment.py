"""The pipeline that a file names for itself: ``// relay-lsp: SimplifyInference, FoldConstant``."""

from __future__ import annotations

import re

__all__ = ["pipeline_comment"]

_COMMENT = re.compile(r"^[ \t]*//[ \t]*relay-lsp:[ \t]*(?P<passes>[^\r\n]*)", re.MULTILINE)
_HEAD = 4000
"""The comment belongs at the beginning of a file; code points further on are not looked at."""


def pipeline_comment(text: str) -> str | None:
    """The passes that the text names, as they are written; ``None`` where it names none."""
    match = _COMMENT.search(text, 0, _HEAD)
    return match["passes"].strip() or None if match else None
