"""From the features' data to the protocol's types. The only place where a range of offsets becomes one of LSP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from lsprotocol import types

from relay_lsp.ir.diagnostics import Diagnostic, Severity, Tag, TextEdit
from relay_lsp.ir.lazy_numpy import np
from relay_lsp.ir.semantic.snapshot import Symbol, SymbolKind
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import Change
from ..documents.encoding import Encoding
from ..documents.positions import Position, Range, offset_of, position_of, range_of, span_of, units
from ..features.call_search import CallMatch
from ..features.completion import Completion, CompletionKind
from ..features.definition import DefinitionTarget
from ..features.folding import Fold
from ..features.history import ValueEvent
from ..features.hover import Hover, render
from ..features.inlay_hints import InlayHint, InlayHintKind
from ..features.outline import OutlineItem
from ..features.provenance import ValueOrigin
from ..features.references import Access, Highlight
from ..features.signature_help import SignatureHelp
from .structures import FoldEntry, HighlightEntry, LocationEntry, OutlineEntry

__all__ = ["ProtocolConverter", "change_of", "documentation_page"]

_SOURCE = "relay"
_MANY = 256
"""So many ranges are worth arrays."""
_DIAGNOSTICS_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "diagnostics"

_SYMBOL_KINDS = {
    SymbolKind.FUNCTION: types.SymbolKind.Function,
    SymbolKind.TYPE: types.SymbolKind.Enum,
    SymbolKind.CONSTRUCTOR: types.SymbolKind.EnumMember,
    SymbolKind.TYPE_PARAMETER: types.SymbolKind.TypeParameter,
    SymbolKind.PARAMETER: types.SymbolKind.Variable,
    SymbolKind.LET: types.SymbolKind.Variable,
    SymbolKind.GRAPH: types.SymbolKind.Constant,
    SymbolKind.FREE_VAR: types.SymbolKind.Variable,
    SymbolKind.PATTERN_VAR: types.SymbolKind.Variable,
}

_COMPLETION_KINDS = {
    CompletionKind.ATTRIBUTE: types.CompletionItemKind.Property,
    CompletionKind.ATTRIBUTE_VALUE: types.CompletionItemKind.Value,
    CompletionKind.VALUE: types.CompletionItemKind.Variable,
    CompletionKind.FUNCTION: types.CompletionItemKind.Function,
    CompletionKind.CONSTRUCTOR: types.CompletionItemKind.EnumMember,
    CompletionKind.OPERATOR: types.CompletionItemKind.Function,
    CompletionKind.TYPE: types.CompletionItemKind.Class,
    CompletionKind.DTYPE: types.CompletionItemKind.Struct,
    CompletionKind.KEYWORD: types.CompletionItemKind.Keyword,
    CompletionKind.PASS: types.CompletionItemKind.Event,
    CompletionKind.OPTION: types.CompletionItemKind.Property,
}


def _completion_item(completion: Completion, rank: int, snippets: bool, range: Range) -> dict[str, Any]:
    use_snippet = snippets and bool(completion.snippet)
    new_text = completion.snippet if use_snippet else completion.insert_text or completion.label
    item: dict[str, Any] = {
        "label": completion.label,
        "kind": _COMPLETION_KINDS[completion.kind].value,
        "sortText": f"{rank:05}",
        "filterText": completion.label,
        "textEdit": {"range": range, "newText": new_text},
    }
    if completion.detail:
        item["detail"] = completion.detail
    if use_snippet:
        item["insertTextFormat"] = types.InsertTextFormat.Snippet.value
    if completion.subject:
        item["data"] = completion.subject
    return item


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
def _kind(code: str, severity: Severity, tags: tuple[Tag, ...]) -> Mapping[str, Any]:
    """What findings of one kind have in common, as JSON: there are few kinds, and hundreds of findings of each."""
    fields: dict[str, Any] = {"severity": int(severity), "code": code, "source": _SOURCE}
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


@dataclass(frozen=True)
class ProtocolConverter:
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

    def diagnostic(self, diagnostic: Diagnostic) -> dict[str, Any]:
        """A finding with its related places, as JSON."""
        fields: dict[str, Any] = {
            "range": self.plain_range(diagnostic.span or TextSpan(0, 0)),
            "message": diagnostic.message,
            **_kind(diagnostic.code, diagnostic.severity, diagnostic.tags),
        }
        related = [
            {"location": LocationEntry(self.uri, self.plain_range(item.span)), "message": item.message}
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

    def hover(
        self,
        hover: Hover,
        link: Callable[[ValueOrigin], str | None] = lambda origin: None,
        step_link: Callable[[ValueEvent], str | None] = lambda event: None,
    ) -> types.Hover:
        """A hover as Markdown. ``link`` gives the address of an origin's place, ``step_link`` that of a text before a
        pass."""
        content = types.MarkupContent(types.MarkupKind.Markdown, render(hover, link, step_link))
        return types.Hover(content, self.range(hover.span))

    def link(self, target: DefinitionTarget) -> types.LocationLink:
        """A definition, with the word that leads to it."""
        return types.LocationLink(
            target_uri=self.uri,
            target_range=self.range(target.full_span),
            target_selection_range=self.range(target.span),
            origin_selection_range=self.range(target.origin) if target.origin is not None else None,
        )

    def highlight(self, highlight: Highlight) -> HighlightEntry:
        """A place of the name under the cursor."""
        writes = highlight.access is Access.WRITE
        kind = types.DocumentHighlightKind.Write if writes else types.DocumentHighlightKind.Read
        return HighlightEntry(self.plain_range(highlight.span), kind.value)

    def value_highlights(self, spans: Sequence[TextSpan]) -> list[HighlightEntry]:
        """The values of the layer under the cursor."""
        return [HighlightEntry(place) for place in self.plain_ranges(spans)]

    def outline_entry(self, item: OutlineItem) -> OutlineEntry:
        """One definition of an outline, without those inside it."""
        full_range = self.plain_range(item.full_span.cover(item.span))
        return OutlineEntry(
            item.name, item.detail, _SYMBOL_KINDS[item.kind].value, full_range, self.plain_range(item.span)
        )

    def symbol_information(self, item: OutlineItem, container: str | None) -> types.SymbolInformation:
        """A definition for clients without trees, and for a search over several files."""
        return types.SymbolInformation(
            location=self.location(item.span), name=item.name, kind=_SYMBOL_KINDS[item.kind], container_name=container
        )

    def layer_information(self, name: str, span: TextSpan, words: str) -> types.SymbolInformation:
        """A layer for a search over several files, at its first value."""
        return types.SymbolInformation(self.location(span), name, types.SymbolKind.Module, container_name=words)

    def call_information(self, match: CallMatch, function: str) -> types.SymbolInformation:
        """A call for a search over several files, with its attributes and the function that it stands in."""
        container = f"{match.attributes} in {function}" if match.attributes else function
        return types.SymbolInformation(
            self.location(match.span), match.words, types.SymbolKind.Operator, container_name=container
        )

    def fold_entry(self, fold: Fold, lines_only: bool) -> FoldEntry | None:
        """A range that can be folded away; ``None`` where whole lines are to be hidden, and none would be."""
        range = range_of(self.lines, fold.span, self.encoding)
        start, end = range.start.line, range.end.line
        kind = fold.kind.value if fold.kind is not None else None
        if not lines_only:
            return FoldEntry(start, end, range.start.character, range.end.character, kind)
        # Of a line that goes on behind the range, the rest would be hidden with it.
        rest = self.lines.line(end)[self.lines.line_and_column(fold.span.end)[1] :]
        end -= bool(rest.strip())
        return FoldEntry(start, end, kind=kind) if start < end else None

    def inlay_hint(self, hint: InlayHint, version: int) -> types.InlayHint:
        """An inlay hint; ``data`` is what resolving it starts from."""
        position = self.position(hint.offset)
        edits = [types.TextEdit(types.Range(position, position), hint.label)] if hint.inserts else None
        is_argument = hint.kind is InlayHintKind.ARGUMENT
        return types.InlayHint(
            position,
            hint.label,
            types.InlayHintKind.Parameter if is_argument else types.InlayHintKind.Type,
            text_edits=edits,
            padding_right=is_argument or None,
            data={"uri": self.uri, "version": version, "subject": hint.subject} if hint.subject else None,
        )

    def call_hierarchy_item(self, function: Symbol) -> types.CallHierarchyItem:
        """A function in a tree of calls. Its name is enough to find it again."""
        return types.CallHierarchyItem(
            name=function.name,
            kind=types.SymbolKind.Function,
            uri=self.uri,
            range=self.range(function.full_span.cover(function.span)),
            selection_range=self.range(function.span),
            detail="" if function.type is None else repr(function.type),
        )

    def completions(self, completions: Iterable[Completion], snippets: bool) -> list[dict[str, Any]]:
        """What can be written here, in the order in which the feature gave it, as JSON: there are hundreds."""
        ranges: dict[TextSpan, Range] = {}
        items: list[dict[str, Any]] = []
        for rank, completion in enumerate(completions):
            range = ranges.get(completion.span)
            if range is None:
                range = ranges[completion.span] = self.plain_range(completion.span)
            items.append(_completion_item(completion, rank, snippets, range))
        return items

    def signature_help(self, help: SignatureHelp) -> types.SignatureHelp:
        """The call around the cursor."""
        parameters = [
            types.ParameterInformation(
                (
                    units(help.label[: parameter.start], Encoding.UTF_16),
                    units(help.label[: parameter.end], Encoding.UTF_16),
                ),
                types.MarkupContent(types.MarkupKind.Markdown, parameter.documentation)
                if parameter.documentation
                else None,
            )
            for parameter in help.parameters
        ]
        signature = types.SignatureInformation(
            help.label, types.MarkupContent(types.MarkupKind.Markdown, help.documentation), parameters
        )
        # A number past the parameters is the protocol's way to say that none of them is being written.
        active = help.active if help.active is not None else len(parameters)
        return types.SignatureHelp([signature], active_signature=0, active_parameter=active)

    def selection_range(self, spans: Sequence[TextSpan]) -> types.SelectionRange:
        """Ranges that grow around a place, the smallest outside."""
        innermost: types.SelectionRange | None = None
        for span in reversed(spans):
            innermost = types.SelectionRange(self.range(span), innermost)
        return innermost or types.SelectionRange(self.range(TextSpan(0, 0)))
