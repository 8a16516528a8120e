"""The metadata section while statements of two texts are put together: old entries keep their numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from relay_lsp.ir.expressions import Constant
from relay_lsp.ir.syntax.tokens import META
from relay_lsp.ir.text.text_span import TextSpan

from .layout_tokens import LayoutTokens

__all__ = ["MetadataIndices"]

_REFERENCE_START = "meta["
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

    def renumbered(self, text: str, tokens: LayoutTokens, names: Mapping[str, str], span: TextSpan) -> str:
        """What ``span`` of the new text says, its references renumbered and its values renamed: ``tokens`` are those
        that stand there, or more."""
        if not names and text.find(_REFERENCE_START, span.start, span.end) < 0:
            return text[span.start : span.end]
        pieces: list[str] = []
        position = span.start
        for token in tokens.not_plain:
            if span.start <= token.start < span.end:
                other = _REFERENCE.sub(self._reference, token.text) if token.kind == META else names.get(token.text)
                if other is not None:
                    pieces += (text[position : token.start], other)
                    position = token.end
        return "".join((*pieces, text[position : span.end]))

    def are_same(self, old: str, new: str) -> bool:
        """Whether a reference of the text that is put together and one of the new text are to the same: they are to
        constants of equal content, or the one is what the other was renumbered to."""
        ours, theirs = _REFERENCE.fullmatch(old), _REFERENCE.fullmatch(new)
        if ours is None or theirs is None or ours[1] != theirs[1]:
            return False
        key, index = theirs[1], int(ours[2])
        if self._known.get((key, int(theirs[2]))) == index:
            return True
        entries, others = self.table.get(key, ()), self._new.get(key, ())
        if index >= len(entries) or int(theirs[2]) >= len(others):
            return False
        entry, other = entries[index], others[int(theirs[2])]
        return isinstance(entry, Constant) and isinstance(other, Constant) and _content(entry) == _content(other)

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
