"""What is written of a part of a text in JSON, remembered with it, so that an edit costs what it changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from relay_lsp.ir.semantic.snapshot import CacheRegion

from .conversion import ProtocolConverter

__all__ = ["Row", "written_part"]

Row: TypeAlias = "tuple[str, Sequence[int]]"
"""An item of a list, with ``%d`` in the place of each number of a line, and these numbers."""


@dataclass(slots=True)
class _Written:
    """The items of a part in one, and the line numbers in them, from the line of the part's start.

    ``text`` is what they gave last, for a part that began at ``line``.
    """

    items: str
    lines: Sequence[int]
    line: int = -1
    text: str = ""

    def at(self, line: int) -> str:
        """All of them, for a part that begins at this line."""
        if line != self.line:
            self.line = line
            self.text = self.items % tuple([line + number for number in self.lines])
        return self.text


def written_part(
    converter: ProtocolConverter, part: CacheRegion, list_name: str, rows: Callable[[], Iterable[Row]]
) -> str:
    """The items of a list that are in a part, with commas between; ``rows`` gives those that are not remembered."""
    begin = converter.position(part.start)
    key = (list_name, converter.encoding, begin.character)
    known = part.memo.get(key)
    if not isinstance(known, _Written):
        made = list(rows())
        lines = [line - begin.line for _, numbers in made for line in numbers]
        known = part.memo[key] = _Written(",".join([item for item, _ in made]), lines)
    return known.at(begin.line)
