"""A workspace of several folders, each with settings of its own, and reports over all of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.protocol.conftest import Editor, leave, start

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x);
  if (True) { %0 } else { %x }
}
"""


async def with_folders(editor: Editor, folders: list[Path], change: str = "added") -> None:
    named = [types.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders]
    event = types.WorkspaceFoldersChangeEvent(
        added=named if change == "added" else [], removed=named if change == "removed" else []
    )
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


async def hints(editor: Editor, uri: str) -> list[Any]:
    params = types.InlayHintParams(
        types.TextDocumentIdentifier(uri), types.Range(types.Position(0, 0), types.Position(9, 0))
    )
    return list(await editor.client.text_document_inlay_hint_async(params) or [])


async def test_each_folder_has_its_own_settings(editor: Editor, tmp_path: Path) -> None:
    loud, quiet = tmp_path / "loud", tmp_path / "quiet"
    editor.folder_settings = {
        quiet.as_uri(): {
            **editor.settings,
            "inlayHints": {"types": False},
            "diagnostics": {"unreachable": False},
            "pipelines": {"mine": ["FoldConstant"]},
        }
    }
    await with_folders(editor, [loud, quiet])
    for folder in (loud, quiet):
        editor.open(MODEL, (folder / "model.relay").as_uri())
    for _ in range(200):
        if not await hints(editor, (quiet / "model.relay").as_uri()):
            break
        await asyncio.sleep(0.02)
    assert not await hints(editor, (quiet / "model.relay").as_uri())
    assert await hints(editor, (loud / "model.relay").as_uri())
    for folder, expected in ((loud, ["unreachable"]), (quiet, [])):
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier((folder / "model.relay").as_uri()))
        report = await editor.client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        assert [item.code for item in report.items] == expected
        if expected:
            assert list(report.items[0].tags or ()) == [types.DiagnosticTag.Unnecessary]
    editor.folder_settings = {}
    await with_folders(editor, [loud, quiet], "removed")


async def test_a_document_s_report_is_not_sent_again_where_nothing_changed(editor: Editor) -> None:
    editor.open(MODEL)
    params = types.DocumentDiagnosticParams(editor.document)
    first = await editor.client.text_document_diagnostic_async(params)
    assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
    again = types.DocumentDiagnosticParams(editor.document, previous_result_id=first.result_id)
    assert isinstance(
        await editor.client.text_document_diagnostic_async(again), types.RelatedUnchangedDocumentDiagnosticReport
    )
    editor.change("nn.rely", (2, 7), (2, 14))
    assert isinstance(
        await editor.client.text_document_diagnostic_async(again), types.RelatedFullDocumentDiagnosticReport
    )


async def test_reports_over_a_workspace_come_one_by_one_to_who_takes_them_so(editor: Editor, tmp_path: Path) -> None:
    for name in ("one.relay", "two.relay", "three.rly"):
        (tmp_path / name).write_text(MODEL.replace("nn.relu", "nn.rely"))
    (tmp_path / "other.txt").write_text("nothing of ours")
    await with_folders(editor, [tmp_path])
    editor.progress.clear()
    params = types.WorkspaceDiagnosticParams([], partial_result_token="part", work_done_token="work")
    report = await editor.client.workspace_diagnostic_async(params)
    assert not report.items
    parts = [value for value in editor.progress if "items" in dict_of(value)]
    reports = [dict_of(item) for part in parts for item in dict_of(part)["items"]]
    assert {str(item["uri"]).rpartition("/")[2] for item in reports} >= {"one.relay", "two.relay", "three.rly"}
    kinds = [dict_of(value).get("kind") for value in editor.progress if value not in parts]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"
    await with_folders(editor, [tmp_path], "removed")


async def test_texts_that_the_client_only_shows_are_no_part_of_the_workspace() -> None:
    """Such as those of a preview, which leaves statements out: values that they use look undefined there."""
    editor = await start("visual-studio-code", {"readOnlySchemes": ["relay-text"]})
    for uri in ("relay-text:/1/preview.relay", "file:///workspace/model.relay"):
        given = types.TextDocumentItem(uri, "relay", 1, "def @shown(%x: int32) {\n  nn.relu(%missing)\n}\n")
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(given))
    symbols = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("@shown"))
    assert [symbol.location.uri for symbol in symbols or () if isinstance(symbol, types.SymbolInformation)] == [
        "file:///workspace/model.relay"
    ]
    report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert [item.uri for item in report.items] == ["file:///workspace/model.relay"]
    shown = types.TextDocumentIdentifier("relay-text:/1/preview.relay")
    answer = await editor.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(shown))
    assert isinstance(answer, types.RelatedFullDocumentDiagnosticReport)
    assert not answer.items
    hover = await editor.client.text_document_hover_async(types.HoverParams(shown, types.Position(1, 4)))
    assert hover is not None
    await leave(editor)


def dict_of(value: Any) -> dict[str, Any]:
    """What came in a progress notification, which the client reads into objects of its own."""
    if isinstance(value, dict):
        return value
    return value._asdict() if hasattr(value, "_asdict") else vars(value)


async def test_several_ranges_are_formatted_at_once(editor: Editor) -> None:
    editor.open(MODEL.replace("%0 = nn.relu(%x)", "%0=nn.relu( %x )").replace("(True)", "( True )"))
    ranges = [types.Range(types.Position(line, 0), types.Position(line, 1)) for line in (2, 3)]
    params = types.DocumentRangesFormattingParams(editor.document, ranges, types.FormattingOptions(2, True))
    edits = await editor.client.text_document_ranges_formatting_async(params)
    assert edits
    assert {edit.range.start.line for edit in edits} == {2, 3}
