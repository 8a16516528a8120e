"""Whatever a client sends, the server answers and lives, and nothing of the user's is lost."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.protocol.conftest import URI, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = '#[version = "0.0.5"]\ndef @main(%x: float32) {\n  add(%x, %x)\n}\n'


async def lives(editor: Editor) -> bool:
    editor.open(MODEL)
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, types.Position(2, 3)))
    return hover is not None


async def test_a_change_before_opening(editor: Editor) -> None:
    editor.change("x", (0, 0))
    assert await lives(editor)


async def test_a_request_about_a_document_that_is_not_open(editor: Editor) -> None:
    answer = await editor.client.text_document_hover_async(types.HoverParams(editor.document, types.Position(0, 0)))
    assert answer is None
    assert await lives(editor)


async def test_ranges_outside_the_text(editor: Editor) -> None:
    editor.open(MODEL)
    editor.change("// end\n", (500, 3), (900, 1))
    assert await editor.diagnostics() == []
    answer = await editor.client.text_document_hover_async(
        types.HoverParams(editor.document, types.Position(4000, 4000))
    )
    assert answer is None


async def test_a_text_that_may_not_be_the_editor_s_is_said_to_be_so_and_not_changed(editor: Editor) -> None:
    editor.open(MODEL.replace("add(%x, %x)", "abs(negative(negative(%x)))"))
    editor.messages.clear()
    editor.change("// far", (500, 0))
    command = types.ExecuteCommandParams("relay-lsp.runPass", [{"uri": URI, "pass": "ToANormalForm"}])
    editor.applied.clear()
    answer: Any = await editor.client.workspace_execute_command_async(command)
    assert answer["applied"] is False
    assert not editor.applied
    assert len(editor.messages) == 2
    for message in editor.messages:
        assert "line 501 was changed, and there are 5. Close the file and open it again" in message
    assert await lives(editor)
    answer = await editor.client.workspace_execute_command_async(command)
    assert answer["applied"] is True


async def test_a_text_that_may_not_be_the_editor_s_is_not_formatted_renamed_or_fixed(editor: Editor) -> None:
    client, options, place = editor.client, types.FormattingOptions(2, True), types.Position(2, 7)
    line = types.Range(types.Position(2, 0), types.Position(2, 13))
    editor.open(MODEL.replace("add(%x, %x)", "add(%x, %xx )"))
    assert [item.code for item in await editor.diagnostics()] == ["undefined-variable"]
    context = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Invoked)
    ask_for_actions = types.CodeActionParams(editor.document, line, context)
    offered = await client.text_document_code_action_async(ask_for_actions)
    assert any(isinstance(action, types.CodeAction) and action.edit is not None for action in offered or ())
    editor.change("", (2, 9), (2, 3))
    for refused in (
        client.text_document_formatting_async(types.DocumentFormattingParams(editor.document, options)),
        client.text_document_range_formatting_async(
            types.DocumentRangeFormattingParams(editor.document, line, options)
        ),
        client.text_document_prepare_rename_async(types.PrepareRenameParams(editor.document, place)),
        client.text_document_rename_async(types.RenameParams(editor.document, place, "y")),
    ):
        with pytest.raises(JsonRpcException, match="may not be the one in the editor: a range was changed that ends"):
            await refused
    for action in await client.text_document_code_action_async(ask_for_actions) or ():
        assert isinstance(action, types.CodeAction)
        assert action.edit is None
        assert action.data is None
        assert action.disabled is not None or action.kind == "refactor.rewrite.explain.relay"
    typed = types.DocumentOnTypeFormattingParams(editor.document, place, ";", options)
    assert await client.text_document_on_type_formatting_async(typed) is None
    editor.change(MODEL)
    assert await client.text_document_rename_async(types.RenameParams(editor.document, place, "y")) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\0\0\0\1binary\0",
        "def",
        "#[version",
        "{" * 5000,
        "/*" * 2000,
        '"' * 999,
        "\ud800",
        MODEL.replace("\n", "\r\n"),
        MODEL.replace("\n", "\r"),
        MODEL.replace("  ", "\t"),
        MODEL.replace("add", "加法🎈"),
    ],
    ids=lambda text: repr(text[:12]),
)
async def test_any_text(editor: Editor, text: str) -> None:
    editor.open(text)
    await editor.diagnostics()
    await editor.client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    await editor.client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(editor.document))
    await editor.client.text_document_completion_async(types.CompletionParams(editor.document, types.Position(0, 1)))
    assert await lives(editor)


async def test_a_command_with_the_wrong_arguments(editor: Editor) -> None:
    for arguments in (None, [], [1], [{}], [{"uri": "file:///nowhere", "pass": "FoldConstant"}]):
        with pytest.raises(JsonRpcException):
            await editor.client.workspace_execute_command_async(
                types.ExecuteCommandParams("relay-lsp.runPass", arguments)
            )
    assert await lives(editor)


async def test_a_file_of_fifty_megabytes(editor: Editor) -> None:
    large = MODEL.replace("add", "ad") + "// " + "x" * (50 << 20) + "\n"
    editor.open(large)
    (diagnostic,) = await editor.diagnostics(seconds=60)
    assert diagnostic.range.start == types.Position(2, 2)
    editor.change("add", (2, 2), (2, 4))
    assert await editor.diagnostics(seconds=60) == []
    assert await lives(editor)


async def test_text_without_a_version_line_says_what_to_write(editor: Editor) -> None:
    editor.open(MODEL.partition("\n")[2])
    diagnostics = await editor.diagnostics()
    assert [item.code for item in diagnostics] in ([], ["missing-version-line"])
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, types.Position(1, 3)))
    assert hover is not None


_BEYOND = {"line": 2**31, "character": -1}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("relay/exportPipeline", {"uri": URI, "steps": [2**70]}),
        ("relay/historyText", {"uri": URI, "step": 2**70, "side": "before"}),
        ("relay/provenance", {"textDocument": {"uri": URI}, "position": _BEYOND}),
    ],
)
async def test_a_request_with_numbers_larger_than_any_is_refused(
    method: str, params: dict[str, Any], editor: Editor
) -> None:
    editor.open(MODEL)
    with pytest.raises(JsonRpcException) as refused:
        await editor.client.protocol.send_request_async(method, params)
    assert refused.value.code != types.ErrorCodes.InternalError.value
    assert await lives(editor)


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("relay-lsp.explain", {"pass": "FuseOps", "position": _BEYOND}),
        ("relay-lsp.replay", {"steps": [-(2**70)]}),
    ],
)
async def test_a_command_with_numbers_larger_than_any_is_refused(
    command: str, given: dict[str, Any], editor: Editor
) -> None:
    editor.open(MODEL)
    asked = types.ExecuteCommandParams(command, [{"uri": URI, **given}])
    with pytest.raises(JsonRpcException) as refused:
        await editor.client.workspace_execute_command_async(asked)
    assert refused.value.code != types.ErrorCodes.InternalError.value
    assert await lives(editor)
