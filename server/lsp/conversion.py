"""From the features' data to the protocol's types. The only place where a range of offsets becomes one of LSP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec
from lsprotocol import types

from relay_lsp.ir.diagnostics import Diagnostic, Severity, Tag, TextEdit
from relay_lsp.ir.lazy_numpy import np
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import Change
from ..documents.positions import Encoding, Position, Range, offset_of, position_of, range_of, span_of
from .structures import LocationEntry

__all__ = ["ProtocolConverter", "change_of", "documentation_page"]

_SOURCE = "relay"
_MANY = 256
"""So many ranges are worth arrays."""
_DIAGNOSTICS_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "diagnostics"


def change_of(event: types.TextDocumentContentChangeEvent) -> Change:
    """One change of a text, as the documents take it."""
    if isinstance(event, types.TextDocumentContentChangePartial):
        return Change(event.text, _range(event.range))
    return Change(event.text)


def _range(range: types.Range) -> Range:
    return Range(_position(range.start), _position(range.end))


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)


@cache
def _kind(code: str, severity: Severity, tags: tuple[Tag, ...]) -> Mapping[str, object]:
    """What findings of one kind have in common, as JSON: there are few kinds, and hundreds of findings of each."""
    fields: dict[str, object] = {"severity": int(severity), "code": code, "source": _SOURCE}
    page = documentation_page(code)
    if page is not None:
        fields["codeDescription"] = {"href": page}
    if tags:
        fields["tags"] = [int(tag) for tag in tags]
    return fields


def documentation_page(code: str) -> str | None:
    """The page on a kind of diagnostic, in a checkout as in an installed package."""
    page = _DIAGNOSTICS_FOLDER / f"{code}.md"
    return page.as_uri() if page.is_file() else None


class ProtocolConverter(msgspec.Struct, frozen=True):
    """Converts for one text, in one client's position encoding."""

    uri: str
    lines: LineIndex
    encoding: Encoding

    @property
    def _counts_code_points(self) -> bool:
        """Whether the client's units are code points here."""
        return self.encoding is Encoding.UTF_32 or self.lines.is_ascii

    def offset(self, position: types.Position) -> int:
        """The offset of a client's position."""
        return offset_of(self.lines, _position(position), self.encoding)

    def span(self, range: types.Range) -> TextSpan:
        """The offsets of a client's range."""
        return span_of(self.lines, _range(range), self.encoding)

    def position(self, offset: int) -> types.Position:
        """The client's position of an offset."""
        place = position_of(self.lines, offset, self.encoding)
        return types.Position(place.line, place.character)

    def range(self, span: TextSpan) -> types.Range:
        """The client's range of a span."""
        places = range_of(self.lines, span, self.encoding)
        return types.Range(
            types.Position(places.start.line, places.start.character),
            types.Position(places.end.line, places.end.character),
        )

    def location(self, span: TextSpan) -> types.Location:
        """A place in this text."""
        return types.Location(self.uri, self.range(span))

    def plain_range(self, span: TextSpan) -> Range:
        """The client's range of a span, to be encoded as it is."""
        if self._counts_code_points:
            line, character, end_line, end_character = self.lines.lines_and_columns(span)
            return Range(Position(line, character), Position(end_line, end_character))
        return range_of(self.lines, span, self.encoding)

    def plain_ranges(self, spans: Sequence[TextSpan]) -> list[Range]:
        """The client's ranges of thousands of spans, to be encoded as they are."""
        if not self._counts_code_points or len(spans) < _MANY:
            return [self.plain_range(span) for span in spans]
        if isinstance(spans, SpanArray):
            starts, ends = spans.starts, spans.starts + spans.length
        else:
            starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
        line_starts = np.asarray(self.lines.line_starts)
        columns: list[list[int]] = []
        for offsets in (starts, ends):
            lines = cast("Any", np.searchsorted(line_starts, offsets, "right")) - 1
            columns += (lines.tolist(), (offsets - line_starts[lines]).tolist())
        return [
            Range(Position(line, character), Position(end_line, end_character))
            for line, character, end_line, end_character in zip(*columns, strict=True)
        ]

    def location_entries(self, spans: Sequence[TextSpan]) -> list[LocationEntry]:
        """Places in this text: a value may have thousands of uses."""
        return [LocationEntry(self.uri, place) for place in self.plain_ranges(spans)]

    def diagnostic(
        self, diagnostic: Diagnostic, range_of: Callable[[TextSpan], Range] | None = None
    ) -> dict[str, object]:
        """A finding with its related places, as JSON; ``range_of`` is :meth:`plain_range`, or one that remembers."""
        range_of = range_of or self.plain_range
        fields: dict[str, object] = {
            "range": range_of(diagnostic.span or TextSpan(0, 0)),
            "message": diagnostic.message,
            **_kind(diagnostic.code, diagnostic.severity, diagnostic.tags),
        }
        related = [
            {"location": LocationEntry(self.uri, range_of(item.span)), "message": item.message}
            for item in diagnostic.related
            if item.span is not None
        ]
        if related:
            fields["relatedInformation"] = related
        return fields

    def typed_diagnostic(self, diagnostic: Diagnostic) -> types.Diagnostic:
        """A finding for an answer that is not JSON yet."""
        return types.Diagnostic(
            range=self.range(diagnostic.span or TextSpan(0, 0)),
            message=diagnostic.message,
            severity=types.DiagnosticSeverity(int(diagnostic.severity)),
            code=diagnostic.code,
            source=_SOURCE,
        )

    def text_edits(self, edits: Iterable[TextEdit]) -> list[types.TextEdit]:
        """Edits of this text."""
        return [types.TextEdit(self.range(edit.span), edit.new_text) for edit in edits]

    def workspace_edit(self, edits: Iterable[TextEdit], version: int, annotation: str = "") -> types.WorkspaceEdit:
        """Edits of this text at one version of it; a client refuses them where the text has moved on.

        ``annotation`` is what a client that groups changes by what made them calls these.
        """
        document = types.OptionalVersionedTextDocumentIdentifier(uri=self.uri, version=version)
        if not annotation:
            changes = types.TextDocumentEdit(text_document=document, edits=list(self.text_edits(edits)))
            return types.WorkspaceEdit(document_changes=[changes])
        annotated = [
            types.AnnotatedTextEdit(annotation_id=_SOURCE, range=self.range(edit.span), new_text=edit.new_text)
            for edit in edits
        ]
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(text_document=document, edits=list(annotated))],
            change_annotations={_SOURCE: types.ChangeAnnotation(label=annotation, needs_confirmation=False)},
        )
