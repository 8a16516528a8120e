"""What an editor asks by itself after a key: what may follow, colours, hints, links, lenses, outline, folds; and what
the user asks of the name before the cursor."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

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
_OF_WHOLE: Final = ("semanticTokens/full", "codeLens", "documentLink", "foldingRange", "documentSymbol")
_EVERY: Final = 4
"""Of the keys that type a statement at each place, every fourth is followed by all of these."""

_AT_FAULT: Final = (
    "%{bound} = nn.relu({first});",
    "{first} = nn.relu({first});",
    "%typed = nn.rleu({first}x);",
    "%typed = @mian({first}, {first};",
    "%typed = nn.dense({first}, axis=[1);",
    "typed = {first}.3;",
    "%typed: Tensr[(1, 2), float33] = {first};",
    "%typed = meta[relay.Constant][7];",
    "free_var {first}: int32;",
    "type Typed {{ B }}",
    "}}",
)
"""Statements with what people get wrong: a name that is bound already, or misspelled, brackets, types, order."""
_AFTER_A_KEY: Final = "after a key"
_IN_A_FAULT: Final = "in a statement at fault"


def measure_own_requests(sizes: Sequence[int], target: Target) -> Iterator[Figure]:
    """A row for each request: of the shape in which it takes longest, which is named.

    A statement is typed from its first letter to its last at the beginning, the middle and the end of the last
    function, and every fourth key is followed by every request, once its diagnostics have come. Then statements that
    are at fault come into the middle, one after the other, and what is asked of the cursor is asked at every fourth
    place in each. Nothing is asked beforehand.
    """
    for size in sizes:
        asked: dict[_Request, dict[str, list[float]]] = defaultdict(dict)
        for shape in SHAPES:
            for request, samples in _asked(shape, size, target).items():
                asked[request][shape.name] = samples
        load = os.getloadavg()[0]
        for (method, is_whole, when), by_shape in asked.items():
            goal = (_OF_TEXT if is_whole else _OF_SCREEN).get(size)
            figures = [
                Figure(f"{method} {when}, slowest of {len(by_shape)}: {name}", size, samples, goal, load=load)
                for name, samples in by_shape.items()
            ]
            yield max(figures, key=lambda figure: figure.p95)


class _Request(NamedTuple):
    method: str
    is_whole: bool
    """Whether it is about the whole text."""
    when: str


def _asked(shape: Shape, size: int, target: Target) -> Mapping[_Request, list[float]]:
    """The milliseconds of each request in one shape."""
    text = shape.text(size)
    client = target.start()
    client.initialize()
    client.open(text)
    client.settle()
    taken: dict[_Request, list[float]] = defaultdict(list)
    for script in scripts_of(shape, text):
        if script.what != "a statement typed and deleted" or script.before is None or script.after is None:
            continue
        positions = Positions(text, script)
        client.edit(positions.change(script.before))
        for number, key in enumerate(script.keys):
            change = positions.change(key)
            client.edit(change)
            is_asked = number < len(script.keys) // 2 and number % _EVERY == 0  # the other half deletes it again
            if is_asked:
                for method, seconds in _of_cursor(client, change[0], change[1]):
                    taken[_Request(method, False, _AFTER_A_KEY)].append(seconds * 1000)
                for method in _OF_WHOLE:
                    taken[_Request(method, True, _AFTER_A_KEY)].append(client.ask(method)[0] * 1000)
        client.edit(positions.change(script.after))
    lines = text.splitlines()
    middle = next(at for at in range(len(lines) // 2, len(lines)) if lines[at].startswith(("  %", "  let %")))
    names = {"first": _first_parameter(lines, middle), "bound": lines[middle].split("%")[1].split(" ")[0]}
    for statement in (each.format(**names) for each in _AT_FAULT):
        client.edit((middle, 0, middle, 0, f"  {statement}\n"))
        client.settle()
        for character in range(2, len(statement) + 3, _EVERY):
            for method, seconds in _of_cursor(client, middle, character):
                taken[_Request(method, False, _IN_A_FAULT)].append(seconds * 1000)
        client.edit((middle, 0, middle + 1, 0, ""))
    client.close()
    return taken


def _first_parameter(lines: Sequence[str], line: int) -> str:
    """The first parameter of the function around a line."""
    head = next(lines[at] for at in range(line, -1, -1) if lines[at].startswith("def "))
    return re.findall(r"%\w+", head)[0]


def _of_cursor(client: Client, line: int, character: int) -> Iterator[tuple[str, float]]:
    """Every request about the cursor or the screen that editors make without being told to, and the seconds it took."""
    screen = span(max(line - _SCREEN // 2, 0), 0, line + _SCREEN // 2, 0)
    position = {"line": line, "character": character}
    before = {"line": line, "character": max(character - 1, 0)}
    behind = {"line": line, "character": character + 1}
    cursor = span(line, character, line, character)
    requests: Mapping[str, Mapping[str, object]] = {
        "semanticTokens/range": {"range": screen},
        "inlayHint": {"range": screen},
        "documentHighlight": {"position": position},
        "codeAction": {"range": cursor, "context": {"diagnostics": [], "triggerKind": 2}},
        "completion": {"position": behind},
        "signatureHelp": {"position": behind},
        "hover": {"position": before},
        "definition": {"position": before},
    }
    for method, params in requests.items():
        yield method, client.ask(method, **params)[0]
