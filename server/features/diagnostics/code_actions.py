"""Changes that are offered at a place: what mends a diagnostic, and the passes that would change the buffer."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from relay_lsp.ir.diagnostics import Diagnostic, Fix, Severity, TextEdit
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["PassAction", "QuickFix", "edits_of_all", "fix_all", "fix_all_of_kind", "pass_actions", "quick_fixes"]


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


def quick_fixes(diagnostics: Sequence[Diagnostic], span: TextSpan) -> Iterator[QuickFix]:
    """The fixes of the diagnostics that touch ``span``, and those that would change what ``span`` touches.

    A wrong ``axis`` is reported at the argument that does not fit it; a user may look at either.
    """

    def touches(other: TextSpan) -> bool:
        return other.start <= span.end and span.start <= other.end

    for diagnostic in diagnostics:
        if diagnostic.span is None:
            continue
        is_here = touches(diagnostic.span)
        for fix in diagnostic.fixes:
            if is_here or any(touches(edit.span) for edit in fix.edits):
                yield QuickFix(fix, diagnostic, preferred=len(diagnostic.fixes) == 1)


def fix_all(diagnostics: Sequence[Diagnostic], at_least: int = 2) -> Fix | None:
    """All fixes at once, of the errors and warnings that have exactly one; of two that overlap, the first.

    ``None`` where there are fewer edits than ``at_least``. A hint is no fault: what it proposes is done only where the
    user asks for it.
    """
    return _all("Fix everything that can be fixed", _faults(diagnostics), at_least)


def edits_of_all(diagnostics: Sequence[Diagnostic]) -> Sequence[TextEdit]:
    """The edits of :func:`fix_all`, also where there is but one, in the order of the text."""
    return sorted(_edits(_faults(diagnostics)), key=lambda edit: edit.span)


def _faults(diagnostics: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity <= Severity.WARNING]


def _all(title: str, diagnostics: Sequence[Diagnostic], at_least: int = 2) -> Fix | None:
    edits = _edits(diagnostics)
    if len(edits) < at_least:
        return None
    return Fix(title, tuple(sorted(edits, key=lambda edit: edit.span)))


def _edits(diagnostics: Sequence[Diagnostic]) -> list[TextEdit]:
    edits: list[TextEdit] = []
    taken: list[TextSpan] = []  # the ranges of these, in order: as no two overlap, neighbours alone are compared
    for diagnostic in diagnostics:
        if len(diagnostic.fixes) == 1:
            fix = diagnostic.fixes[0]
            if not any(_is_taken(new.span, taken) for new in fix.edits):
                edits += fix.edits
                for new in fix.edits:
                    insort(taken, new.span)
    return edits


def _is_taken(span: TextSpan, taken: Sequence[TextSpan]) -> bool:
    """Whether a range overlaps one of some, which are in order."""
    at = bisect_left(taken, span)
    if at and _overlap(span, taken[at - 1]):
        return True
    return at < len(taken) and _overlap(span, taken[at])


def fix_all_of_kind(diagnostics: Sequence[Diagnostic], span: TextSpan) -> Iterator[tuple[str, Fix]]:
    """For each kind of diagnostic that touches ``span``: its code, and the fixes of all of this kind at once."""
    codes = dict.fromkeys(fix.diagnostic.code for fix in quick_fixes(diagnostics, span) if fix.preferred)
    for code in codes:
        title = f"Fix every {code.replace('-', ' ')} in this file"
        everything = _all(title, [diagnostic for diagnostic in diagnostics if diagnostic.code == code])
        if everything is not None:
            yield code, everything


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
