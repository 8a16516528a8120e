"""What passes said about the values of open documents, for as long as those stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..documents.documents import Document
    from ..worker.remarks import PlacedRemark

__all__ = ["ShownRemarks"]


class ShownRemarks:
    """Remarks by document. They hold for the version of the text that the passes saw."""

    def __init__(self) -> None:
        self._remarks: dict[str, tuple[int, Sequence[PlacedRemark]]] = {}

    def show(self, document: Document, remarks: Sequence[PlacedRemark]) -> None:
        """Keep the remarks about a document as it is now, instead of those that were kept."""
        self._remarks[document.uri] = document.version, tuple(dict.fromkeys(remarks))

    def of(self, document: Document) -> Sequence[PlacedRemark]:
        """The remarks that hold for a document as it is now."""
        version, remarks = self._remarks.get(document.uri, (-1, ()))
        return remarks if version == document.version else ()

    def forget(self, uri: str) -> None:
        """Forget those of a document."""
        self._remarks.pop(uri, None)
