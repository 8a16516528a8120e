"""``tvm.contrib.download``: scripts import it; relay-lsp downloads nothing."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

__all__ = ["download", "download_testdata"]


def download(url: str, path: str | Path, overwrite: bool = False) -> NoReturn:
    """Refuse.

    Raises:
        RuntimeError: always, with what to do.
    """
    del overwrite
    raise RuntimeError(f"relay_lsp downloads nothing: fetch {url} to {path} yourself, and name the file here")


def download_testdata(url: str, relpath: str, module: str | None = None, overwrite: bool = False) -> NoReturn:
    """Refuse.

    Raises:
        RuntimeError: always, with what to do.
    """
    del module
    download(url, relpath, overwrite)
