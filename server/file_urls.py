"""The path that a ``file:`` URL names on this machine."""

from __future__ import annotations

import os
from urllib.parse import unquote

__all__ = ["path_of_url"]


def path_of_url(path: str) -> str:
    """The path of this machine for the path of a URL: :func:`urllib.request.url2pathname`.

    Only Windows asks for that function itself, whose module loads an HTTP client.
    """
    if os.name != "nt":
        return unquote(path)
    from urllib.request import url2pathname

    return url2pathname(path)
