"""Layers and pass history belong to the text of a buffer, whatever becomes of it: asked by an editor."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from lsprotocol import types

from relay_lsp.server.history.recording import record_run
from relay_lsp.server.history.store import HistoryStore
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses
from tests.server.protocol.conftest import Editor, leave, start
from tests.server.protocol.test_passes import after, ask, run
from tests.server.protocol.test_provenance import apply, position

pytestmark = pytest.mark.asyncio(loop_scope="module")

HOVERED = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x) /* si=torch.relu_1 */;
  let %a = exp(%0) /* si=[torch.exp_1] */;
  %1 = nn.dropout(%a, rate=0.5f); /* torch.drop_1 */
  %2 = %1.0 /* si=[torch.drop_1] */;
  %3 = fn (%p: Tensor[(4), float32], Primitive=1) -> Tensor[(4), float32] {
    %4 = add(%p, 1f) /* si=[layer.b] */;
    tanh(%4) /* si=[layer.c] */
  };
  %5 = %3(%2);
  add(%5, %0) /* si=[layer.d] */
}
"""

NORMALIZED = """#[version = "0.0.5"]
def @main(%x: Tensor[(1, 4, 2, 2), float32], %g: Tensor[(4), float32], %b: Tensor[(4), float32],
          %m: Tensor[(4), float32], %v: Tensor[(4), float32]) {
  %0 = nn.relu(%x) /* si=[torch.relu_7] */;
  %1 = nn.batch_norm(%0, %g, %b, %m, %v) /* si=[torch.batch_norm_8] */;
  %2 = %1.0 /* si=[torch.batch_norm_8] */;
  exp(%2) /* si=[torch.exp_9] */
}
"""


async def hover_text(editor: Editor, text: str, words: str, part: str = "") -> str:
    """The hover at the beginning of ``part`` where ``words`` stand; empty where there is none."""
    place = position(text, words)
    place["character"] += words.index(part)
    found = await editor.client.text_document_hover_async(
        types.HoverParams(editor.document, types.Position(place["line"], place["character"]))
    )
    if found is None:
        return ""
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def provenance(editor: Editor, text: str, words: str) -> tuple[list[str], list[str]]:
    """The layers of the value whose text begins with ``words``, and what happened to it."""
    answer = await ask(editor, "relay/provenance", position=position(text, words))
    events = ["by hand" if each.get("kind") == "edit" else each["pass"] for each in answer["events"]]
    return [origin["name"] for origin in answer["origins"]], events


@pytest.mark.parametrize(
    ("words", "part", "layer"),
    [
        ("%0 = nn", "%0", "torch.relu_1"),
        ("%0 = nn", "=", "torch.relu_1"),
        ("exp(%0)", "%0", "torch.relu_1"),
        ("/* si=torch.relu_1", "torch", "torch.relu_1"),
        ("let %a", "let", "torch.exp_1"),
        ("let %a", "%a", "torch.exp_1"),
        ("nn.dropout(%a", "%a", "torch.exp_1"),
        ("rate=0.5f", "rate", "torch.drop_1"),
        ("rate=0.5f", "0.5f", "torch.drop_1"),
        ("/* torch.drop_1", "torch", "torch.drop_1"),
        ("%1.0", "0", "torch.drop_1"),
        ("%2 =", "%2", "torch.drop_1"),
        ("tanh(%4)", "%4", "layer.b"),
        ("add(%5, %0)", "%0", "torch.relu_1"),
        ("%3 = fn", "%3", "`layer.b` (1), `layer.c` (1)"),
        ("%3 = fn", "fn", "`layer.b` (1), `layer.c` (1)"),
        ("%3(%2)", "%3", "`layer.b` (1), `layer.c` (1)"),
        ("@main", "@main", "`torch.drop_1` (2)"),
    ],
)
async def test_every_word_of_a_statement_tells_its_layer(editor: Editor, words: str, part: str, layer: str) -> None:
    editor.open(HOVERED)
    text = await hover_text(editor, HOVERED, words, part)
    assert layer in text
    assert text.startswith("```relay\n")


async def test_a_parameter_tells_the_layers_that_use_it(editor: Editor) -> None:
    editor.open(HOVERED)
    assert "`torch.relu_1` (1)" in await hover_text(editor, HOVERED, "%x: Tensor", "%x")


async def test_comments_of_new_statements_name_layers_where_those_of_the_text_do(editor: Editor) -> None:
    made = await apply(editor, NORMALIZED, "SimplifyInference", "FuseOps")
    (line,) = [line for line in made.splitlines() if "sqrt(" in line]
    assert line.endswith("/* si=[torch.batch_norm_8] */;")
    assert "} /* si=[torch.relu_7, torch.batch_norm_8, torch.exp_9] */;" in made


async def test_layers_outlive_passes_without_being_written_into_comments(editor: Editor) -> None:
    made = await apply(editor, NORMALIZED, "SimplifyInference")
    made = re.sub(r" /\* si=\S+ \*/", "", made)
    assert "batch_norm" not in made
    editor.change(made)
    assert "torch.batch_norm_8" in await hover_text(editor, made, "sqrt(")
    assert await provenance(editor, made, "sqrt(") == (["torch.batch_norm_8"], ["SimplifyInference"])
    fused = await run(editor, "relay-lsp.runPass", **{"pass": "OutLiner"})
    assert fused["applied"], fused
    outlined = after(made, editor.applied[-1])
    assert "def @outlined_batch_norm_8_0(" in outlined
    editor.change(outlined)
    assert await provenance(editor, outlined, "sqrt(") == (["torch.batch_norm_8"], ["SimplifyInference", "OutLiner"])


async def test_history_outlives_edits_in_any_number_of_places(editor: Editor) -> None:
    made = await apply(editor, NORMALIZED, "SimplifyInference", "FuseOps")
    before = await provenance(editor, made, "sqrt(")
    assert before == (["torch.batch_norm_8"], ["SimplifyInference", "FuseOps"])
    edited = made.replace("def @main", "// above\ndef @main").replace("exp(", "log(")
    editor.change(edited)
    assert await provenance(editor, edited, "sqrt(") == before
    layers, events = await provenance(editor, edited, "log(")
    assert (layers, events[-1]) == (["torch.exp_9"], "by hand")
    assert "edited by hand since, before `exp(" in await hover_text(editor, edited, "log(")
    editor.change(made)
    assert await provenance(editor, made, "sqrt(") == before
    editor.change(NORMALIZED)
    assert await provenance(editor, NORMALIZED, "exp(%2)") == (["torch.exp_9"], [])
    editor.change(made)
    assert await provenance(editor, made, "sqrt(") == before


async def test_a_later_pass_remembers_what_was_edited_between(editor: Editor) -> None:
    made = await apply(editor, NORMALIZED, "SimplifyInference")
    edited = made.replace("exp(", "log(")
    editor.change(edited)
    answer = await run(editor, "relay-lsp.runPass", **{"pass": "FuseOps"})
    assert answer["applied"], answer
    fused = after(edited, editor.applied[-1])
    editor.change(fused)
    layers, events = await provenance(editor, fused, "log(")
    assert (layers, events[:1]) == (["torch.exp_9"], ["by hand"])
    assert "edited by hand at 20" in await hover_text(editor, fused, "log(")
    assert await provenance(editor, fused, "sqrt(") == (["torch.batch_norm_8"], ["SimplifyInference", "FuseOps"])


async def test_code_actions_formatting_and_renaming_lose_nothing(editor: Editor) -> None:
    made = await apply(editor, NORMALIZED, "SimplifyInference")
    expected = await provenance(editor, made, "sqrt(")
    action = await resolved(editor, made, "Carry provenance")
    carried = after(made, action)
    editor.change(carried)
    assert "si=[torch.batch_norm_8]" in carried[carried.index("sqrt(") :].partition("\n")[0]
    assert await provenance(editor, carried, "sqrt(") == expected
    stripped = after(carried, await resolved(editor, carried, "Strip provenance"))
    assert "batch_norm_8" not in stripped
    editor.change(stripped)
    assert await provenance(editor, stripped, "sqrt(") == expected
    laid_out = stripped.replace("  ", "\t").replace("(%", "( %")
    editor.change(laid_out)
    assert await provenance(editor, laid_out, "sqrt(") == expected
    renamed = laid_out.replace("%v", "%variance")
    editor.change(renamed)
    assert await provenance(editor, renamed, "sqrt(") == expected


async def test_a_value_that_a_pipeline_only_numbers_anew_names_no_pass(editor: Editor) -> None:
    text = NORMALIZED.replace(
        "exp(%2) /*", "%3 = tanh(%2) /* si=[torch.tanh_3] */;\n  %4 = add(1f, 2f);\n  add(%3, %4) /*"
    )
    made = await apply(editor, text, "SimplifyInference", "FoldConstant")
    assert (await provenance(editor, made, "sqrt("))[1] == ["SimplifyInference"]
    assert (await provenance(editor, made, "tanh("))[1] == []
    assert (await provenance(editor, made, "nn.relu("))[1] == []
    assert (await provenance(editor, made, "add(%3"))[1] == ["FoldConstant"]


async def test_a_value_that_a_pipeline_puts_into_a_fused_function_names_that_pass(editor: Editor) -> None:
    made = await apply(editor, NORMALIZED, "SimplifyInference", "FuseOps")
    assert await provenance(editor, made, "sqrt(") == (["torch.batch_norm_8"], ["SimplifyInference", "FuseOps"])


async def test_a_value_that_a_pass_joined_is_of_all_layers(editor: Editor) -> None:
    shared = NORMALIZED.replace("exp(%2) /* si=[torch.exp_9] */", "add(exp(%0) /* si=[torch.exp_9] */, %5)").replace(
        "  %1 = nn", "  %4 = exp(%0) /* si=[torch.exp_4] */;\n  %5 = tanh(%4) /* si=[torch.tanh_5] */;\n  %1 = nn"
    )
    made = await apply(editor, shared, "EliminateCommonSubexpr")
    layers, passes = await provenance(editor, made, "exp(%0)")
    assert set(layers) == {"torch.exp_4", "torch.exp_9"}
    assert passes == ["EliminateCommonSubexpr"]


async def resolved(editor: Editor, text: str, title: str) -> types.WorkspaceEdit:
    """The edit of the code action whose title begins so."""
    place = types.Position(**position(text, "@main"))
    actions = await editor.client.text_document_code_action_async(
        types.CodeActionParams(editor.document, types.Range(place, place), types.CodeActionContext([]))
    )
    (action,) = [each for each in actions or () if isinstance(each, types.CodeAction) and each.title.startswith(title)]
    action = await editor.client.code_action_resolve_async(action)
    assert action.edit is not None
    return action.edit


async def test_a_saved_file_is_known_again_in_the_next_editor(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"history": {"folder": str(tmp_path)}}
    first = await start("visual-studio-code", settings)
    made = await apply(first, NORMALIZED, "SimplifyInference")
    saved = made.replace("exp(", "log(").replace("%x", "%image")
    first.change(saved)
    first.client.text_document_did_save(types.DidSaveTextDocumentParams(first.document))
    assert await provenance(first, saved, "sqrt(") == (["torch.batch_norm_8"], ["SimplifyInference"])
    await leave(first)
    other = await start("neovim", settings)
    other.open(saved)
    await ask(other, "relay/history")
    assert await provenance(other, saved, "sqrt(") == (["torch.batch_norm_8"], ["SimplifyInference"])
    assert (await provenance(other, saved, "log("))[0] == ["torch.exp_9"]
    await leave(other)


async def test_a_text_that_is_opened_before_the_settings_come_is_known_once_they_are_there(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"history": {"folder": str(tmp_path / "history")}}
    first = await start("visual-studio-code", settings)
    made = await apply(first, NORMALIZED, "SimplifyInference")
    await leave(first)
    late = await start("neovim", {"history": {"folder": str(tmp_path / "other")}})
    late.open(made)
    await ask(late, "relay/history")
    assert (await provenance(late, made, "sqrt("))[1] == []
    late.settings = settings
    late.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"relay": settings}))
    await ask(late, "relay/history")
    assert (await provenance(late, made, "sqrt("))[1] == ["SimplifyInference"]
    await leave(late)


@pytest.mark.parametrize("is_reported_first", [False, True])
async def test_a_file_that_the_command_line_rewrote_is_known_in_an_editor_that_has_it_open(
    tmp_path: Path, is_reported_first: bool
) -> None:
    folder = tmp_path / "history"
    editor = await start("visual-studio-code", {"history": {"folder": str(folder)}})
    editor.open(NORMALIZED)
    assert await provenance(editor, NORMALIZED, "exp(") == (["torch.exp_9"], [])
    outcome = RunPasses(NORMALIZED, "model.relay", (PassCall("SimplifyInference"),)).run(lambda _: None)
    store = HistoryStore(folder)
    record_run(store, None, NORMALIZED, outcome, 3)
    store.close()
    written = types.DidChangeWatchedFilesParams([types.FileEvent(editor.document.uri, types.FileChangeType.Changed)])
    if is_reported_first:
        editor.client.workspace_did_change_watched_files(written)
    editor.change(outcome.text)
    if not is_reported_first:
        editor.client.workspace_did_change_watched_files(written)
    known: tuple[list[str], list[str]] = ([], [])
    for _ in range(100):
        known = await provenance(editor, outcome.text, "sqrt(")
        if known[1]:
            break
        await asyncio.sleep(0.05)
    await leave(editor)
    assert known == (["torch.batch_norm_8"], ["SimplifyInference"])


async def test_the_passes_of_a_hover_lead_to_what_they_made_the_value_from(tmp_path: Path) -> None:
    """In a client that has the command for it; others show the words alone."""
    settings: dict[str, Any] = {"history": {"folder": str(tmp_path)}}
    linking = await start("visual-studio-code", {**settings, "linksSteps": True})
    made = await apply(linking, NORMALIZED, "SimplifyInference")
    hover = await hover_text(linking, made, "sqrt(")
    _, _, link = hover.partition("[`SimplifyInference`](command:relay.revealStep?")
    (step,) = json.loads(unquote(link.partition(")")[0]))
    assert (step["buffer"], step["pass"]) == (linking.document.uri, "SimplifyInference")
    before = await ask(linking, "relay/historyText", id=step["id"], side="before")
    assert [before["text"][start:end] for start, end in step["spans"]] == ["%1.0", "nn.batch_norm(%0, %g, %b, %m, %v)"]
    await leave(linking)
    plain = await start("visual-studio-code", settings)
    plain.open(made)
    await ask(plain, "relay/history")
    assert "- `SimplifyInference` made this from" in await hover_text(plain, made, "sqrt(")
    await leave(plain)
