"""Passes from the editor: commands that run them, and requests of our own that describe and preview them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from relay_lsp.ir.diagnostics import Severity

from ..documents.documents import Document
from ..features.documentation.pass_documentation import PassEntry, describe_passes
from ..features.passes.aligned_preview import aligned_texts, correspondences
from ..features.passes.exporting import command_line
from ..lsp.answers import AlignedAnswer, FailedAt, PreviewAnswer, PreviewChanges, RunAnswer, VerificationAnswer
from ..lsp.capabilities import RESTART_WORKER, RUN_PASS, RUN_PIPELINE, VERIFY
from ..lsp.conversion import ProtocolConverter
from ..lsp.methods import PASSES, PREVIEW
from ..lsp.protocol import RelayLanguageServer
from ..pass_calls import PassCall, PassCallError
from .addresses import path_of
from .arguments import calls_in, cursor_in, field_of, numbers_in, one_argument, open_document, version_in
from .history import calls_of_steps
from .running import described_steps, run_and_apply, run_passes, show_failure, skipped_words, work
from .views import refusal

if TYPE_CHECKING:
    from ..worker.pass_outcomes import PassesOutcome

__all__ = ["calls_asked_for", "register"]


# Commands


async def run_pass(server: RelayLanguageServer, *arguments: object) -> RunAnswer:
    """Run one pass over a document and put the result into it."""
    given = one_argument(arguments)
    name = given.get("pass")
    if not isinstance(name, str):
        raise refusal('the command needs {"uri": …, "pass": …}')
    try:
        call = PassCall.parse(name)
    except PassCallError as error:
        raise refusal(str(error)) from None
    options, function = given.get("options"), given.get("function")
    call = replace(
        call,
        options={**call.options, **options} if isinstance(options, dict) else call.options,
        function=function if isinstance(function, str) else "",
    )
    document = open_document(server, given.get("uri"))
    return await run_and_apply(server, document, (call,), version_in(given.get("version")), cursor_in(given))


async def run_pipeline(server: RelayLanguageServer, *arguments: object) -> RunAnswer:
    """Run a pipeline over a document and put the result into it."""
    given = one_argument(arguments)
    document = open_document(server, given.get("uri"))
    calls = await calls_asked_for(server, document, given)
    gates = _is_pipeline(given, calls)
    return await run_and_apply(server, document, calls, version_in(given.get("version")), cursor_in(given), gates)


def _is_pipeline(given: object, calls: Sequence[PassCall]) -> bool:
    """Whether the context decides which passes run.

    It does not where steps are repeated, nor where one pass alone is listed: that one was asked for by its name, as in
    `relay-lsp opt --pass`.
    """
    if field_of(given, "steps") is not None:
        return False
    return field_of(given, "passes") is None or len(calls) > 1


async def calls_asked_for(server: RelayLanguageServer, document: Document, given: object) -> Sequence[PassCall]:
    """The passes that an argument lists or names, or those of steps of the history; else the document's pipeline.

    Raises:
        JsonRpcException: there are no such passes.
    """
    steps = field_of(given, "steps")
    if steps is not None:
        return await calls_of_steps(server, numbers_in(steps))
    return calls_in(_pipeline_asked_for(server, document, given), field_of(given, "function"))


def _pipeline_asked_for(server: RelayLanguageServer, document: Document, given: object) -> object:
    """The passes that an argument lists or names; the document's pipeline where it does neither."""
    passes, name = field_of(given, "passes"), field_of(given, "name")
    if passes is None and isinstance(name, str):
        pipelines = server.state.settings_for(document.uri).pipelines
        if name not in pipelines:
            known = ", ".join(pipelines) or "none"
            raise refusal(f"there is no pipeline called {name}; the settings have {known}")
        passes = pipelines[name]
    return server.state.passes.pipeline_for(document) if passes is None else passes


async def verify(server: RelayLanguageServer, *arguments: object) -> VerificationAnswer:
    """Run the document before and after each pass of a pipeline on random inputs, and tell whether they differ."""
    given = one_argument(arguments)
    document = open_document(server, given.get("uri"))
    calls = calls_in(_pipeline_asked_for(server, document, given))
    title, converter = ", ".join(map(str, calls)), server.converter_for(document)
    async with work(server, f"Relay: verify {title}", f"verify {title}") as report:
        outcome = await server.state.passes.verify(document, calls, version_in(given.get("version")), report)
    failure: FailedAt = {}
    if outcome.agrees:
        server.say(f"{title}: {outcome.message}", Severity.INFORMATION)
    elif outcome.is_undecided:
        server.say(outcome.message, Severity.WARNING)
    else:
        failure = show_failure(server, converter, outcome.message, outcome.diagnostics)
    return {
        "agrees": outcome.agrees,
        "message": outcome.message,
        "culprit": outcome.culprit,
        "kind": outcome.kind,
        "reduced": outcome.reduced,
        "steps": [{"pass": step.name, "difference": step.difference, "reason": step.reason} for step in outcome.steps],
        **failure,
    }


def restart_worker(server: RelayLanguageServer, *arguments: object) -> None:
    """Kill the worker, whatever it is doing; the next pass gets a new one."""
    server.state.worker.restart()
    server.status("ready", "")


# Requests of our own


async def on_passes(server: RelayLanguageServer, params: object) -> list[PassEntry]:
    """Every pass with its documentation and options, for pickers and forms."""
    described = await server.state.analysis.thread.run(describe_passes)
    await server.state.extensions.refresh()
    return [*described, *server.state.extensions.passes]


async def on_preview(server: RelayLanguageServer, params: object) -> PreviewAnswer:
    """What passes would make of a document, without doing it (`docs/protocol.md` has its form)."""
    document = open_document(server, field_of(params, "textDocument", "uri"))
    calls = await calls_asked_for(server, document, params)
    text, version, old = document.text, document.version, server.converter_for(document)
    gates = _is_pipeline(params, calls)
    outcome = await run_passes(server, document, calls, version_in(field_of(params, "version")), gates)
    if skipped := skipped_words(outcome):
        server.say(f"{', '.join(map(str, calls))}: previewed{skipped}", Severity.INFORMATION)
    return {
        "version": version,
        "changed": outcome.changed,
        "before": text,
        "after": outcome.text,
        "failed": outcome.failed,
        "passes": [str(call) for call in calls],
        "command": command_line(calls, server.state.settings_for(document.uri).opt_level, path_of(document.uri)),
        "steps": [
            {**described, "text": step.text}
            for described, step in zip(described_steps(outcome), outcome.steps, strict=True)
        ],
        **_changes(server, old, outcome),
        **(await _aligned(server, text, outcome, params)),
        "diagnostics": [
            {
                "message": diagnostic.message,
                "code": diagnostic.code,
                "range": old.plain_range(diagnostic.span) if diagnostic.span is not None else None,
            }
            for diagnostic in outcome.diagnostics
        ],
    }


async def _aligned(server: RelayLanguageServer, text: str, outcome: PassesOutcome, params: object) -> AlignedAnswer:
    """Both texts laid out side by side, where the client asks for that."""
    wanted = field_of(params, "aligned")
    if not wanted or not outcome.changed:
        return {}
    only = wanted if isinstance(wanted, str) else ""
    made = {(value.span.start, value.span.end): value.passes for value in outcome.changes.values}
    steps = [step.origins for step in outcome.steps if step.changed]
    laid_out = await server.state.analysis.thread.run(
        lambda: aligned_texts(text, outcome.text, correspondences(steps, made), only)
    )
    return {
        "aligned": {
            "before": laid_out.before,
            "after": laid_out.after,
            "beforeLines": list(laid_out.before_lines),
            "afterLines": list(laid_out.after_lines),
            "functions": list(laid_out.functions),
        }
    }


def _changes(server: RelayLanguageServer, old: ProtocolConverter, outcome: PassesOutcome) -> PreviewChanges:
    """What became of what; ranges of new values are in the text after, all others in the text before."""
    new, changes = server.converter_of(old.uri, outcome.text), outcome.changes
    return {
        "operators": [
            {"name": count.name, "before": count.before, "after": count.after} for count in changes.operators
        ],
        "values": [
            {
                "range": new.plain_range(value.span),
                "from": [old.plain_range(source) for source in value.sources],
                "passes": list(value.passes),
            }
            for value in changes.values
        ],
        "removed": [{"range": old.plain_range(gone.span), "pass": gone.pass_name} for gone in changes.removed],
    }


def register(server: RelayLanguageServer) -> None:
    """Answer these requests and commands."""
    server.command(RUN_PASS)(run_pass)
    server.command(RUN_PIPELINE)(run_pipeline)
    server.command(VERIFY)(verify)
    server.command(RESTART_WORKER)(restart_worker)
    server.feature(PASSES)(on_passes)
    server.feature(PREVIEW)(on_preview)
