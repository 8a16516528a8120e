"""What passes did to a buffer: the steps, the text at each, going back, and doing the same again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.text.line_index import LineIndex

from ..documents.line_edits import line_edits
from ..features.passes.exporting import command_line, pipeline_comment_line
from ..history.rows import StepRecord
from ..lsp.answers import (
    DifferenceAnswer,
    HistoryAnswer,
    HistoryStepEntry,
    HistoryTextAnswer,
    PipelineAnswer,
    RunAnswer,
)
from ..lsp.capabilities import CLEAR_HISTORY, GO_TO_STEP, REPLAY, SHOW_HISTORY
from ..lsp.methods import EXPORT_PIPELINE, HISTORY, HISTORY_DIFFERENCE, HISTORY_TEXT
from ..lsp.protocol import RelayLanguageServer
from ..pass_calls import PassCall
from .addresses import path_of
from .arguments import calls_in, field_of, numbers_in, one_argument, open_document, version_in
from .running import apply, run_and_apply, work
from .views import moved_on, read_when_idle, recall, refusal

__all__ = ["calls_of_steps", "register"]


async def on_history(server: RelayLanguageServer, params: object) -> HistoryAnswer:
    """The steps on a buffer: those that led to its text, and those that it was taken back from."""
    document = open_document(server, field_of(params, "textDocument", "uri"))
    version = document.version
    past = await server.state.history.buffer_history(document)
    return {
        "version": version,
        "edited": past.edited,
        "current": past.current,
        "steps": [_described(step, index < past.current) for index, step in enumerate(past.steps)],
        "command": _command(past.steps[: past.current], path_of(document.uri)),
    }


def _described(step: StepRecord, applied: bool) -> HistoryStepEntry:
    moment = datetime.fromtimestamp(step.time, tz=timezone.utc)
    entry: HistoryStepEntry = {
        "id": step.id,
        "kind": "edit" if step.details.by_hand else "pass",
        "pass": step.pass_name,
        "call": step.call,
        "function": step.details.function,
        "run": step.details.run,
        "changed": True,
        "applied": applied,
        "milliseconds": round(step.seconds * 1000, 3),
        "time": moment.isoformat(timespec="seconds"),
        "operators": dict(step.details.operators),
    }
    if step.details.skipped:
        entry["skipped"] = dict(step.details.skipped)
    if step.details.by_name:
        entry["byName"] = step.details.by_name
    return entry


def _command(steps: Sequence[StepRecord], file: str) -> str:
    run = [step for step in steps if not step.details.by_hand]
    return command_line([_call(step) for step in run], [step.details.opt_level for step in run], file)


def _call(step: StepRecord) -> PassCall:
    (call,) = calls_in([step.call], step.details.function)
    return call


async def _steps(server: RelayLanguageServer, numbers: Sequence[int]) -> list[StepRecord]:
    """The steps of these numbers that are runs of passes, in this order.

    Raises:
        JsonRpcException: one of them is not in the history.
    """
    steps = await server.state.history.steps(numbers)
    missing = [str(number) for number, step in zip(numbers, steps, strict=True) if step is None]
    if missing:
        raise refusal(f"step {', '.join(missing)} is no longer in the history")
    return [step for step in steps if step is not None and not step.details.by_hand]


async def calls_of_steps(server: RelayLanguageServer, numbers: Sequence[int]) -> list[PassCall]:
    """The passes of steps of the history, with their options and functions. Edits by hand between them are left out:
    they belong to the text that they were made in.

    Raises:
        JsonRpcException: a step is not in the history, or there is no pass among them.
    """
    calls = [_call(step) for step in await _steps(server, numbers)]
    if not calls:
        raise refusal("there is no pass among these steps")
    return calls


async def on_history_text(server: RelayLanguageServer, params: object) -> HistoryTextAnswer:
    """The text before or after a step."""
    return {"text": await _text(server, params)}


async def _text(server: RelayLanguageServer, moment: object) -> str:
    """The text of a moment: ``{id, side}``.

    Raises:
        JsonRpcException: the history does not have it.
    """
    identity, side = field_of(moment, "id"), "before" if field_of(moment, "side") == "before" else "after"
    text = await server.state.history.text(identity, side) if isinstance(identity, int) else None
    if text is None:
        raise refusal("the text of this step is no longer in the history")
    return text


async def on_history_difference(server: RelayLanguageServer, params: object) -> DifferenceAnswer:
    """Two texts of the history, or one and the buffer, and which operators one has more of than the other."""
    document = open_document(server, field_of(params, "textDocument", "uri"))
    texts: list[str] = []
    for name in ("before", "after"):
        moment = field_of(params, name)
        texts.append(document.text if moment is None else await _text(server, moment))
    async with work(server, "Relay: compare texts", "comparing texts") as report:
        counts = await server.state.passes.compare(document, texts[0], texts[1], report)
    return {
        "before": texts[0],
        "after": texts[1],
        "operators": [{"name": count.name, "before": count.before, "after": count.after} for count in counts],
    }


async def on_export_pipeline(server: RelayLanguageServer, params: object) -> PipelineAnswer:
    """Steps of the history as a command line, as the comment of a file, and as a list for the settings."""
    document = open_document(server, field_of(params, "textDocument", "uri"))
    given = field_of(params, "steps")
    if given is None:
        past = await server.state.history.buffer_history(document)
        steps = [step for step in past.steps[: past.current] if not step.details.by_hand]
    else:
        steps = await _steps(server, numbers_in(given))
    calls = [_call(step) for step in steps]
    return {
        "command": _command(steps, path_of(document.uri)),
        "comment": pipeline_comment_line(calls),
        "passes": [str(call) for call in calls],
    }


# Commands


async def go_to_step(server: RelayLanguageServer, *arguments: object) -> RunAnswer:
    """Give a buffer the text that it had before or after a step, as one edit of the lines that differ."""
    given = one_argument(arguments)
    document = open_document(server, given.get("uri"))
    version = version_in(given.get("version"))
    if version is not None and version != document.version:
        raise moved_on()
    version = document.version
    text = await _text(server, given)
    if document.version != version:
        raise moved_on()
    edits = line_edits(document.text, text)
    if not edits:
        message = "the buffer has this text already"
        server.say(message, Severity.INFORMATION)
        return {"changed": False, "applied": False, "message": message}
    refused = await apply(server, document, edits, "Relay: go to a step of the history")
    if refused is not None:
        return {"changed": True, "applied": False, "message": refused}
    await server.state.history.recall(document.uri, LineIndex(text))
    server.in_background(read_when_idle(server, document), document)
    return {"changed": True, "applied": True, "message": "done"}


async def replay(server: RelayLanguageServer, *arguments: object) -> RunAnswer:
    """Run the passes of steps of the history again, on the buffer as it is now."""
    given = one_argument(arguments)
    document = open_document(server, given.get("uri"))
    calls = await calls_of_steps(server, numbers_in(given.get("steps")))
    return await run_and_apply(server, document, calls, version_in(given.get("version")))


async def clear_history(server: RelayLanguageServer, *arguments: object) -> None:
    """Clear the pass history. What passes do to the open documents from here on is kept again."""
    await server.state.history.clear()
    for document in server.state.documents:
        server.in_background(recall(server, document), document)
    server.refresh_views()
    server.say("The pass history is empty now.", Severity.INFORMATION)


async def show_history(server: RelayLanguageServer, *arguments: object) -> None:
    """Tell the user in a sentence which passes made the text. Clients with a view of their own show that instead."""
    given = one_argument(arguments)
    past = await server.state.history.buffer_history(open_document(server, given.get("uri")))
    steps = past.steps[: past.current]
    pass_names = " → ".join("edited by hand" if step.details.by_hand else step.call for step in steps)
    server.say(pass_names or "No pass has changed this text yet.", Severity.INFORMATION)


def register(server: RelayLanguageServer) -> None:
    """Answer these requests and commands."""
    server.feature(HISTORY)(on_history)
    server.feature(HISTORY_TEXT)(on_history_text)
    server.feature(HISTORY_DIFFERENCE)(on_history_difference)
    server.feature(EXPORT_PIPELINE)(on_export_pipeline)
    server.command(GO_TO_STEP)(go_to_step)
    server.command(REPLAY)(replay)
    server.command(SHOW_HISTORY)(show_history)
    server.command(CLEAR_HISTORY)(clear_history)
