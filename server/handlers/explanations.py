"""What passes decide on values, and why: ``relay-lsp.explain`` on one, ``relay-lsp.showRemarks`` on all of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from relay_lsp.ir.diagnostics import Severity

from ..features.passes.explanations import Question, questions_at, remarks_on
from ..features.provenance.values import value_at
from ..lsp.answers import RemarkEntry, RemarksAnswer
from ..lsp.capabilities import EXPLAIN, SHOW_REMARKS
from ..lsp.conversion import ProtocolConverter
from ..lsp.message_codec import fields_of
from ..lsp.protocol import RelayLanguageServer
from ..pass_calls import PassCall, PassCallError
from .arguments import cursor_in, one_argument, open_document, version_in
from .passes import calls_asked_for
from .running import show_failure, work
from .views import View, refusal, view

if TYPE_CHECKING:
    from ..worker.remarks import PlacedRemark

__all__ = ["EXPLANATION_KIND", "explanation_actions", "register"]

EXPLANATION_KIND = "refactor.rewrite.explain.relay"


def explanation_actions(seen: View, offset: int) -> list[types.CodeAction]:
    """The questions about the value at ``offset``, each answered by a command."""
    return [_action(seen, question) for question in questions_at(seen.snapshot, offset)]


def _action(seen: View, question: Question) -> types.CodeAction:
    start = seen.converter.range(question.span).start
    argument = {
        "uri": seen.document.uri,
        "version": seen.version,
        "pass": question.pass_name,
        "position": {"line": start.line, "character": start.character},
    }
    command = types.Command(question.title, EXPLAIN, arguments=[argument])
    return types.CodeAction(title=question.title, kind=EXPLANATION_KIND, command=command)


async def explain(server: RelayLanguageServer, *arguments: object) -> RemarksAnswer:
    """Run a pass for what it says about one value, show that, and give it; the buffer stays as it is."""
    given = one_argument(arguments)
    name, place = given.get("pass"), cursor_in(given)
    if not isinstance(name, str) or place is None:
        raise refusal('the command needs {"uri": …, "pass": …, "position": {"line": …, "character": …}}')
    try:
        call = PassCall.parse(name)
    except PassCallError as error:
        raise refusal(str(error)) from None
    document = open_document(server, given.get("uri"))
    seen = await view(server, document.uri)
    span = None if seen is None else value_at(seen.snapshot, seen.converter.offset(place))
    if seen is None or span is None:
        raise refusal("there is no value at this place")
    async with work(server, f"Relay: {call}", str(call)) as report:
        version = version_in(given.get("version"))
        version = seen.version if version is None else version
        outcome = await server.state.passes.run(document, (call,), version, report, remarks=True)
    if outcome.failed is not None:
        failure = show_failure(server, seen.converter, outcome.failed, outcome.diagnostics)
        return {"message": outcome.failed, "remarks": [], **failure}
    remarks = remarks_on(outcome.remarks, span)
    server.state.remarks.show(document, [*server.state.remarks.of(document), *remarks])
    server.refresh_views()
    lines = [f"{remark.subject}: {remark.message}" for remark in remarks]
    message = "\n".join(lines) or f"{call} decides nothing about this value"
    # Where a message may be cut off, a client shows what it is given so that it can be read whole.
    if fields_of(server.initialization_options).get("showsExplanations") is not True:
        server.say(message, Severity.INFORMATION)
    return {"message": message, "remarks": [_described(remark, seen.converter) for remark in remarks]}


async def show_remarks(server: RelayLanguageServer, *arguments: object) -> RemarksAnswer:
    """Run passes for what they say, and show that beside the values; the buffer stays as it is.

    With ``hide``, what is shown is taken away again.
    """
    given = one_argument(arguments)
    document = open_document(server, given.get("uri"))
    if given.get("hide") is True:
        server.state.remarks.forget(document.uri)
        server.refresh_views()
        return {"message": "", "remarks": []}
    calls = await calls_asked_for(server, document, given)
    title, converter = ", ".join(map(str, calls)), server.converter_for(document)
    async with work(server, f"Relay: {title}", title) as report:
        version = version_in(given.get("version"))
        outcome = await server.state.passes.run(document, calls, version, report, gates=True, remarks=True)
    if outcome.failed is not None:
        failure = show_failure(server, converter, outcome.failed, outcome.diagnostics)
        return {"message": outcome.failed, "remarks": [], **failure}
    placed = [remark for remark in outcome.remarks if remark.span is not None]
    server.state.remarks.show(document, placed)
    server.refresh_views()
    missed = sum(remark.kind == "missed" for remark in placed)
    message = f"{title}: {len(placed) - missed} decisions to change something, {missed} to leave something alone"
    server.say(message, Severity.INFORMATION)
    return {"message": message, "remarks": [_described(remark, converter) for remark in placed]}


def _described(remark: PlacedRemark, converter: ProtocolConverter) -> RemarkEntry:
    return {
        "pass": remark.pass_name,
        "kind": remark.kind,
        "rule": remark.rule,
        "subject": remark.subject,
        "message": remark.message,
        "range": None if remark.span is None else converter.plain_range(remark.span),
    }


def register(server: RelayLanguageServer) -> None:
    """Answer these commands."""
    server.command(EXPLAIN)(explain)
    server.command(SHOW_REMARKS)(show_remarks)
