"""What can be written at the cursor: completions, and the signature of the call around it."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from relay_lsp.ir.text.text_span import TextSpan

from ..documents.positions import Encoding, Range, units
from ..features.completion import Completion, CompletionKind, completions, documentation
from ..features.signature_help import SignatureHelp, signature_help
from ..lsp.message_codec import Plain
from ..lsp.protocol import RelayLanguageServer
from .views import View, view

__all__ = ["register"]

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


async def on_completion(server: RelayLanguageServer, params: types.CompletionParams) -> Plain | None:
    """What can be written at the cursor."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    offset = seen.converter.offset(params.position)
    offered = completions(seen.snapshot, offset)
    snippets = server.supports("textDocument", "completion", "completionItem", "snippetSupport")
    items = _completion_items(offered.items, snippets, seen, offset)
    is_incomplete = offered.is_incomplete or _changes_with_letters(offered.items, offset)
    return Plain({"isIncomplete": is_incomplete, "items": items})


def _changes_with_letters(completions: Iterable[Completion], offset: int) -> bool:
    """Whether the texts to compare are others once a letter is typed: see :func:`_filter_text`."""
    return any(each.kind is CompletionKind.OPERATOR and each.span.start == offset for each in completions)


def _completion_items(
    completions: Iterable[Completion], snippets: bool, seen: View, offset: int
) -> list[dict[str, object]]:
    """What can be written here, in the order in which the feature gave it, as JSON: there are hundreds."""
    places: dict[TextSpan, tuple[Range, str]] = {}
    items: list[dict[str, object]] = []
    for rank, completion in enumerate(completions):
        place = places.get(completion.span)
        if place is None:
            span = completion.span
            place = seen.converter.plain_range(span), seen.snapshot.lines.part(span.start, offset)
            places[span] = place
        items.append(_completion_item(completion, rank, snippets, *place))
    return items


def _completion_item(completion: Completion, rank: int, snippets: bool, range: Range, begun: str) -> dict[str, object]:
    use_snippet = snippets and bool(completion.snippet)
    new_text = completion.snippet if use_snippet else completion.insert_text or completion.label
    item: dict[str, object] = {
        "label": completion.label,
        "kind": _COMPLETION_KINDS[completion.kind].value,
        "sortText": f"{rank:05}",
        "filterText": _filter_text(completion, begun),
        "textEdit": {"range": range, "newText": new_text},
    }
    if completion.detail:
        item["detail"] = completion.detail
    if use_snippet:
        item["insertTextFormat"] = types.InsertTextFormat.Snippet.value
    if completion.subject:
        item["data"] = completion.subject
    return item


def _filter_text(completion: Completion, begun: str) -> str:
    """What a client compares with what is typed. What begins as typed comes first there, whatever our order is: for
    ``rel``, ``nn.relu`` is to begin so, too. So an operator that is not typed with its family is compared without it
    first, and with it then.
    """
    label = completion.label
    if completion.kind is not CompletionKind.OPERATOR or "." not in label or (begun and label.startswith(begun)):
        return label
    return f"{label.rpartition('.')[2]} {label}"


def on_completion_resolve(server: RelayLanguageServer, item: types.CompletionItem) -> types.CompletionItem:
    """The documentation of a completion that is selected."""
    words = documentation(item.data) if isinstance(item.data, str) else ""
    if words:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, words)
    return item


async def on_signature_help(
    server: RelayLanguageServer, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    """The call around the cursor."""
    seen = await view(server, params.text_document.uri)
    signature = signature_help(seen.snapshot, seen.converter.offset(params.position)) if seen is not None else None
    return None if seen is None or signature is None else _signature_help(signature)


def _signature_help(help: SignatureHelp) -> types.SignatureHelp:
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


def register(server: RelayLanguageServer) -> None:
    """Answer these requests."""
    server.feature(types.TEXT_DOCUMENT_COMPLETION)(on_completion)
    server.feature(types.COMPLETION_ITEM_RESOLVE)(on_completion_resolve)
    server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP)(on_signature_help)
