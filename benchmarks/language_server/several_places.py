"""Edits that change several places of a text in one message: cursors, a rename, what is replaced everywhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from relay_lsp.ir.diagnostics import TextEdit, apply_edits
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.passes.text_edits import written_spans

from ..client import Client
from .figures import Figure, percentile_95
from .shapes import SHAPES
from .targets import Target

__all__ = ["measure_several_places"]

_GOAL_OF_CURSORS: Final = {1_000: 25.0, 10_000: 50.0, 100_000: 100.0}
_SECONDS: Final = 0.5
_SECONDS_PER_MEGABYTE: Final = 1.0
"""What is changed everywhere has to be read again as a whole, which has the goal of any text."""
_OPERATOR: Final = re.compile(r"\b(?:nn\.\w+|add|multiply)(?=\()")
_NUMBER: Final = re.compile(r"(?<=%)\d+\b")
_LINE: Final = re.compile(r"^(?=.)", re.MULTILINE)


def measure_several_places(sizes: Sequence[int], repeat: int, target: Target, shapes: str) -> Iterator[Figure]:
    """A row for each shape and kind of edit, there and back, until the diagnostics of all of it are there."""
    for size in sizes:
        for shape in SHAPES:
            if shapes not in shape.name:
                continue
            text = shape.text(size)
            client = target.start()
            client.initialize()
            client.open(text)
            client.settle()
            for what, places in _edits(text).items():
                if not places:
                    continue  # a text whose values have no numbers
                goal, often = _GOAL_OF_CURSORS.get(size), repeat
                if what.startswith("every"):
                    goal, often = (_SECONDS + len(text) / 1e6 * _SECONDS_PER_MEGABYTE) * 1000, 1
                yield _measure(f"{shape.name}: {what}", size, often, client, goal, text, places)
            client.close()


def _edits(text: str) -> Mapping[str, Sequence[TextEdit]]:
    operators = [TextSpan(*match.span()) for match in _OPERATOR.finditer(text)]
    ten = [operators[number * (len(operators) - 1) // 9] for number in range(10)]
    lines = [TextSpan(*match.span()) for match in _LINE.finditer(text)][1:-1]
    first = text[slice(*operators[0])]
    return {
        "a letter, cursors at both ends": _typed((operators[0], operators[-1]), "y"),
        "a letter, ten cursors": _typed(ten, "y"),
        "a comment above, ten cursors": [TextEdit(TextSpan(at, at), "// typed\n") for at in _line_starts(text, ten)],
        "every line indented": _typed(lines, "  "),
        "every line commented out": _typed(lines, "// "),
        "every call of an operator by another name": [
            TextEdit(span, "nn.typed") for span in operators if text[slice(*span)] == first
        ],
        "every number of a value by another": [
            TextEdit(TextSpan(*match.span()), f"{match[0]}0") for match in _NUMBER.finditer(text)
        ],
    }


def _typed(spans: Sequence[TextSpan], letters: str) -> Sequence[TextEdit]:
    """Letters behind each of these."""
    return [TextEdit(TextSpan(span.end, span.end), letters) for span in spans]


def _line_starts(text: str, spans: Sequence[TextSpan]) -> list[int]:
    return sorted({text.rfind("\n", 0, span.start) + 1 for span in spans})


def _measure(
    what: str, size: int, repeat: int, client: Client, goal: float | None, text: str, places: Sequence[TextEdit]
) -> Figure:
    changes = _changes(text, places)
    written = [text[slice(*place.span)] for place in places]
    undone = [TextEdit(*each) for each in zip(written_spans(places), written, strict=True)]
    back = _changes(apply_edits(text, places), undone)
    samples: list[float] = []
    cpus: list[float] = []
    for _ in range(repeat):
        for way in (changes, back):
            before = client.cpu_seconds
            sent = client.change_places(way)
            client.published(sent)
            client.settle()
            samples.append((client.published_at - sent) * 1000)
            cpus.append((client.cpu_seconds - before) * 1000)
    cpu = sum(cpus) / len(cpus)
    return Figure(what, size, samples, goal, cpu, load=os.getloadavg()[0], cpu_p95=percentile_95(cpus))


def _changes(text: str, places: Sequence[TextEdit]) -> list[tuple[int, int, int, int, str]]:
    """The places as the protocol has them, from the end of the text to its beginning, as editors send them."""
    lines = LineIndex(text)
    return [(*lines.lines_and_columns(place.span), place.new_text) for place in reversed(places)]
