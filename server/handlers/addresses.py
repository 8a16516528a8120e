"""The addresses of files: of a document, of what its comments name, of where a value came from."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

from ..features.provenance.history import ValueEvent
from ..features.provenance.provenance import ValueOrigin
from ..session.folders import path_of_uri

__all__ = ["file_uri", "folder_of", "origin_address", "path_of", "step_command"]


def folder_of(uri: str) -> Path | None:
    """The folder of a document that is a file."""
    path = path_of_uri(uri)
    return None if path is None else path.parent


def path_of(uri: str) -> str:
    """The path of a document that is a file; for another one, the last part of its address."""
    path = path_of_uri(uri)
    return uri.rpartition("/")[2] if path is None else str(path)


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


def step_command(uri: str, event: ValueEvent) -> str | None:
    """The address of what a value was made from, in the text before a step, for a client that has the command for it.

    Offsets are counted in code points: a hover has no time to count lines in the texts of twenty steps.
    """
    if not event.step:
        return None
    spans = [list(span) for span in event.sources]
    step = {"buffer": uri, "id": event.step, "pass": event.pass_name, "spans": spans}
    return f"command:relay.revealStep?{quote(json.dumps([step]), safe='')}"
