"""The comment by which a text that was imported remembers its model: the file, and the hash of its content.

``/* from model.onnx (onnx), sha256 … */``, on the line after the version. Importers write it, editors read it.
"""

from __future__ import annotations

import re
from typing import ClassVar

import msgspec

__all__ = ["ModelReference"]

_PATTERN = re.compile(r"/\* from ([^\n]+?) \((\w+)\), sha256 ([0-9a-f]{64}) \*/")
_BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


class ModelReference(msgspec.Struct, frozen=True):
    """Which model a text was made from.

    ``file`` is its path, relative to the folder of the text, with ``/`` between its parts.
    """

    file: str
    framework: str
    sha256: str

    LOOKED_AT: ClassVar[int] = 4096
    """How far into a text the comment is looked for."""

    def __str__(self) -> str:
        file = _BREAKS.sub("_", self.file).replace("*/", "*_/")
        return f"/* from {file} ({self.framework}), sha256 {self.sha256} */"

    @staticmethod
    def read(text: str) -> ModelReference | None:
        """What the beginning of a text says; ``None`` where it names no model."""
        match = _PATTERN.search(text, 0, ModelReference.LOOKED_AT)
        return None if match is None else ModelReference(*match.groups())
