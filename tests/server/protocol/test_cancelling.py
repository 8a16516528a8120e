"""The button of a progress ends what runs at any moment, and its request is answered."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from lsprotocol import types

from .conftest import URI, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

STATEMENTS = 3_000
SECONDS = 2.0
"""A wide bound for a busy machine: on an idle one it is 0.3 s, as in docs/limits.md."""


def _chain() -> str:
    lines = "".join(f"  %{i} = nn.relu(%{i - 1 if i else 'x'});\n" for i in range(STATEMENTS))
    return f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{lines}  %{STATEMENTS - 1}\n}}\n'


def _fuse(editor: Editor) -> asyncio.Future[Any]:
    arguments = [{"uri": URI, "passes": ["FuseOps"]}]
    return asyncio.ensure_future(
        editor.client.workspace_execute_command_async(types.ExecuteCommandParams("relay-lsp.runPipeline", arguments))
    )


def _messages(editor: Editor) -> list[str]:
    return [value.get("message") or "" for value in editor.progress]


@pytest.mark.parametrize("step", ["", "reading the text", "FuseOps (1 of 1)", "writing the text"])
async def test_what_runs_is_cancelled_at_each_step(editor: Editor, step: str) -> None:
    editor.progress.clear()
    editor.progress_tokens.clear()
    editor.open(_chain())  # the first pass is asked for while the text is being read
    run = _fuse(editor)
    while not editor.progress or step not in _messages(editor):
        await asyncio.sleep(0.001)
        assert not run.done()
    started = time.monotonic()
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(editor.progress_tokens[-1]))
    answer = await asyncio.wait_for(run, 30)
    assert time.monotonic() - started < SECONDS
    assert answer["message"] == "FuseOps: cancelled"
    assert not answer["applied"]
    assert not editor.applied
    assert editor.progress[-1]["kind"] == "end"


async def test_progress_has_name_step_and_percentage(editor: Editor) -> None:
    editor.progress.clear()
    editor.open(_chain())
    assert (await _fuse(editor))["applied"]
    begin, *reports, _ = editor.progress
    assert begin["title"] == "Relay: FuseOps"
    assert begin["cancellable"]
    steps = [(report["message"], report["percentage"]) for report in reports]
    assert steps == [("reading the text", 0), ("FuseOps (1 of 1)", 0), ("writing the text", 50)]


async def test_the_progress_of_a_long_pipeline_names_its_first_passes(editor: Editor) -> None:
    editor.progress.clear()
    editor.open('#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {\n  nn.relu(%x)\n}\n')
    arguments = [{"uri": URI, "passes": ["FuseOps", "DefuseOps", "FastMath", "FuseOps"]}]
    command = types.ExecuteCommandParams("relay-lsp.runPipeline", arguments)
    await editor.client.workspace_execute_command_async(command)
    assert editor.progress[0]["title"] == "Relay: FuseOps, DefuseOps, FastMath, … (4 passes)"
    assert "FuseOps (4 of 4)" in _messages(editor)
