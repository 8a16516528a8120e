"""What an editor of either kind gets for a document that is being edited."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.protocol.conftest import URI, Editor
from tests.server.protocol.test_passes import after

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 64), float32], %w: Tensor[(10, 64), float32]) {
  %0 = nn.dense(%x, %w, units=None);
  nn.relu(%0) // 🎈 relu
}
"""


def position(line: int, character: int) -> types.Position:
    return types.Position(line, character)


async def test_a_break_is_published_at_its_place_and_goes_when_it_is_mended(editor: Editor) -> None:
    editor.open(MODEL)
    assert await editor.diagnostics() == []
    editor.change("nn.rely", (3, 2), (3, 9))
    (diagnostic,) = await editor.diagnostics()
    assert diagnostic.range == types.Range(position(3, 2), position(3, 9))
    assert "nn.rely" in diagnostic.message
    assert diagnostic.code
    editor.change("nn.relu", (3, 2), (3, 9))
    assert await editor.diagnostics() == []


async def test_a_fix_mends_the_text(editor: Editor) -> None:
    editor.open(MODEL.replace("nn.relu", "nn.rely"))
    (diagnostic,) = await editor.diagnostics()
    context = types.CodeActionContext(diagnostics=[diagnostic], only=[types.CodeActionKind.QuickFix])
    actions = await editor.client.text_document_code_action_async(
        types.CodeActionParams(editor.document, diagnostic.range, context)
    )
    assert actions
    action = actions[0]
    assert isinstance(action, types.CodeAction)
    assert action.edit is not None
    assert action.edit.document_changes is not None
    change = action.edit.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == editor.version
    (part,) = change.edits
    assert isinstance(part, (types.TextEdit, types.AnnotatedTextEdit))
    assert part.new_text == "nn.relu"


async def test_characters_are_counted_as_the_editor_counts_them(editor: Editor) -> None:
    editor.open(MODEL.replace("nn.relu(%0) // 🎈 relu", "/* 🎈 */ nn.rely(%0)"))
    (diagnostic,) = await editor.diagnostics()
    width = {"utf-8": 4, "utf-16": 2, "utf-32": 1}[editor.encoding]
    assert diagnostic.range.start == position(3, 2 + len("/*  */ ") + width)


async def test_a_burst_of_keystrokes_is_published_once(editor: Editor) -> None:
    editor.open(MODEL)
    await editor.diagnostics()
    before = editor.publications
    for index in range(20):
        editor.change("x", (3, 21 + index))
    assert await editor.diagnostics() == []
    await asyncio.sleep(0.2)
    # How many come through depends on how busy the machine is; one for each keystroke would be twenty.
    assert editor.publications - before <= 6


async def test_hover(editor: Editor) -> None:
    editor.open(MODEL)
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, position(2, 9)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "Tensor[(1, 10), float32]" in hover.contents.value
    assert hover.range == types.Range(position(2, 7), position(2, 15))


async def test_definition_and_references(editor: Editor) -> None:
    editor.open(MODEL)
    target = await editor.client.text_document_definition_async(
        types.DefinitionParams(editor.document, position(3, 11))
    )
    if isinstance(target, list):
        (link,) = target
        assert isinstance(link, types.LocationLink)
        assert link.target_selection_range.start == position(2, 2)
    else:
        assert isinstance(target, types.Location)
        assert target.range.start == position(2, 2)
    references = await editor.client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(True), editor.document, position(3, 11))
    )
    assert references is not None
    assert [reference.range.start.line for reference in references] == [2, 3]


async def test_symbols_folds_and_highlights(editor: Editor) -> None:
    editor.open(MODEL)
    symbols = await editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    assert symbols
    assert symbols[0].name == "@main"
    folds = await editor.client.text_document_folding_range_async(types.FoldingRangeParams(editor.document))
    assert folds
    assert folds[0].start_line == 1
    highlights = await editor.client.text_document_document_highlight_async(
        types.DocumentHighlightParams(editor.document, position(2, 3))
    )
    assert highlights is not None
    assert [item.kind for item in highlights] == [types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read]


async def test_completion_with_documentation(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await editor.client.text_document_completion_async(types.CompletionParams(editor.document, position(3, 5)))
    assert isinstance(answer, types.CompletionList)
    item = next(item for item in answer.items if item.label == "nn.relu")
    resolved = await editor.client.completion_item_resolve_async(item)
    assert isinstance(resolved.documentation, types.MarkupContent)
    assert "nn.relu(" in resolved.documentation.value


async def test_operators_are_asked_for_again_once_a_letter_is_typed(editor: Editor) -> None:
    """A client sorts what it has by the texts to compare; those sent for no letter are others than those for one."""
    editor.open(MODEL)
    line = MODEL.splitlines()[3]
    for begun, is_incomplete in ((0, True), (2, False)):
        start = line.index("nn.") + begun
        place = types.CompletionParams(editor.document, position(3, start))
        answer = await editor.client.text_document_completion_async(place)
        assert isinstance(answer, types.CompletionList)
        assert answer.is_incomplete == is_incomplete


async def test_signature_help(editor: Editor) -> None:
    editor.open(MODEL)
    help = await editor.client.text_document_signature_help_async(
        types.SignatureHelpParams(editor.document, position(2, 20))
    )
    assert help is not None
    assert help.signatures[0].label.startswith("nn.dense(data, weight")
    assert help.active_parameter == 1


async def test_rename_asks_first_and_refuses_with_a_reason(editor: Editor) -> None:
    editor.open(MODEL)
    prepared = await editor.client.text_document_prepare_rename_async(
        types.PrepareRenameParams(editor.document, position(1, 11))
    )
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "%x"
    edit = await editor.client.text_document_rename_async(types.RenameParams(editor.document, position(1, 11), "data"))
    assert edit is not None
    assert edit.document_changes is not None
    change = edit.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert [part.new_text for part in change.edits if isinstance(part, (types.TextEdit, types.AnnotatedTextEdit))] == [
        "%data",
        "%data",
    ]
    with pytest.raises(JsonRpcException, match="already defined"):
        await editor.client.text_document_rename_async(types.RenameParams(editor.document, position(1, 11), "w"))


async def test_semantic_tokens_and_their_delta(editor: Editor) -> None:
    editor.open(MODEL)
    full = await editor.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(editor.document))
    assert full is not None
    assert full.result_id is not None
    assert len(full.data) % 5 == 0
    editor.change("%7", (2, 2), (2, 4))
    delta = await editor.client.text_document_semantic_tokens_full_delta_async(
        types.SemanticTokensDeltaParams(editor.document, full.result_id)
    )
    assert isinstance(delta, types.SemanticTokensDelta)
    data = list(full.data)
    for part in delta.edits:
        data[part.start : part.start + part.delete_count] = part.data or []
    again = await editor.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(editor.document))
    assert again is not None
    assert data == list(again.data)


async def test_inlay_hints(editor: Editor) -> None:
    editor.open(MODEL)
    hints = await editor.client.text_document_inlay_hint_async(
        types.InlayHintParams(editor.document, types.Range(position(0, 0), position(9, 0)))
    )
    assert hints is not None
    assert [(hint.position, hint.label) for hint in hints] == [(position(2, 4), ": Tensor[(1, 10), float32]")]


async def test_formatting(editor: Editor) -> None:
    editor.open(MODEL.replace("  %0 = nn.dense(%x, %w", "      %0 =   nn.dense(%x,%w"))
    edits = await editor.client.text_document_formatting_async(
        types.DocumentFormattingParams(editor.document, types.FormattingOptions(tab_size=2, insert_spaces=True))
    )
    assert edits
    assert all(edit.new_text.strip() == "" for edit in edits)


async def test_selection_lenses_and_search(editor: Editor) -> None:
    editor.open(MODEL)
    ranges = await editor.client.text_document_selection_range_async(
        types.SelectionRangeParams(editor.document, [position(2, 9)])
    )
    assert ranges
    assert ranges[0].range == types.Range(position(2, 7), position(2, 15))
    lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.document))
    assert lenses
    assert lenses[0].command is None
    resolved = await editor.client.code_lens_resolve_async(lenses[0])
    assert resolved.command is not None
    assert "2 parameters" in resolved.command.title
    symbols = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("mn"))
    assert symbols
    assert symbols[0].name == "@main"
    assert URI in str(symbols[0].location)


async def test_diagnostics_can_be_fetched(editor: Editor) -> None:
    editor.open(MODEL.replace("nn.relu", "nn.rely"))
    report = await editor.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(editor.document))
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    assert len(report.items) == 1
    again = await editor.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(editor.document, previous_result_id=report.result_id)
    )
    assert isinstance(again, types.RelatedUnchangedDocumentDiagnosticReport)


async def test_lenses_are_worked_out_when_they_are_seen_and_tell_the_history(
    editor: Editor, request: pytest.FixtureRequest
) -> None:
    text = f"// {request.node.nodeid}\n" + MODEL.replace("🎈", "a")
    editor.open(text)
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("relay-lsp.runPass", [{"uri": URI, "pass": "ToANormalForm"}])
    )
    made = after(text, editor.applied[-1])
    editor.change(made)
    lenses = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.document)) or []
    commands = {lens.command.title: lens.command.command for lens in lenses if lens.command is not None}
    assert commands["Made by ToANormalForm"] == "relay-lsp.showHistory"
    editor.messages.clear()
    await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("relay-lsp.showHistory", [{"uri": URI}])
    )
    assert editor.messages == ["ToANormalForm"]


async def test_edits_say_what_makes_them_where_the_client_shows_that(editor: Editor) -> None:
    editor.open(MODEL)
    params = types.CodeActionParams(
        editor.document, types.Range(position(3, 4), position(3, 4)), types.CodeActionContext([], only=["refactor"])
    )
    actions = await editor.client.text_document_code_action_async(params) or []
    action = next(item for item in actions if isinstance(item, types.CodeAction) and item.title.startswith("Bind"))
    resolved = await editor.client.code_action_resolve_async(action) if action.edit is None else action
    assert resolved.edit is not None
    assert editor.client.capabilities is not None
    workspace = editor.client.capabilities.workspace
    edits = workspace.workspace_edit if workspace is not None else None
    if edits is not None and edits.change_annotation_support is not None:
        assert [item.label for item in (resolved.edit.change_annotations or {}).values()] == ["Bind to a graph value"]
    else:
        assert resolved.edit.change_annotations is None
    assert resolved.edit.document_changes
    change = resolved.edit.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == editor.version


async def test_all_fixes_are_one_edit_with_those_of_faults_that_others_hid(editor: Editor) -> None:
    text = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(5, 3), float32]) {
  %0 = sigmoyd(%x);
  nn.dense(%0, %w, units=7)
}
"""
    editor.open(text)
    params = types.CodeActionParams(
        editor.document,
        types.Range(position(0, 0), position(0, 0)),
        types.CodeActionContext([], only=["source.fixAll"]),
    )
    (action,) = await editor.client.text_document_code_action_async(params) or []
    assert isinstance(action, types.CodeAction)
    resolved = await editor.client.code_action_resolve_async(action) if action.edit is None else action
    assert resolved.edit is not None
    assert after(text, resolved.edit) == text.replace("sigmoyd", "sigmoid").replace("units=7", "units=5")


async def test_operators_are_compared_with_what_is_typed_without_their_family_first(editor: Editor) -> None:
    """Clients prefer what begins as typed to our order."""
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2, 3), float32]) {\n  rel\n}\n'
    editor.open(text)
    params = types.CompletionParams(editor.document, position(2, 5))
    answer = await editor.client.text_document_completion_async(params)
    assert isinstance(answer, types.CompletionList)
    compared = {item.label: item.filter_text for item in answer.items}
    assert compared["nn.relu"] == "relu nn.relu"
    assert compared["reshape_like"] == "reshape_like"
    editor.change(text.replace("rel", "nn.re"))
    answer = await editor.client.text_document_completion_async(types.CompletionParams(editor.document, position(2, 7)))
    assert isinstance(answer, types.CompletionList)
    assert answer.items[0].filter_text == "nn.relu"
