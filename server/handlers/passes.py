"""Passes from the editor: code actions, commands, and the requests of our own that clients build their views on."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ...ir.diagnostics import Fix, Severity
from ..capabilities import CLEAR_HISTORY, RESTART_WORKER, RUN_PASS, RUN_PIPELINE, VERIFY
from ..documents import Document
from ..features.code_actions import PassAction, fix_all, fix_all_of_kind, pass_actions, quick_fixes
from ..features.normal_forms import normal_form_actions
from ..features.pass_documentation import describe_pass
from ..jobs import PassesOutcome
from ..pass_calls import PassCall, PassCallError, parse_pipeline
from ..protocol import RelayLanguageServer
from ..worker import JobCancelled, JobError
from ..workspace import MovedOn
from .language import View, refusal, view
from .refactorings import refactoring_actions, resolve_refactoring

__all__ = ["register"]

_CONTENT_MODIFIED = -32801
_RUN_PASS_KIND = "refactor.rewrite.relay"
_RUN_PIPELINE_KIND = "source.runPipeline.relay"
_FIX_ALL_KIND = "source.fixAll.relay"

PASSES = "relay/passes"
PREVIEW = "relay/preview"
HISTORY = "relay/history"
HISTORY_TEXT = "relay/historyText"


def _moved_on() -> JsonRpcException:
    return JsonRpcException("the text has changed since; ask again", code=_CONTENT_MODIFIED)


# Code actions


async def on_code_action(server: RelayLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction] | None:
    """Fixes of what is wrong here, and passes that would change the buffer."""
    seen = await view(server, params.text_document.uri)
    if seen is None:
        return None
    version = seen.document.version
    wanted = _Wanted(params.context.only)
    found = server.state.diagnostics(seen.document, seen.snapshot)
    actions: list[types.CodeAction] = []
    if wanted("quickfix"):
        for item in quick_fixes(found, seen.converter.span(params.range)):
            action = _fix_action(seen, item.fix, "quickfix", version)
            action.diagnostics = [seen.converter.typed_diagnostic(item.diagnostic)]
            action.is_preferred = item.preferred
            actions.append(action)
    if wanted(_FIX_ALL_KIND) and (everything := fix_all(found)) is not None:
        actions.append(_fix_action(seen, everything, _FIX_ALL_KIND, version))
    span = seen.converter.span(params.range)
    if wanted("quickfix"):
        actions += (_fix_action(seen, fix, "quickfix", version) for fix in fix_all_of_kind(found, span))
    actions += (action for action in refactoring_actions(server, seen, span) if wanted(str(action.kind)))
    if wanted(_RUN_PASS_KIND) or wanted(_RUN_PIPELINE_KIND):
        # A cursor that moves asks again and again; only somebody who opens the menu is worth the work.
        invoked = params.context.trigger_kind != types.CodeActionTriggerKind.Automatic
        changing = await server.state.passes_that_change(seen.document, wait=invoked) if wanted(_RUN_PASS_KIND) else ()
        settings = server.state.settings
        pipeline = _pipeline(server, seen.document) if wanted(_RUN_PIPELINE_KIND) else ()
        pipelines = dict(settings.pipelines) if wanted(_RUN_PIPELINE_KIND) else {}
        actions += (
            _pass_action(server, action, seen.document.uri, version)
            for action in pass_actions(changing, pipeline, pipelines)
        )
    if wanted(_RUN_PASS_KIND):
        forms = normal_form_actions(seen.snapshot, span)
        actions += (_pass_action(server, action, seen.document.uri, version) for action in forms)
    return actions


def _pipeline(server: RelayLanguageServer, document: Document) -> Sequence[str]:
    """The document's pipeline, a text for each pass; empty where it cannot be read, which saving it tells."""
    try:
        return [str(call) for call in parse_pipeline(server.state.pipeline_for(document))]
    except PassCallError:
        return ()


class _Wanted:
    """The kinds of actions that a client asked for; all, where it named none."""

    def __init__(self, only: Sequence[types.CodeActionKind | str] | None) -> None:
        self._only = [kind.value if isinstance(kind, types.CodeActionKind) else kind for kind in only or ()]

    def __call__(self, kind: str) -> bool:
        return not self._only or any(
            kind == wanted or kind.startswith(f"{wanted}.") or wanted == "" for wanted in self._only
        )


def _fix_action(seen: View, fix: Fix, kind: str, version: int) -> types.CodeAction:
    return types.CodeAction(title=fix.title, kind=kind, edit=seen.converter.workspace_edit(fix.edits, version))


def _pass_action(server: RelayLanguageServer, action: PassAction, uri: str, version: int) -> types.CodeAction:
    """The action, whose edit is worked out when it is chosen; by a command for clients that cannot ask for it then."""
    made = types.CodeAction(title=action.title, kind=_RUN_PIPELINE_KIND if action.is_pipeline else _RUN_PASS_KIND)
    data = {"uri": uri, "version": version, "passes": list(action.passes)}
    if action.function:
        data["function"] = action.function
    if server.supports("textDocument", "codeAction", "resolveSupport"):
        made.data = data
    else:
        made.command = types.Command(action.title, RUN_PIPELINE, arguments=[data])
    return made


async def on_code_action_resolve(server: RelayLanguageServer, action: types.CodeAction) -> types.CodeAction:
    """The edit of an action that was chosen, for the version of the text that it was offered for."""
    data = action.data
    if not isinstance(data, dict):
        return action
    if "refactoring" in data:
        return await resolve_refactoring(server, action, data)
    document = _document(server, data.get("uri"))
    calls = _calls(data.get("passes"))
    text = document.text
    function = data.get("function")
    outcome = await _run(server, document, calls, data.get("version"), function if isinstance(function, str) else "")
    if outcome.failed is not None:
        raise refusal(outcome.failed)
    await server.state.remember(document.uri, text, outcome)
    action.edit = server.converter_for(document).workspace_edit(outcome.edits, document.version)
    return action


# Commands


async def run_pass(server: RelayLanguageServer, *arguments: Any) -> dict[str, Any]:
    """Run one pass over a document and put the result into it."""
    given = _argument(arguments)
    name = given.get("pass")
    if not isinstance(name, str):
        raise refusal('the command needs {"uri": …, "pass": …}')
    try:
        call = PassCall.parse(name)
    except PassCallError as error:
        raise refusal(str(error)) from None
    options = given.get("options")
    if isinstance(options, dict):
        call = PassCall(call.name, {**call.options, **options})
    return await _run_and_apply(server, given, (call,))


async def run_pipeline(server: RelayLanguageServer, *arguments: Any) -> dict[str, Any]:
    """Run a pipeline over a document and put the result into it."""
    given = _argument(arguments)
    return await _run_and_apply(server, given, _calls(_pipeline_asked_for(server, given)))


def _pipeline_asked_for(server: RelayLanguageServer, given: dict[str, Any]) -> Any:
    """The passes that an argument lists or names; the document's pipeline where it does neither."""
    passes, name = given.get("passes"), given.get("name")
    if passes is None and isinstance(name, str):
        if name not in server.state.pipelines:
            known = ", ".join(server.state.pipelines) or "none"
            raise refusal(f"there is no pipeline called {name}; the settings have {known}")
        passes = server.state.pipelines[name]
    if passes is None:
        passes = server.state.pipeline_for(_document(server, given.get("uri")))
    return passes


async def verify(server: RelayLanguageServer, *arguments: Any) -> dict[str, Any]:
    """Run the document before and after each pass of a pipeline on random inputs, and tell whether they differ."""
    given = _argument(arguments)
    document = _document(server, given.get("uri"))
    calls = _calls(_pipeline_asked_for(server, given))
    title = ", ".join(map(str, calls))
    async with _work(server, f"Relay: verify {title}", f"verify {title}") as report:
        outcome = await server.state.verify(document, calls, given.get("version"), report)
    message = f"{title}: {outcome.message}" if outcome.agrees else outcome.message
    server.say(message, Severity.INFORMATION if outcome.agrees else Severity.ERROR)
    return {
        "agrees": outcome.agrees,
        "message": outcome.message,
        "culprit": outcome.culprit,
        "kind": outcome.kind,
        "reduced": outcome.reduced,
        "steps": [{"pass": step.name, "difference": step.difference, "reason": step.reason} for step in outcome.steps],
    }


async def _run_and_apply(
    server: RelayLanguageServer, given: dict[str, Any], calls: Sequence[PassCall]
) -> dict[str, Any]:
    document = _document(server, given.get("uri"))
    text, version = document.text, given.get("version", document.version)
    names = ", ".join(map(str, calls))
    try:
        outcome = await _run(server, document, calls, version, str(given.get("function") or ""))
    except JsonRpcException as error:
        server.say(str(error), Severity.ERROR)
        return {"changed": False, "applied": False, "message": str(error), "steps": []}
    if outcome.failed is not None:
        server.say(outcome.failed, Severity.ERROR)
        return _report(outcome, False, outcome.failed)
    if not outcome.changed:
        message = f"{names}: nothing to change"
        server.say(message, Severity.INFORMATION)
        return _report(outcome, False, message)
    edit = server.converter_for(document).workspace_edit(outcome.edits, document.version)
    answer = await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, f"Relay: {names}"))
    if not answer.applied:
        message = f"the editor refused the change: {answer.failure_reason or 'the text has changed since'}"
        server.say(message, Severity.WARNING)
        return _report(outcome, False, message)
    await server.state.remember(document.uri, text, outcome)
    return _report(outcome, True, f"{names}: done")


def _report(outcome: PassesOutcome, applied: bool, message: str) -> dict[str, Any]:
    return {"changed": outcome.changed, "applied": applied, "message": message, "steps": _steps(outcome)}


def _steps(outcome: PassesOutcome) -> list[dict[str, Any]]:
    return [
        {
            "pass": step.name,
            "changed": step.changed,
            "milliseconds": round(step.seconds * 1000, 3),
            "operators": dict(step.operators),
        }
        for step in outcome.steps
    ]


def _argument(arguments: Sequence[Any]) -> dict[str, Any]:
    """The one object that each of our commands takes."""
    if len(arguments) == 1 and isinstance(arguments[0], dict):
        return arguments[0]
    raise refusal('the command takes one object, such as {"uri": …}')


def _document(server: RelayLanguageServer, uri: object) -> Document:
    document = server.state.documents.find(uri) if isinstance(uri, str) else None
    if document is None:
        raise refusal(f"{uri} is not an open document")
    return document


def _calls(passes: Any) -> tuple[PassCall, ...]:
    try:
        return parse_pipeline(passes or ())
    except (PassCallError, TypeError) as error:
        raise refusal(str(error)) from None


async def _run(
    server: RelayLanguageServer, document: Document, calls: Sequence[PassCall], version: Any, function: str = ""
) -> PassesOutcome:
    """Run passes with progress that the user can cancel.

    Raises:
        JsonRpcException: the text has moved on, or the worker could not do it.
    """
    title = ", ".join(map(str, calls))
    async with _work(server, f"Relay: {title}", title) as report:
        return await server.state.run_passes(document, calls, version, report, function)


@asynccontextmanager
async def _work(server: RelayLanguageServer, shown: str, title: str) -> AsyncIterator[Callable[[str], None]]:
    """Progress around a job of the worker; what keeps the worker from doing it becomes a refusal.

    Raises:
        JsonRpcException: the text has moved on, or the worker could not do it.
    """
    async with _progress(server, shown) as report:
        try:
            yield report
        except MovedOn:
            raise _moved_on() from None
        except JobCancelled:
            raise refusal(f"{title}: cancelled") from None
        except JobError as error:
            server.log(error.details)
            raise refusal(f"{title}: {error.message}") from None


@asynccontextmanager
async def _progress(server: RelayLanguageServer, title: str) -> AsyncIterator[Callable[[str], None]]:
    """Progress in the client's window. Its button cancels the task inside."""
    if not server.supports("window", "workDoneProgress"):
        yield lambda text: None
        return
    token = str(uuid.uuid4())
    progress = server.work_done_progress
    await progress.create_async(token)
    task = asyncio.current_task()
    watched = progress.tokens.get(token)
    if watched is not None and task is not None:
        watched.add_done_callback(lambda future: task.cancel() if future.cancelled() else None)
    progress.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
    try:
        yield lambda text: progress.report(token, types.WorkDoneProgressReport(message=text))
    finally:
        progress.end(token, types.WorkDoneProgressEnd())


def restart_worker(server: RelayLanguageServer, *arguments: Any) -> None:
    """Kill the worker, whatever it is doing; the next pass gets a new one."""
    server.state.worker.restart()
    server.status("ready", "")


async def clear_history(server: RelayLanguageServer, *arguments: Any) -> None:
    """Forget what passes did."""
    await server.state.clear_history()


# Requests of our own


async def on_passes(server: RelayLanguageServer, params: Any) -> list[dict[str, Any]]:
    """Every pass with its documentation and options, for pickers and forms."""
    described = await server.state.analysis.thread.run(_describe_passes)
    return [*described, *map(dict, server.state.extensions.passes)]


def _describe_passes() -> list[dict[str, Any]]:
    from ...passes import registered

    return [describe_pass(kind.declaration()) for kind in registered().values()]


def _field(params: Any, *path: str) -> Any:
    """A part of the parameters of a request of our own, which arrive as objects with attributes."""
    current = params
    for name in path:
        current = current.get(name) if isinstance(current, dict) else getattr(current, name, None)
    return current


async def on_preview(server: RelayLanguageServer, params: Any) -> dict[str, Any]:
    """What passes would make of a document, without doing it."""
    document = _document(server, _field(params, "textDocument", "uri"))
    text, version = document.text, document.version
    outcome = await _run(server, document, _calls(_field(params, "passes")), version)
    converter = server.converter_for(document)
    return {
        "version": version,
        "changed": outcome.changed,
        "before": text,
        "after": outcome.text,
        "failed": outcome.failed,
        "steps": [
            {**described, "text": step.text} for described, step in zip(_steps(outcome), outcome.steps, strict=True)
        ],
        "diagnostics": [
            {
                "message": found.message,
                "code": found.code,
                "range": converter.plain_range(found.span) if found.span is not None else None,
            }
            for found in outcome.diagnostics
        ],
    }


async def on_history(server: RelayLanguageServer, params: Any) -> dict[str, Any]:
    """How the text of a document came to be."""
    document = _document(server, _field(params, "textDocument", "uri"))
    steps: list[dict[str, Any]] = []
    for record in await server.state.steps_to(document.text):
        moment = datetime.fromtimestamp(record.time, tz=timezone.utc)
        steps.append(
            {
                "id": record.id,
                "pass": record.pass_name,
                "changed": True,
                "milliseconds": round(record.seconds * 1000, 3),
                "time": moment.isoformat(timespec="seconds"),
            }
        )
    return {"steps": steps}


async def on_history_text(server: RelayLanguageServer, params: Any) -> dict[str, Any]:
    """The text before or after a step."""
    side = "before" if _field(params, "side") == "before" else "after"
    text = await server.state.remembered_text(int(_field(params, "id") or 0), side)
    if text is None:
        raise refusal("the text of this step is not remembered any more")
    return {"text": text}


def register(server: RelayLanguageServer) -> None:
    """Answer these requests and commands."""
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION)(on_code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(on_code_action_resolve)
    server.command(RUN_PASS)(run_pass)
    server.command(RUN_PIPELINE)(run_pipeline)
    server.command(VERIFY)(verify)
    server.command(RESTART_WORKER)(restart_worker)
    server.command(CLEAR_HISTORY)(clear_history)
    server.feature(PASSES)(on_passes)
    server.feature(PREVIEW)(on_preview)
    server.feature(HISTORY)(on_history)
    server.feature(HISTORY_TEXT)(on_history_text)
