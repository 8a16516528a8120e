"""``relay-lsp.reduce``: the smallest module on which passes still go wrong, for the editor to open."""

from __future__ import annotations

from relay_lsp.ir.diagnostics import Severity

from ..lsp.answers import FailedAt, ReductionAnswer
from ..lsp.capabilities import REDUCE
from ..lsp.protocol import RelayLanguageServer
from .arguments import one_argument, open_document, version_in
from .passes import calls_asked_for
from .running import show_failure, work
from .views import refusal

__all__ = ["register"]

_DEFAULT = "raises"


async def reduce(server: RelayLanguageServer, *arguments: object) -> ReductionAnswer:
    """Find the smallest module on which the passes still go wrong; the buffer stays as it is."""
    given = one_argument(arguments)
    until = given.get("until", _DEFAULT)
    if not isinstance(until, str):
        raise refusal('the command needs {"uri": …, "passes": …, "until": "raises" | "breaks typing" | …}')
    document = open_document(server, given.get("uri"))
    calls = await calls_asked_for(server, document, given)
    title, converter = f"reduce {', '.join(map(str, calls))}", server.converter_for(document)
    async with work(server, f"Relay: {title}", title) as report:
        outcome = await server.state.passes.reduce(document, calls, until, version_in(given.get("version")), report)
    message = f"{title}: {outcome.message}"
    failure: FailedAt = {}
    if outcome.text is None:
        failure = show_failure(server, converter, message, outcome.diagnostics)
    else:
        server.say(message, Severity.INFORMATION)
    return {"message": message, "text": outcome.text, "before": outcome.before, "after": outcome.after, **failure}


def register(server: RelayLanguageServer) -> None:
    """Answer this command."""
    server.command(REDUCE)(reduce)
