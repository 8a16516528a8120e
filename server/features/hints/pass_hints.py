"""What a pipeline would change, as quiet hints: one for a pass and a function, at the first operator concerned."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from relay_lsp.ir.diagnostics import Diagnostic, Related, Severity, TextEdit
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["PASS_WOULD_CHANGE", "ChangedPlaces", "pass_hints"]

PASS_WOULD_CHANGE: Final = "pass-would-change"

_DEFINITION = re.compile(r"^[ \t]*def[ \t]+(@[\w.]+)", re.MULTILINE)
_OPERATOR = re.compile(r"[A-Za-z_][\w.]*(?=\()")
_WORD = re.compile(r"[%@]?[\w.]+|\S")
_NAMES_SHOWN = 3
_RELATED = 20
"""So many of the other places are named; the message counts them all."""


class ChangedPlaces(Protocol):
    """What passes made of a text, as far as hints need it; spans are of that text."""

    @property
    def values(self) -> Sequence[_ChangedValue]:
        """New values, each with where it came from."""
        ...

    @property
    def removed(self) -> Sequence[_RemovedValue]:
        """Values that are gone."""
        ...


class _ChangedValue(Protocol):
    @property
    def sources(self) -> Sequence[TextSpan]: ...

    @property
    def passes(self) -> Sequence[str]: ...


class _RemovedValue(Protocol):
    @property
    def span(self) -> TextSpan: ...

    @property
    def pass_name(self) -> str: ...


def pass_hints(
    text: str, passes: Mapping[str, Mapping[str, int]], changes: ChangedPlaces, edits: Sequence[TextEdit]
) -> Iterator[Diagnostic]:
    """The hints about ``text``.

    Args:
        text: what the passes ran on.
        passes: those that change it, each with how many calls of an operator there are more or fewer after it.
        changes: which values they made and removed.
        edits: what they make of the text together. A pass that neither makes nor removes values is pointed out at the
            operators there that it leaves fewer of, or else at the names of the functions.
    """
    definitions = [(match.start(), TextSpan(match.start(1), match.end(1))) for match in _DEFINITION.finditer(text)]
    starts = [start for start, _ in definitions]
    for name, operators in passes.items():
        spans = set(_places(changes, name)) or set(_fewer(text, edits, operators))
        by_function: dict[int, list[TextSpan]] = {}
        for place in sorted({_narrowed(text, span) for span in spans}):
            by_function.setdefault(bisect_right(starts, place.start) - 1, []).append(place)
        for index, places in by_function.items():
            yield _hint(text, name, definitions[index][1] if index >= 0 else TextSpan(0, 0), places)
        for index in () if spans else sorted({bisect_right(starts, edit.span.start) - 1 for edit in edits}):
            if index >= 0:
                function = definitions[index][1]
                words = f"{name} would change {text[function.start : function.end]}"
                yield Diagnostic(PASS_WOULD_CHANGE, Severity.HINT, words, function)


def _places(changes: ChangedPlaces, pass_name: str) -> Iterator[TextSpan]:
    for value in changes.values:
        if pass_name in value.passes:
            yield from value.sources
    for value in changes.removed:
        if value.pass_name == pass_name:
            yield value.span


def _fewer(text: str, edits: Sequence[TextEdit], operators: Mapping[str, int]) -> Iterator[TextSpan]:
    """The calls in edited ranges of operators of which there are fewer after."""
    for edit in edits:
        for match in _OPERATOR.finditer(text, edit.span.start, edit.span.end):
            if operators.get(match[0], 0) < 0:
                yield TextSpan(match.start(), match.end())


def _narrowed(text: str, span: TextSpan) -> TextSpan:
    """The operator's name in a value, or else its first word."""
    match = _OPERATOR.match(text, span.start, span.end) or _WORD.match(text, span.start, span.end)
    return span if match is None else TextSpan(match.start(), match.end())


def _hint(text: str, pass_name: str, function: TextSpan, spans: Sequence[TextSpan]) -> Diagnostic:
    """The hint at the first operator of the kind that is changed most; what is no operator counts where none is."""
    operators = [span for span in spans if _OPERATOR.match(text, span.start)]
    counted = Counter(text[span.start : span.end] for span in operators).most_common()
    first = next((span for span in operators if text[span.start : span.end] == counted[0][0]), spans[0])
    named = [f"{count:,} {name}" for name, count in counted[:_NAMES_SHOWN]]
    others = sum(count for _, count in counted[_NAMES_SHOWN:])
    if others:
        named.append("another operator" if others == 1 else f"{others:,} other operators")
    if not named:
        named = ["a value" if len(spans) == 1 else f"{len(spans):,} values"]
    words = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    where = text[function.start : function.end] or "the text"
    related = [span for span in operators or spans if span != first][:_RELATED]
    notes = tuple(Related(f"{pass_name} would change this", span) for span in related)
    return Diagnostic(
        PASS_WOULD_CHANGE, Severity.HINT, f"{pass_name} would change {words} in {where}", first, related=notes
    )
