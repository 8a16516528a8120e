"""What an editor asks by itself after a key: what may follow, colours, hints, links, lenses, outline, folds; and what
the user asks of the name before the cursor."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..client import Client, span
from .figures import Figure
from .shapes import SHAPES, Shape, scripts_of
from .targets import Target
from .typed_keys import Positions

__all__ = ["measure_own_requests"]

_SCREEN: Final = 60
_OF_SCREEN: Final = {1_000: 20.0, 10_000: 20.0, 100_000: 25.0}
"""What is asked of the cursor or a screen."""
_OF_TEXT: Final = {1_000: 50.0, 10_000: 100.0, 100_000: 1_000.0}
"""What is asked of the whole text."""
_EVERY: Final = 4
"""Of the keys that type a statement at each place, every fourth is followed by all of these."""


def measure_own_requests(sizes: Sequence[int], target: Target) -> Iterator[Figure]:
    """A row for each request: of the shape in which it takes longest, which is named.

    A statement is typed from its first letter to its last at the beginning, the middle and the end of the last
    function, and every fourth key is followed by every request, once its diagnostics have come. Nothing is asked
    beforehand.
    """
    for size in sizes:
        asked: dict[tuple[str, bool], dict[str, list[float]]] = defaultdict(dict)
        for shape in SHAPES:
            for request, samples in _asked(shape, size, target).items():
                asked[request][shape.name] = samples
        load = os.getloadavg()[0]
        for (method, is_whole), by_shape in asked.items():
            goal = (_OF_TEXT if is_whole else _OF_SCREEN).get(size)
            figures = [
                Figure(f"{method} after a key, slowest of {len(by_shape)}: {name}", size, samples, goal, load=load)
                for name, samples in by_shape.items()
            ]
            yield max(figures, key=lambda figure: figure.p95)


def _asked(shape: Shape, size: int, target: Target) -> Mapping[tuple[str, bool], list[float]]:
    """The milliseconds of each request in one shape, by its method and whether it is about the whole text."""
    text = shape.text(size)
    client = target.start()
    client.initialize()
    client.open(text)
    client.settle()
    taken: dict[tuple[str, bool], list[float]] = defaultdict(list)
    for script in scripts_of(shape, text):
        if script.what != "a statement typed and deleted" or script.before is None or script.after is None:
            continue
        positions = Positions(text, script)
        client.edit(positions.change(script.before))
        for number, key in enumerate(script.keys):
            change = positions.change(key)
            client.edit(change)
            is_asked = number < len(script.keys) // 2 and number % _EVERY == 0  # the other half deletes it again
            for request, seconds in _requests(client, change[0], change[1]) if is_asked else ():
                taken[request].append(seconds * 1000)
        client.edit(positions.change(script.after))
    client.close()
    return taken


def _requests(client: Client, line: int, character: int) -> Iterator[tuple[tuple[str, bool], float]]:
    """Every request that editors make without being told to, with the cursor at a place, and the seconds it took."""
    screen = span(max(line - _SCREEN // 2, 0), 0, line + _SCREEN // 2, 0)
    position = {"line": line, "character": character}
    before = {"line": line, "character": max(character - 1, 0)}
    behind = {"line": line, "character": character + 1}
    cursor = span(line, character, line, character)
    of_screen: Mapping[str, Mapping[str, object]] = {
        "semanticTokens/range": {"range": screen},
        "inlayHint": {"range": screen},
        "documentHighlight": {"position": position},
        "codeAction": {"range": cursor, "context": {"diagnostics": [], "triggerKind": 2}},
        "completion": {"position": behind},
        "signatureHelp": {"position": behind},
        "hover": {"position": before},
        "definition": {"position": before},
    }
    for method, params in of_screen.items():
        yield (method, False), client.ask(method, **params)[0]
    for method in ("semanticTokens/full", "codeLens", "documentLink", "foldingRange", "documentSymbol"):
        yield (method, True), client.ask(method)[0]
