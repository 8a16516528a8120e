"""A small language for tests about places in Relay text.

``$0`` is the cursor. A line of carets under a line of code names a range of it and what is expected there::

    def @main(%x: Tensor[(1, 64), float32]) {
      nn.re$0lu(%x)
    //^^^^^^^ Tensor[(1, 64), float32]
    }

``«`` and ``»`` stand around one selected range. ``//`` begins a comment of Relay, so the text stays legal with its
carets. A module needs a version line; where a fixture has none, one is put before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["Annotation", "Fixture", "read_fixture", "read_selection"]

_CURSOR = "$0"
_CARETS = re.compile(r"//\s*(?P<carets>\^+)(?P<label>.*)\Z")
_VERSION = '#[version = "0.0.5"]\n'


@dataclass(frozen=True)
class Annotation:
    """A range with the words beside its carets."""

    span: TextSpan
    label: str


@dataclass(frozen=True)
class Fixture:
    """A text with what is marked in it."""

    text: str
    cursor: int | None
    annotations: tuple[Annotation, ...]

    @property
    def offset(self) -> int:
        """Where the cursor is; the fixture must have one."""
        assert self.cursor is not None, "the fixture has no $0"
        return self.cursor

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot of the text."""
        return Snapshot.open(self.text, "fixture.relay")

    @property
    def spans(self) -> list[TextSpan]:
        """The marked ranges in the order of the text."""
        return sorted(annotation.span for annotation in self.annotations)

    def labelled(self, label: str) -> TextSpan:
        """The range with these words."""
        (span,) = (annotation.span for annotation in self.annotations if annotation.label == label)
        return span

    def words(self, span: TextSpan) -> str:
        """The text of a range."""
        return self.text[span.start : span.end]


def read_fixture(source: str) -> Fixture:
    """Read a fixture. A line break at its beginning is not part of it."""
    source = source.removeprefix("\n")
    if "#[version" not in source:
        source = _VERSION + source
    cursor = source.find(_CURSOR)
    text = source.replace(_CURSOR, "", 1)
    annotations: list[Annotation] = []
    line_start = code_start = 0
    for line in text.splitlines(keepends=True):
        match = _CARETS.match(line.rstrip("\n"))
        if match is None:
            code_start = line_start
        else:
            start = code_start + match.start("carets")
            span = TextSpan(start, start + len(match["carets"]))
            annotations.append(Annotation(span, match["label"].strip()))
        line_start += len(line)
    return Fixture(text, cursor if cursor >= 0 else None, tuple(annotations))


def read_selection(text: str) -> tuple[str, TextSpan]:
    """The text without its two marks ``«`` and ``»``, and what stood between them."""
    span = TextSpan(text.index("«"), text.index("»") - 1)
    return text.replace("«", "").replace("»", ""), span
