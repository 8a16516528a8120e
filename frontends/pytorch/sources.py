"""The line of the Python program that an operation comes from, among the frames that PyTorch noted of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["own_frame"]

_LIBRARY = re.compile(r"[\\/](?:site|dist)-packages[\\/]torch[\\/]|^torch[\\/]")


def own_frame(frames: Sequence[tuple[str, str]]) -> str:
    """``FILE:LINE`` of the first frame that is not PyTorch's own, else of the first one; the innermost comes first."""
    own = [frame for frame in frames if not _LIBRARY.search(frame[0])]
    return ":".join((own or frames)[0]) if frames else ""
