"""The metadata section while statements of two texts are put together: old entries keep their numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from relay_lsp.ir.expressions import Constant
from relay_lsp.ir.syntax.lexer import lex
from relay_lsp.ir.syntax.tokens import META, VALUES

__all__ = ["MetadataIndices"]

_REFERENCE = re.compile(r"meta\[([^\]]*)\]\[(\d+)\]")


class MetadataIndices:
    """Renumbers ``meta[key][index]`` of the new text for the old text's section, which grows as needed."""

    def __init__(self, old: Mapping[str, Sequence[object]], new: Mapping[str, Sequence[object]]) -> None:
        self.table: dict[str, list[object]] = {key: list(objects) for key, objects in old.items()}
        self.has_grown = False
        self._new = new
        self._known: dict[tuple[str, int], int] = {}
        self._constants: dict[tuple[str, str, tuple[int, ...], bytes], int] = {}
        for key, objects in old.items():
            for index, entry in enumerate(objects):
                if isinstance(entry, Constant):
                    self._constants.setdefault((key, *_content(entry)), index)

    def renumbered(self, text: str, names: Mapping[str, str]) -> str:
        """``text``, a piece of the new text, with its references renumbered and its variables renamed."""
        lexed = lex(text)
        pieces: list[str] = []
        for kind, piece in zip(lexed.kinds, lexed.pieces, strict=True):
            if kind == META:
                piece = _REFERENCE.sub(self._reference, piece)
            elif kind in VALUES:
                token = piece.rstrip()
                piece = names.get(token, token) + piece[len(token) :]
            pieces.append(piece)
        return "".join(pieces)

    def _reference(self, match: re.Match[str]) -> str:
        return f"meta[{match[1]}][{self._index(match[1], int(match[2]))}]"

    def _index(self, key: str, index: int) -> int:
        known = self._known.get((key, index))
        if known is not None:
            return known
        entry = self._new[key][index]
        content = (key, *_content(entry)) if isinstance(entry, Constant) else None
        number = self._constants.get(content) if content is not None else None
        if number is None:
            objects = self.table.setdefault(key, [])
            number = len(objects)
            objects.append(entry)
            self.has_grown = True
            if content is not None:
                self._constants[content] = number
        self._known[key, index] = number
        return number


def _content(constant: Constant) -> tuple[str, tuple[int, ...], bytes]:
    return str(constant.dtype), tuple(constant.data.shape), constant.data.tobytes()
