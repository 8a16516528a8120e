"""Requests about a document at rest, while a pass runs over it, and while another is being read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from ..client import URI, Client, span
from ..inputs import chain
from .figures import Figure, time_each
from .targets import RELAY, Target

__all__ = ["measure_peer_queries", "measure_queries"]

_SCREEN = 60
_USES = 10_000
_WHILE_READ = 10
"""How often it is asked while one text is read."""

_PAUSE = 0.02
"""Seconds between; all are asked before it has been read."""

_BUSY = 10.0
"""How many milliseconds longer an answer may take while the server is at work."""


def measure_peer_queries(size: int, repeat: int, target: Target) -> Iterator[Figure]:
    """The requests that a peer answers too."""
    dialect = target.dialect
    statement = dialect.middle(size)
    line = dialect.line(statement)
    client = target.start()
    client.initialize()
    client.open(dialect.chain(size))
    places = {"hover": dialect.operator_end(statement) - 1, "definition": dialect.operand(statement)}
    for what, character in (*places.items(), ("completion", dialect.operand(statement))):
        run = _ask(client, what, {"position": {"line": line, "character": character}})
        yield time_each(what, size, client, None, repeat, run)
    client.close()
    yield from _measure_references(repeat, target)


def _measure_references(repeat: int, target: Target) -> Iterator[Figure]:
    """The references to one value, asked again and again; and each time after an edit in the middle."""
    client = target.start()
    client.initialize()
    client.open(target.dialect.shared_value(_USES))
    everywhere = {"position": {"line": 2, "character": 3}, "context": {"includeDeclaration": True}}
    run = _ask(client, "references", everywhere)
    what = f"references to a value with {_USES:,} uses"
    yield time_each(f"{what}, after an edit", _USES, client, 20, repeat, _edit_first(client, run))
    yield time_each(what, _USES, client, 20, repeat, run)
    client.close()


def measure_queries(size: int, repeat: int, target: Target) -> Iterator[Figure]:
    """Every request that an editor makes while the user reads and types."""
    line = RELAY.line(size // 2 // RELAY.period * RELAY.period)
    name = {"line": line, "character": len(f"  %{line - 2} = nn.co")}
    argument = {"line": line, "character": len(f"  %{line - 2} = nn.conv2d(") + 1}
    screen = span(line, 0, line + _SCREEN, 0)
    queries: dict[str, tuple[float | None, str, dict[str, object]]] = {
        "hover": (5, "hover", {"position": name}),
        "definition": (5, "definition", {"position": argument}),
        "completion": (5, "completion", {"position": argument}),
        "signature help": (5, "signatureHelp", {"position": argument}),
        "highlights": (5, "documentHighlight", {"position": argument}),
        "highlights of an operator": (20, "documentHighlight", {"position": name}),
        "tokens of a screen": (20, "semanticTokens/range", {"range": screen}),
        "inlay hints of a screen": (20, "inlayHint", {"range": screen}),
    }
    client = target.start()
    client.initialize()
    client.open(chain(size))
    for what, (goal, method, params) in queries.items():
        yield time_each(what, size, client, goal, repeat, _ask(client, method, params))
    few = max(repeat // 5, 3)
    yield time_each("tokens after an edit (delta)", size, client, 20, few, _token_delta(client, line + 1))
    yield time_each("tokens of the whole text", size, client, None, few, _ask(client, "semanticTokens/full", {}))
    yield time_each("document symbols", size, client, None, few, _ask(client, "documentSymbol", {}))
    yield time_each("folding ranges", size, client, None, few, _ask(client, "foldingRange", {}))
    client.send({"method": "textDocument/didSave", "params": {"textDocument": {"uri": URI}}})
    for what, (goal, method, params) in queries.items():
        wanted = None if goal is None else goal + _BUSY
        yield time_each(f"{what}, while a pass runs", size, client, wanted, repeat, _ask(client, method, params))
    other = chain(10 * size)
    for what, (goal, method, params) in queries.items():
        wanted = None if goal is None else goal + _BUSY
        words = f"{what}, while ten times as much is read"
        yield time_each(words, size, client, wanted, few // 2, _ask_behind(client, other, method, params))
    client.close()
    yield from _measure_references(repeat, target)


def _ask(client: Client, method: str, params: dict[str, object]) -> Callable[[int], Sequence[float]]:
    return lambda number: (client.ask(method, **params)[0],)


def _edit_first(client: Client, ask: Callable[[int], Sequence[float]]) -> Callable[[int], Sequence[float]]:
    """The same, each time after a blank was typed in the middle of 10,000 statements, or taken out."""

    def run(number: int) -> Sequence[float]:
        line = _USES // 2
        client.edit((line, 0, line, number % 2, " " * (1 - number % 2)))
        return ask(number)

    return run


def _ask_behind(client: Client, other: str, method: str, params: dict[str, object]) -> Callable[[int], Sequence[float]]:
    """The same several times while another text arrives and is read; the first time, right behind it."""

    def run(number: int) -> Sequence[float]:
        identifier = client.open_other(other)
        seconds: list[float] = []
        for _ in range(_WHILE_READ):
            seconds.append(client.ask(method, **params)[0])
            time.sleep(_PAUSE)
        client.close_other(identifier)
        return seconds

    return run


def _token_delta(client: Client, line: int) -> Callable[[int], Sequence[float]]:
    known = client.ask("semanticTokens/full")[1]

    def run(number: int) -> Sequence[float]:
        nonlocal known
        client.edit((line, 0, line, 0, " "))
        elapsed, known = client.ask("semanticTokens/full/delta", previousResultId=known["resultId"])
        assert "edits" in known
        return (elapsed,)

    return run
