"""The page of the explorer: one file with script and styles, into which a trace can be put."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..features.layers.colours import SHADES, shade

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
    page = page.replace("</head>", f"<style>{_palette()}</style>\n</head>", 1)
    text = "".join(trace)
    if not text:
        return page
    packed = base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()
    return page.replace(_EMPTY, _EMPTY.replace("></", f">{packed}</"), 1)


_THEMES = {
    ':root, :root[data-theme="light"]': "light",
    ':root[data-theme="dark"]': "dark",
    ':root[data-theme="contrast"]': "highContrast",
    ':root[data-theme="contrast-light"]': "highContrastLight",
}


@cache
def _palette() -> str:
    """The colours of layers, passes and the rest as styles: those that the editors are given."""

    def rule(selector: str, theme: str) -> str:
        marks = "".join(f"--mark-{number}:{shade(number, theme).solid};" for number in range(SHADES))
        return f"{selector}{{--marks:{SHADES};{marks}}}"

    classes = "".join(f".c{number}{{background:var(--mark-{number})}}" for number in range(SHADES))
    automatic = rule(':root[data-theme="auto"]', "dark")
    themes = "".join(rule(selector, theme) for selector, theme in _THEMES.items())
    return f"{themes}@media(prefers-color-scheme:dark){{{automatic}}}{classes}"
