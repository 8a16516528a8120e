"""Changes that are offered at a place: what mends a diagnostic, and the passes that would change the buffer."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from relay_lsp.ir.diagnostics import Diagnostic, Fix, Severity, TextEdit
from relay_lsp.ir.text.text_span import TextSpan

__all__ = [
    "PassAction",
    "QuickFix",
    "are_edits_of_all",
    "edits_of_all",
    "kinds_to_fix",
    "near",
    "pass_actions",
    "quick_fixes",
]


class QuickFix(msgspec.Struct, frozen=True):
    """A fix of a diagnostic. The only one that a diagnostic has is preferred."""

    fix: Fix
    diagnostic: Diagnostic
    preferred: bool


class PassAction(msgspec.Struct, frozen=True):
    """Passes that can be run over the buffer. What they change is worked out when the action is chosen."""

    title: str
    passes: tuple[str, ...]
    is_pipeline: bool = False
    function: str = ""
    """The one function that is to be changed; empty for all."""


def near(diagnostics: Sequence[Diagnostic], span: TextSpan) -> Sequence[Diagnostic]:
    """The diagnostics that touch ``span``. What mends one elsewhere is not worked out where only these are asked."""
    return [each for each in diagnostics if each.span is not None and _touch(each.span, span)]


def quick_fixes(diagnostics: Sequence[Diagnostic], span: TextSpan) -> Iterator[QuickFix]:
    """The fixes of the diagnostics that touch ``span``, and those that would change what ``span`` touches.

    A wrong ``axis`` is reported at the argument that does not fit it; a user may look at either.
    """
    for diagnostic in diagnostics:
        if diagnostic.span is None:
            continue
        is_here = _touch(diagnostic.span, span)
        for fix in diagnostic.fixes:
            if is_here or any(_touch(edit.span, span) for edit in fix.edits):
                yield QuickFix(fix, diagnostic, preferred=len(diagnostic.fixes) == 1)


def edits_of_all(diagnostics: Sequence[Diagnostic], code: str = "") -> Sequence[TextEdit]:
    """The edits of all fixes at once, of the errors and warnings that have exactly one, in the order of the text.

    Of two that overlap, the first is taken. A hint is no fault: what it proposes is done only where the user asks for
    it, as with ``code``, for all findings of this kind.
    """
    return sorted(_edits(_mended(diagnostics, code)), key=lambda edit: edit.span)


def are_edits_of_all(diagnostics: Sequence[Diagnostic], at_least: int) -> bool:
    """Whether :func:`edits_of_all` gives at least so many edits; no more fixes are worked out than tell it."""
    return _are_as_many(_edits(_mended(diagnostics)), at_least)


def _mended(diagnostics: Sequence[Diagnostic], code: str = "") -> Sequence[Diagnostic]:
    return [each for each in diagnostics if (each.code == code if code else each.severity <= Severity.WARNING)]


def _are_as_many(edits: Iterator[TextEdit], at_least: int) -> bool:
    return sum(1 for _ in islice(edits, at_least)) == at_least


def _edits(diagnostics: Sequence[Diagnostic]) -> Iterator[TextEdit]:
    taken: list[TextSpan] = []  # the ranges of edits, in order: as no two overlap, neighbours alone are compared
    for diagnostic in diagnostics:
        if len(diagnostic.fixes) == 1:
            fix = diagnostic.fixes[0]
            if not any(_is_taken(new.span, taken) for new in fix.edits):
                yield from fix.edits
                for new in fix.edits:
                    insort(taken, new.span)


def _is_taken(span: TextSpan, taken: Sequence[TextSpan]) -> bool:
    """Whether a range overlaps one of some, which are in order."""
    at = bisect_left(taken, span)
    if at and _overlap(span, taken[at - 1]):
        return True
    return at < len(taken) and _overlap(span, taken[at])


def kinds_to_fix(diagnostics: Sequence[Diagnostic], here: Iterable[QuickFix]) -> Iterator[tuple[str, str]]:
    """For each kind of diagnostic that is mended ``here`` and elsewhere: its code, and what mending all is called."""
    for code in dict.fromkeys(fix.diagnostic.code for fix in here if fix.preferred):
        if _are_as_many(_edits(_mended(diagnostics, code)), 2):
            yield code, f"Fix every {code.replace('-', ' ')} in this file"


def _touch(first: TextSpan, second: TextSpan) -> bool:
    return first.start <= second.end and second.start <= first.end


def _overlap(first: TextSpan, second: TextSpan) -> bool:
    if first == second:
        return True
    return first.start < second.end and second.start < first.end


def pass_actions(
    changing: Mapping[str, Collection[str]],
    function: str,
    pipeline: Sequence[str],
    pipelines: Mapping[str, tuple[str, ...]],
) -> Iterator[PassAction]:
    """An action for each pass that would change the buffer, for the configured pipeline and for each named one.

    ``changing`` has for each pass the functions that it would change. Where ``function``, the one that the cursor is
    in, is one of several, the pass is offered for it alone as well.
    """
    for name, functions in changing.items():
        if function in functions and len(functions) > 1:
            yield PassAction(f"Run pass {name} on {function}", (name,), function=function)
        yield PassAction(f"Run pass {name}", (name,))
    if pipeline:
        yield PassAction(f"Run pipeline ({', '.join(pipeline)})", tuple(pipeline), is_pipeline=True)
    for name, steps in pipelines.items():
        yield PassAction(f"Run pipeline {name}", steps, is_pipeline=True)
