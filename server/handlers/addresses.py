"""The addresses of files: of a document, of what its comments name, of where a value came from."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from ..features.provenance import ValueOrigin
from ..file_urls import path_of_url

__all__ = ["file_uri", "folder_of", "origin_address", "path_of"]


def folder_of(uri: str) -> Path | None:
    """The folder of a document that is a file."""
    parts = urlsplit(uri)
    return Path(path_of_url(parts.path)).parent if parts.scheme == "file" else None


def path_of(uri: str) -> str:
    """The path of a document that is a file; for another one, the last part of its address."""
    parts = urlsplit(uri)
    return path_of_url(parts.path) if parts.scheme == "file" else uri.rpartition("/")[2]


def file_uri(folder: Path | None, name: str) -> str | None:
    """The address of a file that a comment names, if there is such a file in ``folder``."""
    if folder is None:
        return None
    try:
        path = folder / name
        return path.resolve().as_uri() if path.is_file() else None
    except (OSError, ValueError):
        return None


def origin_address(folder: Path | None, origin: ValueOrigin) -> str | None:
    """The address of the line that an origin names, if there is such a file in ``folder``."""
    address = file_uri(folder, origin.source) if origin.line else None
    return None if address is None else f"{address}#L{origin.line},{max(origin.column, 1)}"
