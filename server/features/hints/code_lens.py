"""Lines above functions: how large each is, what can be run on it, and which passes made the text.

How large a function is, is worked out when the line is shown.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

from ..navigation.function_heads import head_parameters

__all__ = ["Lens", "LensKind", "lenses", "size_of"]

_PASSES_SHOWN = 3


class LensKind(enum.Enum):
    """What a line is about; decides what a click on it does."""

    SIZE = "size"
    """How large a function is. A click does nothing."""
    PIPELINE = "pipeline"
    """A click runs the pipeline."""
    HISTORY = "history"
    """A click shows the history of the buffer."""


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of words above ``span``; without a title, :func:`size_of` gives it."""

    span: TextSpan
    kind: LensKind
    title: str = ""
    function: str = ""
    """The one function that it is about; empty for all."""
    number: int = 0
    """Which of the functions of this name, where a text defines several."""


def lenses(snapshot: Snapshot, passes: Sequence[str] = (), pipeline: Sequence[str] = ()) -> Iterator[Lens]:
    """The lines above each function.

    ``passes`` are the names of those that led to the text, in order, ``pipeline`` those that would run on it; where
    that is empty, a click shows what is wrong with it.
    """
    functions = snapshot.functions
    defined: Counter[str] = Counter()
    for function in functions:
        yield Lens(function.span, LensKind.SIZE, function=function.name, number=defined[function.name])
        defined[function.name] += 1
        if len(functions) > 1:
            yield Lens(function.span, LensKind.PIPELINE, f"Run pipeline on {function.name}", function.name)
    if functions:
        first = functions[0].span
        yield Lens(first, LensKind.PIPELINE, _run_words(pipeline))
        if passes:
            yield Lens(first, LensKind.HISTORY, _made_by(passes))


def _run_words(pipeline: Sequence[str]) -> str:
    """The first passes that a click runs by name; of those after them, how many there are."""
    if not pipeline:
        return "Run pipeline"
    shown = " → ".join(pipeline[:_PASSES_SHOWN])
    later = len(pipeline) - _PASSES_SHOWN
    return f"Run {shown}" if later <= 0 else f"Run {shown} → {_count(later, 'pass', 'passes')} more"


def _made_by(passes: Sequence[str]) -> str:
    """The last passes by name; of those before them, how many there are."""
    shown = " → ".join(passes[-_PASSES_SHOWN:])
    earlier = len(passes) - _PASSES_SHOWN
    return f"Made by {shown}" if earlier <= 0 else f"Made by {_count(earlier, 'pass', 'passes')} → {shown}"


def size_of(snapshot: Snapshot, name: str, number: int = 0) -> str | None:
    """The numbers of parameters, operators and uses of the function of this name, if there is one; ``number`` tells
    which, where a text defines several."""
    named = (function for function in snapshot.functions if function.name == name)
    function = next(islice(named, number, None), None)
    if function is None:
        return None
    operators = snapshot.count_tokens(TokenRole.OP_NAME, function.full_span)
    parts = [_count(len(head_parameters(snapshot, function)), "parameter"), _count(operators, "operator")]
    uses = set(function.uses) - {function.span}
    if uses:
        parts.append(_count(len(uses), "use"))
    return ", ".join(parts)


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"
