"""Calls, linked names, layout while typing, refactorings and file operations, as editors of either kind get them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.protocol.conftest import URI, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @half(%x: float32) -> float32 {
  divide(%x, 2f)
}
def @main(%x: float32) {
  %0 = @half(exp(%x));
  add(%0, %x)
}
"""


def position(line: int, character: int) -> types.Position:
    return types.Position(line, character)


def span(line: int, start: int, end: int) -> types.Range:
    return types.Range(position(line, start), position(line, end))


async def test_call_hierarchy(editor: Editor) -> None:
    editor.open(MODEL)
    items = await editor.client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(editor.document, position(1, 6))
    )
    assert items
    assert items[0].name == "@half"
    calls = await editor.client.call_hierarchy_incoming_calls_async(types.CallHierarchyIncomingCallsParams(items[0]))
    assert calls
    assert [(call.from_.name, tuple(call.from_ranges)) for call in calls] == [("@main", (span(5, 7, 12),))]
    main = calls[0].from_
    below = await editor.client.call_hierarchy_outgoing_calls_async(types.CallHierarchyOutgoingCallsParams(main))
    assert below
    assert [call.to.name for call in below] == ["@half"]


async def test_linked_editing(editor: Editor) -> None:
    editor.open(MODEL)
    linked = await editor.client.text_document_linked_editing_range_async(
        types.LinkedEditingRangeParams(editor.document, position(5, 3))
    )
    assert linked is not None
    assert list(linked.ranges) == [span(5, 2, 4), span(6, 6, 8)]


async def test_links_to_the_files_that_comments_name(editor: Editor, tmp_path: Path) -> None:
    """Only files that exist are linked; characters are counted in the client's units."""
    (tmp_path / "model.py").write_text("\n")
    uri = (tmp_path / "net.relay").as_uri()
    text = "def @f(%x: int8 /* 😀 */ /* span=model.py:4:0, other.py:1:1 */, %y: int8 /* span=model.py:2:7 */) { %x }"
    editor.open(text, uri)
    file_links = await editor.client.text_document_document_link_async(
        types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
    )
    target = (tmp_path / "model.py").as_uri()
    extra = {"utf-8": 3, "utf-16": 1, "utf-32": 0}[editor.encoding]
    places = [(text.index("model.py:4") + extra, "4,1"), (text.index("model.py:2") + extra, "2,7")]
    assert [(link.range, link.target) for link in file_links or ()] == [
        (span(0, start, start + len("model.py:4:0")), f"{target}#L{line}") for start, line in places
    ]
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))


async def test_layout_while_typing(editor: Editor) -> None:
    editor.open(MODEL.replace("  %0 = ", "\t %0="))
    edits = await editor.client.text_document_on_type_formatting_async(
        types.DocumentOnTypeFormattingParams(
            editor.document, position(5, 22), ";", types.FormattingOptions(tab_size=2, insert_spaces=True)
        )
    )
    assert edits
    assert all(not edit.new_text.strip() for edit in edits)


async def actions(editor: Editor, where: types.Range, kind: str) -> dict[str, types.CodeAction]:
    context = types.CodeActionContext(diagnostics=[], only=[kind], trigger_kind=types.CodeActionTriggerKind.Automatic)
    answer = await editor.client.text_document_code_action_async(
        types.CodeActionParams(editor.document, where, context)
    )
    return {action.title: action for action in answer or () if isinstance(action, types.CodeAction)}


def changes(action: types.CodeAction) -> types.TextDocumentEdit:
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    return change


async def test_a_refactoring_is_worked_out_when_it_is_chosen(editor: Editor) -> None:
    editor.open(MODEL)
    offered = await actions(editor, span(5, 13, 20), "refactor.extract")
    assert set(offered) == {"Extract to function", "Bind to a graph value"}
    chosen = await editor.client.code_action_resolve_async(offered["Bind to a graph value"])
    change = changes(chosen)
    assert change.text_document.version == editor.version
    assert [edit.new_text for edit in change.edits if isinstance(edit, (types.TextEdit, types.AnnotatedTextEdit))] == [
        "%1 = exp(%x);\n  ",
        "%1",
    ]


async def test_a_refactoring_of_a_text_that_has_moved_on_is_refused(editor: Editor) -> None:
    editor.open(MODEL)
    offered = await actions(editor, span(5, 13, 20), "refactor.extract")
    editor.change("// one\n", (0, 0))
    with pytest.raises(JsonRpcException, match="the text has changed since"):
        await editor.client.code_action_resolve_async(offered["Extract to function"])


async def test_one_function_is_converted_to_another_form(editor: Editor) -> None:
    editor.open(MODEL)
    offered = await actions(editor, span(6, 3, 3), "refactor.rewrite")
    chosen = await editor.client.code_action_resolve_async(offered["Convert @main to A-normal form"])
    texts = [
        edit.new_text for edit in changes(chosen).edits if isinstance(edit, (types.TextEdit, types.AnnotatedTextEdit))
    ]
    assert any("let %" in text for text in texts)
    assert all(
        edit.range.start.line > 3
        for edit in changes(chosen).edits
        if isinstance(edit, (types.TextEdit, types.AnnotatedTextEdit))
    )


async def test_a_pipeline_is_run_on_one_function(editor: Editor) -> None:
    editor.open(MODEL)
    argument = {"uri": URI, "passes": ["ToANormalForm"], "function": "@main"}
    await editor.client.workspace_execute_command_async(types.ExecuteCommandParams("relay-lsp.runPipeline", [argument]))
    (edit,) = editor.applied
    assert edit.document_changes
    change = edit.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert all(part.range.start.line > 3 for part in change.edits)


async def test_hints_follow_the_settings_and_are_explained_when_looked_at(editor: Editor) -> None:
    earlier = editor.settings
    editor.settings = {"inlayHints": {"types": False, "argumentNames": True}, **earlier}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"relay": editor.settings}))
    editor.open(MODEL)
    hints = await editor.client.text_document_inlay_hint_async(
        types.InlayHintParams(editor.document, types.Range(position(0, 0), position(9, 0)))
    )
    assert hints
    assert "lhs:" in {hint.label for hint in hints}
    hint = await editor.client.inlay_hint_resolve_async(hints[0])
    assert hint.tooltip
    editor.settings = earlier
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"relay": editor.settings}))


async def test_passes_are_completed_in_the_pipeline_comment(editor: Editor) -> None:
    editor.open("// relay-lsp: Fold\n" + MODEL)
    completions = await editor.client.text_document_completion_async(
        types.CompletionParams(editor.document, position(0, 18))
    )
    assert isinstance(completions, types.CompletionList)
    item = next(item for item in completions.items if item.label == "FoldConstant")
    assert (await editor.client.completion_item_resolve_async(item)).documentation


async def test_a_file_that_gets_another_name(editor: Editor) -> None:
    editor.open(MODEL.replace("exp(%x)", "exp(%x) /* span=net.relay:1:2 */"))
    files = [types.FileRename("file:///workspace/net.relay", "file:///workspace/model_2.relay")]
    edit = await editor.client.workspace_will_rename_files_async(types.RenameFilesParams(files))
    assert edit is not None
    folder = [types.FileRename("file:///workspace/nets", "file:///workspace/models")]
    editor.change(MODEL.replace("exp(%x)", "exp(%x) /* span=nets/net.relay:1:2 */"))
    edit = await editor.client.workspace_will_rename_files_async(types.RenameFilesParams(folder))
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    edits = [each.new_text for each in change.edits if isinstance(each, types.TextEdit)]
    assert edits == ["models/net.relay:1:2"]
    editor.client.workspace_did_rename_files(types.RenameFilesParams([types.FileRename(URI, URI + "2")]))
    editor.client.workspace_did_delete_files(types.DeleteFilesParams([types.FileDelete(URI)]))
    editor.open(MODEL)
    assert await editor.diagnostics() == []


async def test_files_that_nobody_opened_are_searched_in_every_folder(editor: Editor, tmp_path: Path) -> None:
    folders: list[types.WorkspaceFolder] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.relay").write_text(MODEL.replace("@half", f"@half_{name}").replace("exp", "exq"))
        folders.append(types.WorkspaceFolder((tmp_path / name).as_uri(), name))
    event = types.WorkspaceFoldersChangeEvent(added=folders, removed=[])
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    symbols = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("@half_"))
    assert symbols is not None
    assert [symbol.name for symbol in symbols] == ["@half_one", "@half_two"]
    report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    reports = [item for item in report.items if isinstance(item, types.WorkspaceFullDocumentDiagnosticReport)]
    assert [item.uri for item in reports if item.items] == [
        (tmp_path / n / "model.relay").as_uri() for n in ("one", "two")
    ]
    known = [types.PreviousResultId(item.uri, str(item.result_id)) for item in reports]
    again = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(known))
    assert all(isinstance(item, types.WorkspaceUnchangedDocumentDiagnosticReport) for item in again.items)
    event = types.WorkspaceFoldersChangeEvent(added=[], removed=folders)
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
    await asyncio.sleep(0)
    assert not await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("@half_"))


async def test_broken_text_is_answered(editor: Editor) -> None:
    editor.open(MODEL[:-12] + " (")
    await editor.client.text_document_prepare_call_hierarchy_async(
        types.CallHierarchyPrepareParams(editor.document, position(5, 9))
    )
    await editor.client.text_document_linked_editing_range_async(
        types.LinkedEditingRangeParams(editor.document, position(5, 3))
    )
    assert await actions(editor, span(5, 13, 20), "refactor") is not None
