"""What an archive of PyTorch holds, examined before anything of it is loaded.

Both kinds are zip archives. A TorchScript archive has a program in TorchScript's own language (see
:mod:`.script_sources`), and pickles that PyTorch reads with an unpickler that makes tensors and the program's own
objects alone. An archive with a pickle of Python objects (``torch.save``) can run any code, and is refused. An
exported program (``.pt2``) is read without PyTorch's loader, which evaluates texts of the file (see :mod:`.exported`).
"""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..diagnostics import ImportReport

__all__ = ["DAMAGED", "MOST_PACKED", "Archive", "open_archive"]

MOST_PACKED = 2**28
"""How many bytes the packed files of an archive unfold to at most; its tensors are not packed."""
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, RuntimeError, EOFError)
"""What reading a damaged archive raises; an encrypted one a ``RuntimeError``."""


class Archive:
    """The files of an archive, by their paths without the folder that they all lie in."""

    def __init__(self, data: bytes, zipped: zipfile.ZipFile) -> None:
        self.data = data
        self._zip = zipped
        self._names = {name.partition("/")[2]: name for name in zipped.namelist()}

    def __contains__(self, path: str) -> bool:
        return path in self._names

    def paths(self, folder: str, suffix: str = "") -> Iterator[str]:
        """The paths in a folder that end with ``suffix``."""
        return (path for path in self._names if path.startswith(folder) and path.endswith(suffix))

    def read(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            KeyError: there is none.
            Exception: one of :data:`DAMAGED`.
        """
        return self._zip.read(self._names[path])

    @property
    def is_torchscript(self) -> bool:
        """Whether it has a program of TorchScript."""
        return "constants.pkl" in self and any(self.paths("code/", ".py"))

    @property
    def exported_model(self) -> str | None:
        """The path of the exported program, if there is one."""
        return next(self.paths("models/", ".json"), None)


def open_archive(data: bytes, path: Path | None, report: ImportReport) -> Archive:
    """The archive in ``data``, looked through.

    Raises:
        ModelImportError: it is none, is damaged, claims to unfold to more than it is, or could run something.
    """
    name = path.name if path else "this"
    if not data.startswith(b"PK"):
        hint = "a pickle of Python, which can run any code" if data[:1] == b"\x80" else "no archive of PyTorch"
        raise report.refuse(
            "unreadable-model", f"{name} is {hint}; torch.export.save and torch.jit.save write archives"
        )
    try:
        zipped = zipfile.ZipFile(io.BytesIO(data))
        declared = sum(info.file_size for info in zipped.infolist() if info.compress_type == zipfile.ZIP_STORED)
        packed = sum(info.file_size for info in zipped.infolist() if info.compress_type != zipfile.ZIP_STORED)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise report.refuse("unreadable-model", f"{name} is a damaged archive: {error}") from None
    if declared > len(data) or packed > MOST_PACKED:
        raise report.refuse("unreadable-model", f"{name} declares {declared + packed} bytes and has {len(data)}")
    archive = Archive(data, zipped)
    if not archive.is_torchscript and archive.exported_model is None:
        reason = "holds pickled Python objects, which can run any code" if "data.pkl" in archive else "has no program"
        raise report.refuse(
            "unreadable-model", f"{name} {reason}: save the program itself, by torch.export.save or torch.jit.save"
        )
    return archive
