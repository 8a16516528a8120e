"""Passes from an editor: on save, as code actions, as commands, previewed, and recorded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.protocol.conftest import PROFILES, URI, Editor, leave, start

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  // Twice the same.
  %0 = add(%x, %x);
  %1 = add(%x, %x);
  multiply(%0, %1)
}
"""
MERGED = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  // Twice the same.
  %0 = add(%x, %x);
  multiply(%0, %0)
}
"""
STALE = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.dropout(%x) /* ty=(Tensor[(4), float32], Tensor[(4), float32]) */;
  %1 = %0.0 /* ty=Tensor[(4), float32] */;
  nn.relu(%1) /* ty=Tensor[(5), float32] */
}
"""
EVERYWHERE = types.Range(types.Position(0, 0), types.Position(0, 0))


def after(text: str, edit: types.WorkspaceEdit | None) -> str:
    """The text with an edit of ASCII text applied."""
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for part in reversed(change.edits):
        assert isinstance(part, (types.TextEdit, types.AnnotatedTextEdit))
        start, end = (starts[place.line] + place.character for place in (part.range.start, part.range.end))
        text = text[:start] + part.new_text + text[end:]
    return text


async def run(editor: Editor, command: str, **argument: Any) -> Any:
    return await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, [{"uri": URI, **argument}])
    )


async def ask(editor: Editor, method: str, **params: Any) -> Any:
    return await editor.client.protocol.send_request_async(method, {"textDocument": {"uri": URI}, **params})


async def test_a_command_runs_a_pass_by_the_smallest_edit_and_it_is_recorded(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "EliminateCommonSubexpr"})
    assert answer["changed"]
    assert answer["applied"]
    (edit,) = editor.applied
    assert after(MODEL, edit) == MERGED
    editor.change(MERGED)

    history = await ask(editor, "relay/history")
    assert [step["pass"] for step in history["steps"]][-1] == "EliminateCommonSubexpr"
    text = await ask(editor, "relay/historyText", id=history["steps"][-1]["id"], side="before")
    assert text["text"] == MODEL
    await says_what_made(editor, line=4)
    editor.change("// Written above it afterwards.\n", (1, 0))
    await says_what_made(editor, line=5)


async def says_what_made(editor: Editor, line: int) -> None:
    hover = await editor.client.text_document_hover_async(types.HoverParams(editor.document, types.Position(line, 4)))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "`EliminateCommonSubexpr` made this from `multiply(%0, %1)`" in hover.contents.value


async def test_a_pass_that_changes_nothing_says_so_and_edits_nothing(editor: Editor) -> None:
    editor.open(MERGED)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "EliminateCommonSubexpr"})
    assert not answer["changed"]
    assert editor.applied == []
    assert any("nothing to change" in message for message in editor.messages)


async def test_a_pass_that_there_is_not_is_named_with_the_nearest(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "EliminateCommonSubexp"})
    assert "did you mean EliminateCommonSubexpr" in answer["message"]


async def test_passes_that_an_edit_overtook_can_be_run_again(editor: Editor) -> None:
    editor.open(MODEL)
    call = {"passes": ["EliminateCommonSubexpr"]}
    answer = await run(editor, "relay-lsp.runPipeline", **call, version=editor.version - 1)
    assert (answer["applied"], answer["outdated"]) == (False, True)
    assert answer["message"] == "EliminateCommonSubexpr: the text has changed since; run this again"
    assert "outdated" not in await run(editor, "relay-lsp.runPipeline", **call, version=editor.version)


async def test_passes_over_a_broken_text_are_refused_with_the_reason(editor: Editor) -> None:
    editor.open(MODEL.replace("multiply", "multiplie"))
    answer = await run(editor, "relay-lsp.runPipeline", passes=["EliminateCommonSubexpr"])
    assert not answer["applied"]
    assert "the text has an error" in answer["message"]
    assert "errorAt" not in answer
    assert any("the text has an error" in message for message in editor.messages)


@pytest.mark.parametrize("command", ["runPipeline", "verify", "showRemarks", "reduce"])
async def test_a_client_that_shows_errors_is_told_where_the_first_stands(command: str) -> None:
    showing = await start("visual-studio-code", {"showsErrors": True})
    text = MODEL.replace("multiply", "multiplie")
    showing.open(text)
    answer = await run(showing, f"relay-lsp.{command}", passes=["EliminateCommonSubexpr"])
    at = answer["errorAt"]["start"]
    assert text.splitlines()[at["line"]][at["character"] :].startswith("multiplie")
    assert "the text has" in answer["message"]
    assert not any("the text has an error" in message for message in showing.messages)
    await leave(showing)


async def test_a_menu_that_follows_questions_of_the_editor_itself_lists_all_passes_at_once(editor: Editor) -> None:
    editor.open(MODEL)

    async def titles(kind: types.CodeActionTriggerKind) -> list[str]:
        params = types.CodeActionParams(
            editor.document, EVERYWHERE, types.CodeActionContext([], only=["refactor.rewrite"], trigger_kind=kind)
        )
        return [action.title for action in await editor.client.text_document_code_action_async(params) or []]

    offered = await titles(types.CodeActionTriggerKind.Automatic)
    assert not any(title.startswith("Run pass") for title in offered), "it is answered from what is known"
    # The user has not asked yet, and the list becomes whole all the same; the pass is the last of those that there are.
    while "Run pass to_cps" not in offered:
        await asyncio.sleep(1)  # Asked without a pause, the server would have no idle time.
        offered = await titles(types.CodeActionTriggerKind.Automatic)
    assert "Run pass EliminateCommonSubexpr" in offered
    assert await titles(types.CodeActionTriggerKind.Invoked) == offered


async def test_only_passes_that_would_change_the_buffer_are_offered_and_worked_out_when_chosen(editor: Editor) -> None:
    editor.open(MODEL)
    params = types.CodeActionParams(editor.document, EVERYWHERE, types.CodeActionContext([]))
    titles: dict[str, types.CodeAction | types.Command] = {}
    for _ in range(40):
        actions = await editor.client.text_document_code_action_async(params)
        titles = {action.title: action for action in actions or []}
        if "Run pass EliminateCommonSubexpr" in titles:
            break
    assert "Run pass EliminateCommonSubexpr" in titles
    assert "Run pass SimplifyInference" not in titles
    action = titles["Run pass EliminateCommonSubexpr"]
    assert isinstance(action, types.CodeAction)
    assert action.edit is None
    resolved = await editor.client.code_action_resolve_async(action)
    assert after(MODEL, resolved.edit) == MERGED


async def test_over_a_broken_text_passes_are_at_most_shown_with_the_reason_why_they_cannot_run(editor: Editor) -> None:
    editor.open(MODEL.replace("multiply", "multiplie"))
    inside = types.Range(types.Position(3, 4), types.Position(3, 4))
    params = types.CodeActionParams(editor.document, inside, types.CodeActionContext([]))
    actions = await editor.client.text_document_code_action_async(params)
    runs = [item for item in actions or [] if isinstance(item, types.CodeAction) and "A-normal" in item.title]
    capabilities = editor.client.capabilities
    assert capabilities is not None
    document = capabilities.text_document
    assert document is not None
    assert document.code_action is not None
    assert len(runs) == (1 if document.code_action.disabled_support else 0)
    assert all(item.disabled and item.disabled.reason == "passes run on a text without errors" for item in runs)


async def test_an_action_for_a_text_that_has_moved_on_is_refused(editor: Editor) -> None:
    editor.open(MODEL)
    data = {"uri": URI, "version": editor.version, "passes": ["EliminateCommonSubexpr"]}
    editor.change("// more\n", (0, 0))
    with pytest.raises(JsonRpcException, match="changed"):
        await editor.client.code_action_resolve_async(types.CodeAction(title="Run pass", data=data))


async def test_on_save_what_would_change_is_a_quiet_hint(editor: Editor) -> None:
    editor.open(MODEL)
    assert await editor.diagnostics() == []
    editor.save()
    diagnostics = await editor.diagnostics(lambda diagnostics: bool(diagnostics))
    assert {item.severity for item in diagnostics} == {types.DiagnosticSeverity.Hint}
    (hint,) = diagnostics
    assert hint.message == "EliminateCommonSubexpr would change 2 add in @main"
    assert editor.applied == []
    editor.change(" ", (5, 0))
    assert await editor.diagnostics() == []


@pytest.mark.parametrize(
    ("pipeline", "underlined", "message"),
    [
        ("FoldConstnt, FuseOps", "FoldConstnt", "there is no pass called FoldConstnt; did you mean FoldConstant?"),
        ("FoldConstant, FoldConstnt", "FoldConstnt", "did you mean FoldConstant?"),
        ("FuseOps[depth=1], FastMath", "depth", "there is no option depth; it takes fuse_opt_level"),
        ("FastMath; disable=[FuseOps, FoldConstnt]", "FoldConstnt", "there is no pass called FoldConstnt"),
        ("FastMath; level=3", "level", "'level' is no option of a context"),
        ("FastMath[", "FastMath", "FastMath["),
    ],
)
@pytest.mark.parametrize("saved", [False, True], ids=["typed", "saved"])
async def test_what_is_wrong_with_the_pipeline_of_a_file_is_shown_where_it_says_so(
    editor: Editor, pipeline: str, underlined: str, message: str, saved: bool
) -> None:
    line = f"// relay-lsp: {pipeline}"
    editor.open(MODEL.replace("def", f"{line}\ndef"))
    if saved:
        editor.save()
    (finding,) = await editor.diagnostics(lambda diagnostics: bool(diagnostics))
    assert message in finding.message
    assert (finding.range.start.line, finding.range.end.line) == (1, 1)
    assert line[finding.range.start.character : finding.range.end.character] == underlined


async def test_each_unknown_pass_of_a_file_is_shown_and_mended_also_in_a_text_with_errors(editor: Editor) -> None:
    line = "// relay-lsp: FoldConstnt, FuseOps; require=[FastMth]"
    editor.open(MODEL.replace("def", f"{line}\ndef").replace("add(%x", "add(%lost", 1))
    editor.save()
    findings = await editor.diagnostics(lambda diagnostics: any(item.code == "unknown-pass" for item in diagnostics))
    unknown = [item for item in findings if item.code == "unknown-pass"]
    assert {line[item.range.start.character : item.range.end.character] for item in unknown} == {
        "FoldConstnt",
        "FastMth",
    }
    assert any("%lost" in item.message for item in findings)
    place = next(item.range for item in unknown if "FoldConstnt" in item.message)
    params = types.CodeActionParams(editor.document, place, types.CodeActionContext([]))
    offered = await editor.client.text_document_code_action_async(params) or []
    assert any(action.title == "Change to `FoldConstant`" for action in offered)


async def test_a_comment_that_is_edited_while_it_is_looked_at_is_looked_at_again(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(3)\n")
    typing = await start("neovim", {"trusted": True, "extensions": [str(slow)]})
    line = "// relay-lsp: FoldConstnt"
    typing.open(MODEL.replace("def", f"{line}\ndef"))
    await asyncio.sleep(1.5)  # after a pause, names are looked up once the user's passes are there
    typing.change("ss", (1, line.index("Constnt")))
    findings = await typing.diagnostics(lambda findings: any("FoldssConstnt" in item.message for item in findings))
    assert [item.code for item in findings] == ["unknown-pass"]
    await leave(typing)


async def test_a_comment_may_name_passes_of_the_user_s_own_once_there_are_any(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from relay_lsp.passes import ModulePass, declare_pass\n@declare_pass(opt_level=0)\nclass Mine(ModulePass):\n"
        "    'Mine.'\n    def transform_module(self, module, context):\n        return module\n"
    )
    writing = await start("neovim", {"trusted": True})
    writing.open(MODEL.replace("def", "// relay-lsp: Mine\ndef"))
    unknown = await writing.diagnostics(lambda findings: bool(findings))
    assert [item.code for item in unknown] == ["unknown-pass"]
    settings = {"relay": {"extensions": [str(file)]}}
    writing.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
    assert await writing.diagnostics(lambda findings: not findings) == []
    await leave(writing)


async def test_a_client_that_fetches_diagnostics_is_told_when_the_pipeline_of_a_file_was_looked_at() -> None:
    fetching = await start("visual-studio-code", {}, fetches=True)
    told = asyncio.Event()
    fetching.client.feature(types.WORKSPACE_DIAGNOSTIC_REFRESH)(lambda *_: told.set())
    fetching.open(MODEL.replace("def", "// relay-lsp: FoldConstnt\ndef"))
    codes: list[Any] = []
    while "unknown-pass" not in codes:
        await asyncio.wait_for(told.wait(), 60)
        told.clear()
        params = types.DocumentDiagnosticParams(fetching.document)
        report = await fetching.client.text_document_diagnostic_async(params)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        codes = [item.code for item in report.items]
    await leave(fetching)


async def test_an_option_that_a_pass_of_a_file_does_not_take_is_mended(editor: Editor) -> None:
    editor.open(MODEL.replace("def", "// relay-lsp: FoldConstant[fold_qn=True]\ndef"))
    (unknown,) = await editor.diagnostics(lambda diagnostics: bool(diagnostics))
    assert unknown.message == "there is no option fold_qn; did you mean fold_qnn?"
    params = types.CodeActionParams(editor.document, unknown.range, types.CodeActionContext([]))
    offered = await editor.client.text_document_code_action_async(params) or []
    assert any(action.title == "Change to `fold_qnn`" for action in offered)


async def test_what_is_wrong_with_the_pipeline_of_a_file_goes_with_the_key_that_mends_it(editor: Editor) -> None:
    line = "// relay-lsp: FoldConstnt"
    editor.open(MODEL.replace("def", f"{line}\ndef"))
    assert [item.code for item in await editor.diagnostics(lambda diagnostics: bool(diagnostics))] == ["unknown-pass"]
    editor.change(" ", (6, 0))  # elsewhere: the error stays
    assert [item.code for item in await editor.diagnostics()] == ["unknown-pass"]
    editor.change("a", (1, line.index("nt")))
    assert await editor.diagnostics() == []


async def test_a_pipeline_that_cannot_run_keeps_no_pass_from_the_menu(editor: Editor) -> None:
    editor.open(MODEL.replace("def", "// relay-lsp: FoldConstnt\ndef"))
    editor.save()
    assert await editor.diagnostics(lambda diagnostics: bool(diagnostics))
    inside = types.Range(types.Position(4, 4), types.Position(4, 4))
    params = types.CodeActionParams(editor.document, inside, types.CodeActionContext([]))
    actions = await editor.client.text_document_code_action_async(params) or []
    (action,) = [item for item in actions if "A-normal" in item.title]
    assert isinstance(action, types.CodeAction)
    assert action.disabled is None


async def test_a_preview_shows_the_steps_without_doing_anything(editor: Editor) -> None:
    editor.open(MODEL)
    preview = await ask(editor, "relay/preview", passes=["EliminateCommonSubexpr"])
    assert preview["after"] == MERGED
    (step,) = [step for step in preview["steps"] if step["changed"]]
    assert step["operators"] == {"add": -1}
    assert editor.applied == []


async def test_a_preview_is_laid_out_where_that_is_asked_for(editor: Editor) -> None:
    editor.open(MODEL)
    preview = await ask(editor, "relay/preview", passes=["EliminateCommonSubexpr"], aligned=True)
    aligned = preview["aligned"]
    assert aligned["functions"] == ["@main"]
    rows = aligned["before"].split("\n")
    for line, row in zip(preview["before"].split("\n"), aligned["beforeLines"], strict=True):
        assert row == -1 or rows[row] == line
    assert any(row.startswith("  // 1. EliminateCommonSubexpr: ") for row in rows)
    one = await ask(editor, "relay/preview", passes=["EliminateCommonSubexpr"], aligned="@nowhere")
    assert one["aligned"]["before"] == ""
    assert "aligned" not in await ask(editor, "relay/preview", passes=["EliminateCommonSubexpr"])


async def test_the_passes_are_described_for_a_picker(editor: Editor) -> None:
    described = {item["name"]: item for item in await ask(editor, "relay/passes")}
    assert described["EliminateCommonSubexpr"]["summary"]
    assert described["ToMixedPrecision"]["options"]


async def test_the_worker_is_restarted_on_request(editor: Editor) -> None:
    await editor.client.workspace_execute_command_async(types.ExecuteCommandParams("relay-lsp.restartWorker", []))
    editor.open(MODEL)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "EliminateCommonSubexpr"})
    assert answer["applied"]


@pytest.mark.parametrize("profile", PROFILES)
async def test_applying_on_save_is_for_those_who_asked_for_it(profile: str, tmp_path_factory: Any) -> None:
    folder = str(tmp_path_factory.mktemp("history"))
    editor = await start(profile, {"applyOnSave": True, "passTimeout": 300, "history": {"folder": folder}})
    editor.open(MODEL)
    editor.save()
    for _ in range(2400):
        if editor.applied:
            break
        await asyncio.sleep(0.05)
    assert after(MODEL, editor.applied[0]) == MERGED
    await leave(editor)


@pytest.mark.parametrize("profile", PROFILES[:1])
async def test_a_pipeline_that_takes_too_long_is_stopped_and_said_so(profile: str, tmp_path_factory: Any) -> None:
    folder = str(tmp_path_factory.mktemp("history"))
    editor = await start(profile, {"passTimeout": 0.001, "history": {"folder": folder}})
    editor.open(MODEL)
    editor.save()
    (diagnostic,) = await editor.diagnostics(lambda diagnostic: bool(diagnostic))
    assert "stopped after 0.001 seconds" in diagnostic.message
    await leave(editor)


async def test_passes_are_held_to_what_the_module_computes(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await run(editor, "relay-lsp.verify", passes=["EliminateCommonSubexpr", "FuseOps"])
    assert answer["agrees"]
    assert [(step["pass"], step["difference"]) for step in answer["steps"]] == [
        ("EliminateCommonSubexpr", 0),
        ("FuseOps", 0),
    ]
    assert any("2 steps compared" in message for message in editor.messages)
    assert editor.applied == []


async def test_what_keeps_passes_from_being_verified_is_shown_in_the_text(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await run(editor, "relay-lsp.verify", passes=["ConvertLayout"])
    assert not answer["agrees"]
    assert "desired_layouts" in answer["message"]


async def test_a_pass_updates_the_type_comments_of_what_it_leaves_alone(editor: Editor) -> None:
    editor.open(STALE)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "SimplifyInference"})
    assert answer["changed"]
    (edit,) = editor.applied
    text = after(STALE, edit)
    assert "dropout" not in text
    assert "nn.relu(%x) /* ty=Tensor[(4), float32] */" in text


async def test_a_source_action_updates_all_type_comments(editor: Editor) -> None:
    editor.open(STALE)
    kind = "source.updateTypeComments.relay"
    params = types.CodeActionParams(editor.document, EVERYWHERE, types.CodeActionContext([], only=[kind]))
    (action,) = await editor.client.text_document_code_action_async(params) or []
    assert isinstance(action, types.CodeAction)
    assert after(STALE, action.edit) == STALE.replace("(5)", "(4)")


async def test_a_command_tells_where_the_value_at_the_cursor_is_afterwards(editor: Editor) -> None:
    editor.open(MODEL)
    cursor = {"line": 4, "character": 8}  # at the second of the two sums
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "EliminateCommonSubexpr"}, position=cursor)
    assert answer["position"] == {"line": 3, "character": 7}
    assert MERGED.splitlines()[3][7:].startswith("add(")
