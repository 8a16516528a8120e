"""The version of relay-lsp, as ``pyproject.toml`` declares it.

It stands here as well, because every answer to ``initialize`` says it: to read it from the installed package loads a
parser of mails, which takes 35 ms of processor time. ``tests/server/lsp/test_version.py`` holds both equal.
"""

from __future__ import annotations

from typing import Final

__all__ = ["VERSION"]

VERSION: Final = "0.1.0"
