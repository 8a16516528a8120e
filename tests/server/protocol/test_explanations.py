"""Asking from an editor why a pass left a value alone."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.protocol.conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = exp(%x);
  sort(%0)
}
"""
REASON = "%0 (exp): not fused with sort: that is opaque to an elementwise producer"


async def test_an_action_asks_and_the_answer_is_shown(editor: Editor) -> None:
    editor.open(MODEL)
    start = types.Position(2, 8)
    context = types.CodeActionContext([], only=["refactor.rewrite.explain"])
    params = types.CodeActionParams(editor.document, types.Range(start, start), context)
    actions = await editor.client.text_document_code_action_async(params) or []
    assert [action.title for action in actions] == ["Why was this not fused?", "Why was this kept in its precision?"]
    argument = {"uri": editor.document.uri, "pass": "FuseOps", "position": {"line": 2, "character": 8}}
    answer: Any = await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("relay-lsp.explain", [argument])
    )
    assert answer["message"] == REASON
    (remark,) = answer["remarks"]
    assert (remark["pass"], remark["kind"], remark["rule"]) == ("FuseOps", "missed", "opaque")
    assert remark["range"]["start"] == {"line": 2, "character": 7}
    assert REASON in editor.messages
    assert not editor.applied, "the buffer stays as it is"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"pass": "FuseOps"}, "the command needs"),
        ({"pass": "FuseOps", "position": {"line": 0, "character": 0}}, "there is no value at this place"),
        ({"pass": "FuseOps[", "position": {"line": 2, "character": 8}}, "FuseOps"),
    ],
)
async def test_what_cannot_be_asked_is_refused(editor: Editor, argument: dict[str, object], message: str) -> None:
    editor.open(MODEL)
    with pytest.raises(JsonRpcException, match=message):
        await editor.client.workspace_execute_command_async(
            types.ExecuteCommandParams("relay-lsp.explain", [{"uri": editor.document.uri, **argument}])
        )


async def test_remarks_are_shown_beside_the_values_until_the_text_changes(editor: Editor) -> None:
    editor.open(MODEL)
    asked = {"uri": editor.document.uri, "passes": ["FuseOps"]}
    answer: Any = await run(editor, "relay-lsp.showRemarks", asked)
    assert REASON.partition(": ")[2] in [remark["message"] for remark in answer["remarks"]]
    assert not editor.applied, "the buffer stays as it is"
    labels = await remark_labels(editor)
    assert labels == {
        2: "  FuseOps: not fused with sort: that is opaque to an elemen…",
        3: "  FuseOps: not fused: no operator takes its value, which is…",
    }
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, types.Position(2, 8)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "**FuseOps**, missed: not fused with sort" in hover.contents.value
    await run(editor, "relay-lsp.showRemarks", {"uri": editor.document.uri, "hide": True})
    assert await remark_labels(editor) == {}


async def run(editor: Editor, command: str, argument: dict[str, object]) -> Any:
    return await editor.client.workspace_execute_command_async(types.ExecuteCommandParams(command, [argument]))


async def remark_labels(editor: Editor) -> dict[int, str]:
    """What stands at the ends of lines about the decisions of passes."""
    whole = types.Range(types.Position(0, 0), types.Position(5, 0))
    hints = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(editor.document, whole)) or []
    return {hint.position.line: str(hint.label) for hint in hints if "FuseOps" in str(hint.label)}
