"""The Relay files in the folders of a workspace that are not open: for searches and reports over all of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from .regular_files import Stamp, read_regular, stamp_of

if TYPE_CHECKING:
    from relay_lsp.ir.semantic.snapshot import Snapshot

__all__ = ["Folders", "path_of_uri", "path_of_url"]

_SUFFIXES = (".relay", ".rly")
_MOST_FILES = 500
_MOST_ENTRIES = 50_000
_LARGEST = 2 << 20
"""Bytes; a file above this is read when it is opened."""

_SKIPPED = frozenset(("node_modules", "__pycache__"))


class Folders:
    """The folders of a workspace; there may be several. A file is read again only when it has changed."""

    def __init__(self) -> None:
        self._roots: dict[str, Path] = {}
        self._known: dict[Path, tuple[Stamp, Snapshot]] = {}

    def change(self, added: Iterable[str], removed: Iterable[str] = ()) -> None:
        """Add and take away folders, by their URIs. Those that are not on this machine's disk have no files here."""
        for uri in removed:
            self._roots.pop(uri, None)
        for uri in added:
            path = path_of_uri(uri)
            if path is not None:
                self._roots[uri] = path
        self._known = {path: known for path, known in self._known.items() if any(map(path.is_relative_to, self.paths))}

    def forget_snapshots(self) -> None:
        """Read every file again when it is asked for."""
        self._known = {}

    @property
    def paths(self) -> Iterable[Path]:
        """The folders that are on this machine's disk."""
        return self._roots.values()

    @property
    def uris(self) -> Iterable[str]:
        """The folders."""
        return self._roots.keys()

    def snapshots(self, opened: Iterable[str]) -> list[tuple[str, Snapshot]]:
        """The files by URI, each with its snapshot, but for those that are open. May take long: not for the loop."""
        from relay_lsp.ir.semantic.snapshot import Snapshot

        skipped = set(map(path_of_uri, opened))  # clients escape characters of a URI otherwise than we do
        known_files: dict[Path, tuple[Stamp, Snapshot]] = {}
        for path in self._files():
            if path in skipped or path in known_files:
                continue
            try:
                if not self.holds(path):
                    continue
                stamp = stamp_of(path)
                known = self._known.get(path)
                if known is not None and known[0] == stamp:
                    known_files[path] = known
                elif stamp[1] <= _LARGEST:
                    text = read_regular(path, _LARGEST).decode("utf-8-sig")
                    known_files[path] = (stamp, Snapshot.open(text, path.name))
            except (OSError, UnicodeDecodeError):  # gone meanwhile, or no text: opening it says what is wrong
                continue
        self._known = known_files
        return [(path.as_uri(), snapshot) for path, (_, snapshot) in known_files.items()]

    def holds(self, path: Path) -> bool:
        """Whether what a name leads to lies in a folder that is open: a link may lead anywhere."""
        target = path.resolve()
        return any(target.is_relative_to(root.resolve()) for root in self._roots.values())

    def _files(self) -> Iterator[Path]:
        files = entries = 0
        for root in list(self._roots.values()):
            for folder, below, names in os.walk(root):
                below[:] = sorted(name for name in below if not name.startswith(".") and name not in _SKIPPED)
                entries += len(names) + len(below)
                for name in sorted(names):
                    if name.endswith(_SUFFIXES):
                        files += 1
                        yield Path(folder, name)
                    if files >= _MOST_FILES:
                        return
                if files >= _MOST_FILES or entries >= _MOST_ENTRIES:
                    return


def path_of_uri(uri: str) -> Path | None:
    """The file of a URI; ``None`` where it is none of this machine's disk."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    return Path(path_of_url(parts.path)) if parts.scheme == "file" and "%00" not in parts.path else None


def path_of_url(path: str) -> str:
    """The path of this machine for the path of a URL: :func:`urllib.request.url2pathname`.

    Only Windows asks for that function itself, whose module loads an HTTP client.
    """
    if os.name != "nt":
        return unquote(path)
    from urllib.request import url2pathname

    return url2pathname(path)
