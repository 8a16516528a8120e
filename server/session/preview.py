"""The beginning of a long text, understood before all of it has been read.

An editor that opens a text shows its beginning, and asks about that first. In a function as TVM prints it, what a
statement means follows from those before it, so the first lines can be read as a module of their own: types, tokens,
and what a name in them stands for are those of the whole text. What does not follow from them is left for later: names
that are used further on, values that nothing uses, functions and types that are defined below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Preview", "preview_of"]

_LINES: Final = 160
_LENGTH: Final = 32_768
"""So much of a text is read first: more than a screen, and less than is felt."""

_STATEMENT_END: Final = re.compile(r";\n(?=  (?:%|let ))")
"""The end of a statement in the outermost braces of a function: the next one is indented as TVM does it."""

_REST: Final = "  %_rest_of_the_function\n}\n"
"""Stands for the rest of the function that the beginning was cut in; that the name is undefined is not reported."""

_MARGIN: Final = 4
"""How many statements before the cut are not sure: where one ends may depend on what follows."""

_DEFINITION: Final = ("def", "type ", "type\t", "type\n", "type\r", "extern")
"""Where one of these stands, there may be a definition."""


class Preview:
    """The beginning of a text up to :attr:`end`, as a snapshot of its own."""

    def __init__(self, lines: LineIndex, name: str, end: int) -> None:
        self.lines: Final = lines
        self.end: Final = end
        self.snapshot: Final = Snapshot.open(lines.part(0, end) + _REST, name)

    @property
    def is_plain(self) -> bool:
        """Whether its diagnostics hold for the whole text: all of it was analysed statement by statement."""
        _ = self.snapshot.diagnostics
        return self.snapshot.is_followed and not self.snapshot.looks_far

    def has(self, span: TextSpan) -> bool:
        """Whether a range lies in it."""
        return span.end <= self.end

    def sure(self, diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """Of what was found in the snapshot, that which will be found in the whole text, too.

        There is none where something below may give a meaning to what has none here: a definition, or metadata. And
        should the rest not be plain, all of it will be read in the other way; so what both say of the beginning counts.
        """
        lines, end = self.lines, self.end
        if not diagnostics or not self.is_plain or "meta[" in lines.part(0, end) or _defines(lines, end):
            return []
        sure_end = self.snapshot.statement_start(end, _MARGIN)
        errors = [each for each in diagnostics if each.severity is Severity.ERROR]
        errors = [each for each in errors if each.span is not None and each.span.end <= sure_end]
        if not errors:
            return errors
        otherwise = set(map(_words, Snapshot.open_whole(self.snapshot.text, self.snapshot.name).diagnostics))
        return [each for each in errors if _words(each) in otherwise]


def _words(diagnostic: Diagnostic) -> tuple[object, ...]:
    """What a client is sent of a finding; fixes are asked for."""
    related = tuple([(each.span, each.message) for each in diagnostic.related])
    return diagnostic.code, diagnostic.span, diagnostic.message, related


def preview_of(lines: LineIndex, name: str) -> Preview | None:
    """The beginning of a text that has more than that; ``None`` where it is not as TVM prints it."""
    limit = min(lines.line_start(_LINES), _LENGTH)
    if limit == lines.length:
        return None
    ends = [match.end() for match in _STATEMENT_END.finditer(lines.part(0, limit))]
    return Preview(lines, name, ends[-1]) if len(ends) > _MARGIN else None


def _defines(lines: LineIndex, start: int) -> bool:
    """Whether the text may define something from an offset on."""
    parts = (lines.part(at, at + _LENGTH + max(map(len, _DEFINITION))) for at in range(start, lines.length, _LENGTH))
    return any(word in part for part in parts for word in _DEFINITION)
