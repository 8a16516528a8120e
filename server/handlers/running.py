"""Running passes for a client: with progress that it can cancel, and the result put into its buffer or refused."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from relay_lsp.ir.diagnostics import Diagnostic, Severity, TextEdit

from ..documents.documents import Document
from ..features.passes.following import place_after
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer
from ..pass_calls import PassCall
from ..session.document_passes import MovedOn
from ..worker.read_texts import FIRST_WORD
from ..worker.worker import JobCancelled, JobError
from .views import CONTENT_MODIFIED, REQUEST_CANCELLED, cancelled, moved_on, read_when_idle, refusal

if TYPE_CHECKING:  # a start does without them
    from ..lsp.answers import FailedAt, PassRunEntry, RunAnswer
    from ..lsp.conversion import ProtocolConverter
    from ..worker.pass_outcomes import PassesOutcome, StepOutcome

__all__ = [
    "apply",
    "described_steps",
    "place_of_failure",
    "run_and_apply",
    "run_passes",
    "show_failure",
    "skipped_words",
    "work",
]

_NAMES_SHOWN = 3
"""Of a long pipeline, the progress names so many passes, and the one that it is at: it stands over the text."""


async def run_and_apply(
    server: RelayLanguageServer,
    document: Document,
    calls: Sequence[PassCall],
    version: int | None,
    cursor: types.Position | None = None,
    gates: bool = False,
) -> RunAnswer:
    """Run passes and put the result into the buffer, as one edit. The outcome is shown to the user and returned.

    Where the text has moved on meanwhile, the answer has ``outdated``, and they can be run again. With a ``cursor``,
    the answer tells as ``position`` where what it stood at is afterwards. A client that shows errors by itself is told
    as ``errorAt`` where the first one stands that the passes failed at.
    """
    text, old = document.text, server.converter_for(document)
    names = ", ".join(map(str, calls))
    # A client that runs them again knows where its cursor is then, and tells by itself what the user has done.
    tells = fields_of(server.initialization_options).get("offersToRunAgain") is True
    try:
        outcome = await run_passes(server, document, calls, version, gates)
    except JsonRpcException as error:
        if error.code == CONTENT_MODIFIED:
            message = f"{names}: the text has changed since; run this again"
            if not tells:
                server.say(message, Severity.ERROR)
            return {"changed": False, "applied": False, "message": message, "steps": [], "outdated": True}
        by_user = error.code == REQUEST_CANCELLED
        if not (by_user and tells):
            server.say(str(error), Severity.INFORMATION if by_user else Severity.ERROR)
        return {"changed": False, "applied": False, "message": str(error), "steps": []}
    if outcome.failed is not None:
        return {
            **_report(outcome, False, outcome.failed),
            **show_failure(server, old, outcome.failed, outcome.diagnostics),
        }
    if not outcome.changed:
        message = f"{names}: nothing to change{skipped_words(outcome)}"
        server.say(message, Severity.INFORMATION)
        return _report(outcome, False, message)
    refused = await apply(server, document, outcome.edits, f"Relay: {names}")
    if refused is not None:
        return _report(outcome, False, refused)
    await server.state.passes.remember(document.uri, text, outcome)
    server.in_background(read_when_idle(server, document), document)
    skipped = skipped_words(outcome)
    if skipped:
        server.say(f"{names}: done{skipped}", Severity.INFORMATION)
    report = _report(outcome, True, f"{_done_words(outcome)}{skipped}")
    if cursor is not None:
        texts = [(step.text, step.origins) for step in outcome.steps if step.changed]
        place = place_after(old.offset(cursor), text, outcome.edits, texts)
        position = server.converter_of(document.uri, outcome.text).position(place)
        report["position"] = {"line": position.line, "character": position.character}
    return report


def place_of_failure(converter: ProtocolConverter, diagnostics: Iterable[Diagnostic]) -> FailedAt:
    """Where the first of the diagnostics of passes stands that has a place in the text."""
    places = (diagnostic.span for diagnostic in diagnostics)
    place = next((span for span in places if span not in (None, FIRST_WORD)), None)
    return {} if place is None else {"errorAt": converter.plain_range(place)}


def show_failure(
    server: RelayLanguageServer, converter: ProtocolConverter, message: str, diagnostics: Iterable[Diagnostic]
) -> FailedAt:
    """Show the user why passes failed; for a client that shows errors by itself, the place goes into the answer."""
    place = place_of_failure(converter, diagnostics)
    if place and fields_of(server.initialization_options).get("showsErrors") is True:
        return place
    server.say(message, Severity.ERROR)
    return {}


def _done_words(outcome: PassesOutcome) -> str:
    """What each pass did, and how long they took: ``SimplifyInference: nn.batch_norm −19, add +19 (0.1 s)``."""
    changed = [f"{step.name}: {_count_words(step.operators)}" for step in outcome.steps if step.changed]
    idle = [step.name for step in outcome.steps if not step.changed and not step.skipped and step.name != _TYPES_ALONE]
    nothing = [f"{', '.join(dict.fromkeys(idle))}: nothing to change"] if idle else []
    seconds = sum(step.seconds for step in outcome.steps)
    return f"{'; '.join(changed + nothing)} ({seconds:.1f} s)"


_OPERATORS_SHOWN = 4
_TYPES_ALONE = "InferType"
"""The pass that others require: it changes no statement."""


def _count_words(operators: Mapping[str, int]) -> str:
    """Of which operators there are fewer, then of which there are more; what changed most comes first."""
    ranked = sorted(operators.items(), key=lambda item: (item[1] > 0, -abs(item[1]), item[0]))
    shown = [f"{name} {'+' if number > 0 else '−'}{abs(number)}" for name, number in ranked[:_OPERATORS_SHOWN]]
    if len(ranked) > _OPERATORS_SHOWN:
        shown.append("…")
    return ", ".join(shown) or "the same operators, other statements"


def skipped_words(outcome: PassesOutcome) -> str:
    """Which passes the context did not admit, and why, whether they ran or not; empty where it admitted all."""
    skipped = [f"; {step.name} is skipped: {step.skipped}" for step in outcome.steps if step.skipped]
    by_name = [f"; {name} ran because it was asked for by name: {why}" for name, why in outcome.by_name.items()]
    return "".join(skipped + by_name)


async def apply(server: RelayLanguageServer, document: Document, edits: Sequence[TextEdit], label: str) -> str | None:
    """Have the editor change the buffer, at the version that it has now; why it did not, which is shown to the user."""
    try:
        edit = server.edit_of(server.converter_for(document), edits, document.version, label)
    except JsonRpcException as error:
        server.say(str(error), Severity.WARNING)
        return str(error)
    answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))
    if answer.applied:
        return None
    message = f"the editor refused the change: {answer.failure_reason or 'the text has changed since'}"
    server.say(message, Severity.WARNING)
    return message


def _report(outcome: PassesOutcome, applied: bool, message: str) -> RunAnswer:
    return {"changed": outcome.changed, "applied": applied, "message": message, "steps": described_steps(outcome)}


def described_steps(outcome: PassesOutcome) -> list[PassRunEntry]:
    """What each pass did."""
    return [_described(step, outcome.by_name.get(step.name, "")) for step in outcome.steps]


def _described(step: StepOutcome, by_name: str) -> PassRunEntry:
    entry: PassRunEntry = {
        "pass": step.name,
        "call": str(step.call),
        "changed": step.changed,
        "milliseconds": round(step.seconds * 1000, 3),
        "operators": dict(step.operators),
    }
    if step.skipped:
        entry["skipped"] = step.skipped
    if by_name:
        entry["byName"] = by_name
    return entry


async def run_passes(
    server: RelayLanguageServer,
    document: Document,
    calls: Sequence[PassCall],
    version: int | None,
    gates: bool = False,
) -> PassesOutcome:
    """Run passes with progress that the user can cancel; with ``gates``, those that the context admits.

    Raises:
        JsonRpcException: the text has moved on, or the worker could not do it.
    """
    version = document.version if version is None else version  # before the client is asked for its progress
    names = [str(call) for call in calls]
    more = f", … ({len(names)} passes)" if len(names) > _NAMES_SHOWN else ""
    shown = f"Relay: {', '.join(names[:_NAMES_SHOWN])}{more}"
    async with work(server, shown, ", ".join(names), names) as report:
        return await server.state.passes.run(document, calls, version, report, gates)


@asynccontextmanager
async def work(
    server: RelayLanguageServer, shown: str, title: str, steps: Sequence[str] = ()
) -> AsyncGenerator[Callable[[str], None]]:
    """Progress around a job of the worker; what keeps the worker from doing it becomes a refusal.

    Where the job reports the beginning of each of its ``steps``, the progress shows how many of them are done.

    Raises:
        JsonRpcException: the text has moved on, or the worker could not do it.
    """
    async with _progress(server, shown, title, steps) as report:
        try:
            yield report
        except MovedOn:
            raise moved_on() from None
        except JobCancelled:
            raise cancelled(title) from None
        except JobError as error:
            server.log(error.details)
            raise refusal(f"{title}: {error.message}") from None


@asynccontextmanager
async def _progress(
    server: RelayLanguageServer, shown: str, title: str, steps: Sequence[str]
) -> AsyncGenerator[Callable[[str], None]]:
    """Progress in the client's window. Its button cancels the work inside, and what asked for it is answered so.

    Raises:
        JsonRpcException: the user has cancelled it.
    """
    if not server.supports("window", "workDoneProgress"):
        yield lambda text: None
        return
    token = str(uuid.uuid4())
    progress: Any = server.work_done_progress  # whose tokens have no type
    await progress.create_async(token)
    task = asyncio.current_task()
    watched: Future[Any] = progress.tokens[token]
    if task is not None:
        watched.add_done_callback(lambda future: task.cancel() if future.cancelled() else None)
    begun = 0

    def report(text: str) -> None:
        nonlocal begun
        if not steps:
            progress.report(token, types.WorkDoneProgressReport(message=text))
            return
        message = text
        if begun < len(steps) and text == steps[begun]:
            begun += 1
            message = f"{text} ({begun} of {len(steps)})"
            done = begun - 1
        else:
            done = begun  # what comes after the last step
        progress.report(token, types.WorkDoneProgressReport(message=message, percentage=100 * done // (len(steps) + 1)))

    begin = types.WorkDoneProgressBegin(title=shown, cancellable=True, percentage=0 if steps else None)
    progress.begin(token, begin)
    try:
        yield report
    except asyncio.CancelledError:
        if not watched.cancelled():  # the request itself is cancelled, or the server ends
            raise
        if task is not None and sys.version_info >= (3, 11):
            task.uncancel()
        raise cancelled(title) from None
    finally:
        progress.end(token, types.WorkDoneProgressEnd())
