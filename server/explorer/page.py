"""The page of the explorer: one file with script and styles, into which a trace can be put."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable
from pathlib import Path

__all__ = ["PageNotBuiltError", "explorer_page"]

_PAGE = Path(__file__).with_name("built") / "index.html"
_EMPTY = '<script type="text/plain" id="trace"></script>'
_LEVEL = 4
"""Of compression: higher ones take several times as long for a tenth less."""


class PageNotBuiltError(Exception):
    """The page is not there: this is a checkout in which it was not built. The message says how."""


def explorer_page(trace: Iterable[str] = ()) -> str:
    """The page, with the lines of a trace in it, or without one.

    Nothing of a trace can act as HTML: it is packed, and written in base64.

    Raises:
        PageNotBuiltError: the page has not been built.
    """
    try:
        page = _PAGE.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise PageNotBuiltError(
            "the page of the explorer is not built. In a checkout of relay-lsp, build it with ./dev explorer "
            "(it needs node and npm); released packages have it"
        ) from None
    text = "".join(trace)
    if not text:
        return page
    packed = base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()
    return page.replace(_EMPTY, _EMPTY.replace("></", f">{packed}</"), 1)
