"""The history of a buffer, asked by an editor: steps, texts, differences, going back, and doing the same again."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.protocol.conftest import URI, Editor
from tests.server.protocol.test_passes import after, ask, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  let %unused = tanh(%x);
  %0 = add(%x, %x);
  %1 = add(%x, %x);
  %2 = nn.dropout(%1);
  let %product = multiply(%0, %2.0);
  %product
}
"""
TWO = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.dropout(%x);
  %0.0
}

def @other(%x: Tensor[(4), float32]) {
  %0 = nn.dropout(%x);
  %0.0
}
"""
PIPELINE = ["SimplifyInference", "EliminateCommonSubexpr", "DeadCodeElimination[inline_once=True]"]


def fresh(text: str, request: pytest.FixtureRequest) -> str:
    """The text with a comment that no other test has, since texts are recorded by their content."""
    return f"// {request.node.nodeid}\n{text}"


async def take(editor: Editor, text: str) -> str:
    """The text with the edit that the server has just asked for, which the editor now has."""
    made = after(text, editor.applied[-1])
    editor.change(made)
    return made


async def optimized(editor: Editor, text: str, *passes: str) -> str:
    editor.open(text)
    answer = await run(editor, "relay-lsp.runPipeline", passes=list(passes))
    assert answer["applied"], answer
    return await take(editor, text)


async def test_the_history_has_each_step_with_its_options_and_operators(
    editor: Editor, request: pytest.FixtureRequest
) -> None:
    await optimized(editor, fresh(MODEL, request), *PIPELINE)
    history = await ask(editor, "relay/history")
    assert [step["call"] for step in history["steps"]] == PIPELINE
    assert [step["operators"] for step in history["steps"]] == [{"nn.dropout": -1}, {"add": -1}, {"tanh": -1}]
    assert len({step["run"] for step in history["steps"]}) == 1
    assert history["current"] == 3
    assert not history["edited"]


async def test_a_buffer_goes_to_any_step_and_back_and_forth(editor: Editor, request: pytest.FixtureRequest) -> None:
    first = fresh(MODEL, request)
    last = await optimized(editor, first, *PIPELINE)
    steps = (await ask(editor, "relay/history"))["steps"]

    answer = await run(editor, "relay-lsp.goToStep", id=steps[0]["id"], side="before", version=editor.version)
    assert answer["applied"]
    assert await take(editor, last) == first
    history = await ask(editor, "relay/history")
    assert history["current"] == 0
    assert [step["applied"] for step in history["steps"]] == [False, False, False]

    answer = await run(editor, "relay-lsp.goToStep", id=steps[2]["id"], side="after")
    assert answer["applied"]
    assert await take(editor, first) == last
    assert (await ask(editor, "relay/history"))["current"] == 3

    assert not (await run(editor, "relay-lsp.goToStep", id=steps[2]["id"], side="after"))["changed"]


async def test_going_to_a_step_touches_no_other_lines(editor: Editor, request: pytest.FixtureRequest) -> None:
    last = await optimized(editor, fresh(TWO, request), "SimplifyInference")
    step = (await ask(editor, "relay/history"))["steps"][-1]
    await run(editor, "relay-lsp.goToStep", id=step["id"], side="before")
    edit = editor.applied[-1]
    assert edit.document_changes
    change = edit.document_changes[0]
    assert isinstance(change, types.TextDocumentEdit)
    unchanged = last.splitlines().index("def @other(%x: Tensor[(4), float32]) {")
    assert all(not part.range.start.line <= unchanged < part.range.end.line for part in change.edits)
    assert change.text_document.version == editor.version


async def test_a_pass_that_runs_by_its_name_alone_says_so_in_preview_message_and_history(
    editor: Editor, request: pytest.FixtureRequest
) -> None:
    """FastMath is of level 4, and the settings' level is 3."""
    text = fresh(MODEL, request)
    why = "its level 4 is above 3, and it is not required"
    editor.open(text)
    preview = await ask(editor, "relay/preview", passes=["FastMath"])
    assert {step["pass"]: step.get("byName") for step in preview["steps"]}["FastMath"] == why
    assert "fast_tanh(" in preview["after"]
    # So editors run a pass that was chosen from the list, with its options.
    answer = await run(editor, "relay-lsp.runPipeline", passes=["FastMath"])
    assert f"FastMath ran because it was asked for by name: {why}" in answer["message"]
    await take(editor, text)
    (step,) = (await ask(editor, "relay/history"))["steps"]
    assert step["byName"] == why


async def test_what_a_pipeline_skipped_and_why_stands_in_preview_message_and_history(
    editor: Editor, request: pytest.FixtureRequest
) -> None:
    text = fresh(MODEL, request)
    why = "its level 4 is above 3, and it is not required"
    editor.open(text)
    preview = await ask(editor, "relay/preview", passes=["FastMath", "SimplifyInference"])
    skipped = {step["pass"]: step.get("skipped") for step in preview["steps"]}
    assert (skipped["SimplifyInference"], skipped["FastMath"]) == (None, why)
    answer = await run(editor, "relay-lsp.runPipeline", passes=["FastMath", "SimplifyInference"])
    assert f"FastMath is skipped: {why}" in answer["message"]
    await take(editor, text)
    (step,) = (await ask(editor, "relay/history"))["steps"]
    assert (step["pass"], step["skipped"]) == ("SimplifyInference", {"FastMath": why})


async def test_going_to_a_step_is_refused_where_the_buffer_has_moved_on(
    editor: Editor, request: pytest.FixtureRequest
) -> None:
    await optimized(editor, fresh(MODEL, request), "SimplifyInference")
    step = (await ask(editor, "relay/history"))["steps"][-1]
    old = editor.version
    editor.change("// more\n", (0, 0))
    with pytest.raises(JsonRpcException, match="changed"):
        await run(editor, "relay-lsp.goToStep", id=step["id"], side="before", version=old)
    with pytest.raises(JsonRpcException, match="no longer in the history"):
        await run(editor, "relay-lsp.goToStep", id=10**6, side="before")


async def test_what_is_written_by_hand_between_passes_is_a_step_of_its_own(
    editor: Editor, request: pytest.FixtureRequest
) -> None:
    made = await optimized(editor, fresh(MODEL, request), "SimplifyInference")
    written = made.replace("tanh", "exp")
    editor.change(written)
    history = await ask(editor, "relay/history")
    assert history["edited"]
    assert history["current"] == 1

    await run(editor, "relay-lsp.runPipeline", passes=["EliminateCommonSubexpr"])
    made = await take(editor, written)
    history = await ask(editor, "relay/history")
    assert [(step["kind"], step["pass"]) for step in history["steps"]] == [
        ("pass", "SimplifyInference"),
        ("edit", "edit"),
        ("pass", "EliminateCommonSubexpr"),
    ]
    assert not history["edited"]
    text = await ask(editor, "relay/historyText", id=history["steps"][1]["id"], side="after")
    assert text["text"] == written


async def test_the_passes_of_steps_run_again_on_a_changed_buffer(
    editor: Editor, request: pytest.FixtureRequest
) -> None:
    await optimized(editor, fresh(MODEL, request), *PIPELINE)
    numbers = [step["id"] for step in (await ask(editor, "relay/history"))["steps"]]
    changed = fresh(MODEL, request).replace("tanh", "sigmoid").replace("multiply", "subtract")
    editor.change(changed)
    preview = await ask(editor, "relay/preview", steps=numbers)
    assert preview["passes"] == PIPELINE
    answer = await run(editor, "relay-lsp.replay", steps=numbers, version=editor.version)
    assert answer["applied"], answer
    made = await take(editor, changed)
    assert made == preview["after"]
    assert "sigmoid" not in made
    assert "subtract(%0, %0)" in made


async def test_a_step_on_one_function_is_replayed_on_that_one(editor: Editor, request: pytest.FixtureRequest) -> None:
    text = fresh(TWO, request)
    editor.open(text)
    await run(editor, "relay-lsp.runPass", **{"pass": "SimplifyInference", "function": "@other"})
    made = await take(editor, text)
    assert made.count("nn.dropout") == 1
    (step,) = (await ask(editor, "relay/history"))["steps"]
    assert step["function"] == "@other"
    assert step["operators"] == {"nn.dropout": -1}
    editor.change(text)
    await run(editor, "relay-lsp.replay", steps=[step["id"]])
    assert await take(editor, text) == made


async def test_any_two_texts_are_compared_by_their_operators(editor: Editor, request: pytest.FixtureRequest) -> None:
    first = fresh(MODEL, request)
    last = await optimized(editor, first, *PIPELINE)
    steps = (await ask(editor, "relay/history"))["steps"]
    answer = await ask(editor, "relay/historyDifference", before={"id": steps[0]["id"], "side": "before"})
    assert (answer["before"], answer["after"]) == (first, last)
    assert answer["operators"] == [
        {"name": "add", "before": 2, "after": 1},
        {"name": "nn.dropout", "before": 1, "after": 0},
        {"name": "tanh", "before": 1, "after": 0},
    ]
    answer = await ask(
        editor,
        "relay/historyDifference",
        before={"id": steps[2]["id"], "side": "after"},
        after={"id": steps[1]["id"], "side": "before"},
    )
    assert answer["before"] == last
    assert {count["name"] for count in answer["operators"]} == {"add", "tanh"}


async def test_the_exported_command_line_does_the_same(
    editor: Editor, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    text = fresh(TWO, request)
    editor.open(text)
    await run(editor, "relay-lsp.runPass", **{"pass": "SimplifyInference", "function": "@other"})
    made = await take(editor, text)
    await run(editor, "relay-lsp.runPipeline", passes=["ToANormalForm", "DeadCodeElimination[inline_once=True]"])
    made = await take(editor, made)
    exported = await ask(editor, "relay/exportPipeline")
    assert exported["passes"][0] == "SimplifyInference"
    assert exported["comment"].startswith("// relay-lsp: SimplifyInference, ToANormalForm")

    (tmp_path / "model.relay").write_text(text)
    command = str(exported["command"]).replace("/workspace/model.relay", shlex.quote(str(tmp_path / "model.relay")))
    script = command.replace("relay-lsp", f"{shlex.quote(sys.executable)} -m relay_lsp.server")
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert done.stdout == made


async def test_a_preview_tells_what_became_of_what(editor: Editor, request: pytest.FixtureRequest) -> None:
    text = fresh(MODEL, request)
    editor.open(text)
    preview = await ask(editor, "relay/preview", passes=PIPELINE)
    assert preview["operators"] == [
        {"name": "add", "before": 2, "after": 1},
        {"name": "nn.dropout", "before": 1, "after": 0},
        {"name": "tanh", "before": 1, "after": 0},
    ]
    joined, inlined = preview["values"]
    assert words(preview["after"], joined["range"]) == "add(%x, %x)"
    assert {words(text, place) for place in joined["from"]} >= {"add(%x, %x)", "nn.dropout(%1)"}
    assert joined["passes"] == ["SimplifyInference", "EliminateCommonSubexpr"]
    assert inlined["passes"] == ["DeadCodeElimination"]
    (gone,) = preview["removed"]
    assert words(text, gone["range"]) == "tanh(%x)"
    assert gone["pass"] == "DeadCodeElimination"
    assert preview["command"] == (
        "relay-lsp opt --pass SimplifyInference --pass EliminateCommonSubexpr "
        "--pass 'DeadCodeElimination[inline_once=True]' /workspace/model.relay"
    )


def words(text: str, place: Any) -> str:
    line = text.splitlines()[place["start"]["line"]]
    assert place["start"]["line"] == place["end"]["line"]
    return line[place["start"]["character"] : place["end"]["character"]]


async def test_a_preview_of_a_broken_text_or_of_a_function_that_there_is_not_says_so(editor: Editor) -> None:
    editor.open(MODEL.replace("multiply(", "multiply("[:-1]))
    preview = await ask(editor, "relay/preview", passes=PIPELINE)
    assert "the text has" in preview["failed"]
    assert preview["diagnostics"][0]["range"]
    assert (preview["values"], preview["operators"], preview["removed"]) == ([], [], [])
    editor.change(MODEL)
    preview = await ask(editor, "relay/preview", passes=PIPELINE, function="@nowhere")
    assert preview["failed"] == "there is no function @nowhere; the text has @main"


async def test_nothing_is_known_of_a_buffer_that_no_pass_has_changed(editor: Editor) -> None:
    editor.open("")
    history = await ask(editor, "relay/history")
    assert (history["steps"], history["current"], history["edited"], history["command"]) == ([], 0, False, "")
    with pytest.raises(JsonRpcException, match="no pass among"):
        await run(editor, "relay-lsp.replay", steps=[])
    with pytest.raises(JsonRpcException, match="list of the numbers"):
        await editor.client.workspace_execute_command_async(
            types.ExecuteCommandParams("relay-lsp.replay", [{"uri": URI, "steps": "all"}])
        )
