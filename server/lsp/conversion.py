"""From the features' data to the protocol's types. The only place where a range of offsets becomes one of LSP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from lsprotocol import types

from relay_lsp.ir.diagnostics import Diagnostic, Severity, Tag, TextEdit
from relay_lsp.ir.semantic.snapshot import Symbol, SymbolKind
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import Change
from ..documents.encoding import Encoding
from ..documents.positions import Position, Range, offset_of, position_of, range_of, span_of, units
from ..features.completion import Completion, CompletionKind
from ..features.definition import DefinitionTarget
from ..features.folding import Fold
from ..features.hover import Hover, render
from ..features.inlay_hints import InlayHint, InlayHintKind
from ..features.outline import OutlineItem
from ..features.provenance import ValueOrigin
from ..features.references import Access, Highlight
from ..features.signature_help import SignatureHelp
from ..transport.long_messages import LongTexts
from .encoded_locations import written_locations

__all__ = ["ProtocolConverter", "change_of", "documentation_page"]

_SOURCE = "relay"
_written_string = json.JSONEncoder().encode
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


def _written_completion(completion: Completion, rank: int, snippets: bool, range: str) -> str:
    use_snippet = snippets and bool(completion.snippet)
    new_text = completion.snippet if use_snippet else completion.insert_text or completion.label
    label = _written_string(completion.label)
    more = ""
    if completion.detail:
        more = f',"detail":{_written_string(completion.detail)}'
    if use_snippet:
        more += f',"insertTextFormat":{types.InsertTextFormat.Snippet.value}'
    if completion.subject:
        more += f',"data":{_written_string(completion.subject)}'
    return (
        f'{{"label":{label},"kind":{_COMPLETION_KINDS[completion.kind].value},"sortText":"{rank:05}",'
        f'"filterText":{label},"textEdit":{{"range":{range},"newText":{_written_string(new_text)}}}{more}}}'
    )


def change_of(event: types.TextDocumentContentChangeEvent, texts: LongTexts) -> Change:
    """One change of a text, as the documents take it."""
    if isinstance(event, types.TextDocumentContentChangePartial):
        return Change(event.text, _range(event.range))
    return Change(texts.lines_of(event.text))


def _range(range: types.Range) -> Range:
    return Range(_position(range.start), _position(range.end))


def _position(position: types.Position) -> Position:
    return Position(position.line, position.character)


@cache
def _kind(code: str, severity: Severity, tags: tuple[Tag, ...]) -> Mapping[str, Any]:
    """What findings of one kind have in common, as JSON: there are few kinds, and hundreds of findings of each."""
    found: dict[str, Any] = {"severity": int(severity), "code": code, "source": _SOURCE}
    page = documentation_page(code)
    if page is not None:
        found["codeDescription"] = {"href": page}
    if tags:
        found["tags"] = [int(tag) for tag in tags]
    return found


@cache
def _written_kind(code: str, severity: Severity, tags: tuple[Tag, ...]) -> str:
    return json.dumps(_kind(code, severity, tags))


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
        found = position_of(self.lines, offset, self.encoding)
        return types.Position(found.line, found.character)

    def range(self, span: TextSpan) -> types.Range:
        """The client's range of a span."""
        found = range_of(self.lines, span, self.encoding)
        return types.Range(
            types.Position(found.start.line, found.start.character), types.Position(found.end.line, found.end.character)
        )

    def location(self, span: TextSpan) -> types.Location:
        """A place in this text."""
        return types.Location(self.uri, self.range(span))

    def plain_range(self, span: TextSpan) -> dict[str, Any]:
        """The client's range of a span, as JSON."""
        if self._counts_code_points:
            line, character, end_line, end_character = self.lines.lines_and_columns(span)
            return {
                "start": {"line": line, "character": character},
                "end": {"line": end_line, "character": end_character},
            }
        found = range_of(self.lines, span, self.encoding)
        return {
            "start": {"line": found.start.line, "character": found.start.character},
            "end": {"line": found.end.line, "character": found.end.character},
        }

    def plain_location(self, span: TextSpan) -> dict[str, Any]:
        """A place in this text, as JSON."""
        return {"uri": self.uri, "range": self.plain_range(span)}

    def written_locations(self, spans: Sequence[TextSpan]) -> memoryview:
        """Places in this text, written in JSON: a value may have thousands of uses."""
        if not self._counts_code_points:
            ranges = [range_of(self.lines, span, self.encoding) for span in spans]
            places = [(place.line, place.character) for range in ranges for place in (range.start, range.end)]
            return written_locations(self.uri, list(np.array(places, np.int64).reshape(-1, 4).T))
        line_starts = np.asarray(self.lines.line_starts)
        numbers: list[Any] = []
        if isinstance(spans, SpanArray):
            both = (spans.starts, spans.starts + spans.length)
        else:
            both = tuple(np.array(offsets, np.int64) for offsets in zip(*spans, strict=True)) or (np.empty(0, int),) * 2
        for places in both:
            lines = np.searchsorted(line_starts, places, "right") - 1
            numbers += (lines, places - line_starts[lines])
        return written_locations(self.uri, numbers)

    def diagnostic(self, diagnostic: Diagnostic) -> dict[str, Any]:
        """A finding with its related places, as JSON."""
        found: dict[str, Any] = {
            "range": self.plain_range(diagnostic.span or TextSpan(0, 0)),
            "message": diagnostic.message,
            **_kind(diagnostic.code, diagnostic.severity, diagnostic.tags),
        }
        related = [
            {"location": self.plain_location(item.span), "message": item.message}
            for item in diagnostic.related
            if item.span is not None
        ]
        if related:
            found["relatedInformation"] = related
        return found

    def written_diagnostics(self, diagnostics: Iterable[Diagnostic]) -> str:
        """Findings as :meth:`diagnostic` has them, written in JSON: a pasted block may bring hundreds of hints."""
        written: list[str] = []
        for diagnostic in diagnostics:
            kind = _written_kind(diagnostic.code, diagnostic.severity, diagnostic.tags)
            place = self._written_range(diagnostic.span or TextSpan(0, 0))
            related = [
                f'{{"location":{{"uri":{json.dumps(self.uri)},"range":{self._written_range(item.span)}}}'
                f',"message":{json.dumps(item.message)}}}'
                for item in diagnostic.related
                if item.span is not None
            ]
            also = f'"relatedInformation":[{",".join(related)}],' if related else ""
            written.append(f'{{"range":{place},"message":{json.dumps(diagnostic.message)},{also}{kind[1:]}')
        return f"[{','.join(written)}]"

    def _written_range(self, span: TextSpan) -> str:
        if not self._counts_code_points:
            return json.dumps(self.plain_range(span))
        line, character, end_line, end_character = self.lines.lines_and_columns(span)
        start = f'"start":{{"line":{line},"character":{character}}}'
        return f'{{{start},"end":{{"line":{end_line},"character":{end_character}}}}}'

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

    def hover(self, hover: Hover, link: Callable[[ValueOrigin], str | None] = lambda origin: None) -> types.Hover:
        """A hover as Markdown. ``link`` gives the address of an origin's place."""
        content = types.MarkupContent(types.MarkupKind.Markdown, render(hover, link))
        return types.Hover(content, self.range(hover.span))

    def link(self, target: DefinitionTarget) -> types.LocationLink:
        """A definition, with the word that leads to it."""
        return types.LocationLink(
            target_uri=self.uri,
            target_range=self.range(target.full_span),
            target_selection_range=self.range(target.span),
            origin_selection_range=self.range(target.origin) if target.origin is not None else None,
        )

    def highlight(self, highlight: Highlight) -> types.DocumentHighlight:
        """A place of the name under the cursor."""
        writes = highlight.access is Access.WRITE
        kind = types.DocumentHighlightKind.Write if writes else types.DocumentHighlightKind.Read
        return types.DocumentHighlight(self.range(highlight.span), kind)

    def outline(self, items: Sequence[OutlineItem]) -> list[dict[str, Any]]:
        """Definitions as a tree, as JSON. Definitions may be nested deeply, so they are walked without recursion."""
        roots: list[dict[str, Any]] = []
        stack = [(item, roots) for item in reversed(items)]
        while stack:
            item, siblings = stack.pop()
            below: list[dict[str, Any]] = []
            siblings.append({**self.outline_item(item), "children": below})
            stack.extend((child, below) for child in reversed(item.children))
        return roots

    def outline_item(self, item: OutlineItem) -> dict[str, Any]:
        """One definition of an outline, without those inside it, as JSON."""
        return {
            "name": item.name,
            "detail": item.detail,
            "kind": _SYMBOL_KINDS[item.kind].value,
            "range": self.plain_range(item.full_span.cover(item.span)),
            "selectionRange": self.plain_range(item.span),
        }

    def symbol_information(self, item: OutlineItem, container: str | None) -> types.SymbolInformation:
        """A definition for clients without trees, and for a search over several files."""
        return types.SymbolInformation(
            location=self.location(item.span), name=item.name, kind=_SYMBOL_KINDS[item.kind], container_name=container
        )

    def fold(self, fold: Fold, lines_only: bool) -> dict[str, Any] | None:
        """A range that can be folded away, as JSON; ``None`` where whole lines are to be hidden, and none would be."""
        found = range_of(self.lines, fold.span, self.encoding)
        start, end = found.start.line, found.end.line
        kind = {"kind": fold.kind.value} if fold.kind is not None else {}
        if not lines_only:
            characters = {"startCharacter": found.start.character, "endCharacter": found.end.character}
            return {"startLine": start, "endLine": end, **characters, **kind}
        # Of a line that goes on behind the range, the rest would be hidden with it.
        rest = self.lines.line(end)[self.lines.line_and_column(fold.span.end)[1] :]
        end -= bool(rest.strip())
        return {"startLine": start, "endLine": end, **kind} if start < end else None

    def inlay_hint(self, hint: InlayHint, version: int) -> types.InlayHint:
        """Words beside a value or an argument; ``data`` is what resolving it starts from."""
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

    def written_completions(self, completions: Iterable[Completion], snippets: bool) -> str:
        """What can be written here, in the order in which the feature gave it, as JSON text: there are hundreds."""
        ranges: dict[TextSpan, str] = {}
        made: list[str] = []
        for rank, completion in enumerate(completions):
            span = completion.span
            range = ranges.get(span)
            if range is None:
                range = ranges[span] = json.dumps(self.plain_range(span))
            made.append(_written_completion(completion, rank, snippets, range))
        return f"[{','.join(made)}]"

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
        found: types.SelectionRange | None = None
        for span in reversed(spans):
            found = types.SelectionRange(self.range(span), found)
        return found or types.SelectionRange(self.range(TextSpan(0, 0)))
