"""Reading, comparing and writing the files that a user names, with a sentence for each way in which that can fail."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import BinaryIO

import msgspec

from .problems import CommandError

__all__ = ["SourceFile", "files_named", "read_file", "replace_file", "write_file"]

_STANDARD_INPUT = "-"
_SUFFIXES = (".relay", ".rly")
_BOM = b"\xef\xbb\xbf"


class SourceFile(msgspec.Struct, frozen=True):
    """A file and its text, with its line ends as they are; a byte order mark before it is no part of the text."""

    name: str
    text: str
    has_byte_order_mark: bool = False

    @property
    def is_standard_input(self) -> bool:
        """Whether there is no file to write back to."""
        return self.name == _STANDARD_INPUT

    @property
    def source_name(self) -> str:
        """The name that spans and messages give to it."""
        return "stdin" if self.is_standard_input else self.name

    def write_back(self, changed: str) -> None:
        """Write another text in place of the file's, behind the byte order mark where the file has one.

        Raises:
            CommandError: it cannot be written.
        """
        mark = _BOM.decode("utf-8") if self.has_byte_order_mark else ""
        write_file(self.name, mark + changed)

    def difference(self, changed: str) -> str:
        """What differs between the text and ``changed``, as ``diff -u`` shows it; empty where nothing does."""
        name = self.source_name.lstrip("/")
        lines = unified_diff(
            self.text.splitlines(keepends=True), changed.splitlines(keepends=True), f"a/{name}", f"b/{name}"
        )
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def files_named(names: Iterable[str]) -> tuple[list[str], list[CommandError]]:
    """The files that a command line names, those of each folder in its place; and which folders have none."""
    files: list[str] = []
    troubles: list[CommandError] = []
    for name in names:
        try:
            files += _files_in(name)
        except CommandError as error:
            troubles.append(error)
    return files, troubles


def _files_in(name: str) -> Sequence[str]:
    """The Relay files of a folder and of those in it, in order, hidden ones left out; the name of a file by itself.

    Raises:
        CommandError: the folder has no such files.
    """
    folder = Path(name)
    if name in ("", _STANDARD_INPUT) or not folder.is_dir():
        return [name]
    inside = (path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    files = sorted(str(path) for path in inside if not any(part[0] == "." for part in path.relative_to(folder).parts))
    if not files:
        raise CommandError(f"{name} is a directory without Relay files ({' or '.join(_SUFFIXES)})")
    return files


def read_file(name: str) -> SourceFile:
    """The text of a file, or of standard input for ``-``.

    Raises:
        CommandError: there is no such file, it cannot be read, or it holds no text.
    """
    if not name:
        raise CommandError("the name of a file is empty")
    try:
        data = sys.stdin.buffer.read() if name == _STANDARD_INPUT else Path(name).read_bytes()
    except FileNotFoundError:
        raise CommandError(f"{name}: there is no such file") from None
    except IsADirectoryError:
        raise CommandError(f"{name} is a directory; name a file") from None
    except PermissionError:
        # On Windows a directory cannot be opened either, and shows itself so.
        what = "is a directory; name a file" if Path(name).is_dir() else "may not be read"
        raise CommandError(f"{name} {what}") from None
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from None
    if b"\0" in data:
        raise CommandError(f"{name} is not a text: it has a zero byte at offset {data.index(0):,}")
    try:
        return SourceFile(name, data.removeprefix(_BOM).decode("utf-8"), data.startswith(_BOM))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CommandError(
            f"{name} is not UTF-8: byte {data[error.start]:#04x} on line {line} (offset {error.start:,})"
        ) from None


def write_file(name: str, text: str | Iterable[str]) -> None:
    """Write a text, or its pieces, in place of a file: the old one stays whole until the new one is.

    Raises:
        CommandError: it cannot be written.
    """

    def write(stream: BinaryIO) -> None:
        for piece in (text,) if isinstance(text, str) else text:
            stream.write(piece.encode("utf-8"))

    replace_file(name, write)


def replace_file(name: str, write: Callable[[BinaryIO], object]) -> None:
    """Have ``write`` write a new file in place of one: the old one stays whole until the new one is.

    A device or a pipe, such as ``/dev/null``, is written to; it has no content that could be lost.

    Raises:
        CommandError: it cannot be written.
    """
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                write(stream)
            return
        target = path.resolve()
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            with temporary.open("xb") as stream:
                write(stream)
            if target.exists():
                temporary.chmod(target.stat().st_mode)
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CommandError(f"{name} cannot be written: {error.strerror or error}") from None
