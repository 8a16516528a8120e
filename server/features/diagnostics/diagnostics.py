"""The diagnostics of a buffer, with hints about unused values and unreachable code."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from relay_lsp.ir.diagnostics import MOST_DIAGNOSTICS, Diagnostic, Severity, in_order, shortened
from relay_lsp.ir.internal_errors import internal_error
from relay_lsp.ir.semantic.lints.stale_type_comments import stale_type_comments
from relay_lsp.ir.semantic.lints.unreachable import uncalled_functions, unreachable
from relay_lsp.ir.semantic.lints.unused import Unused
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["UNUSED_VALUE", "diagnostics"]

UNUSED_VALUE = "unused-value"


def diagnostics(
    snapshot: Snapshot, *, unused_values: bool = True, unreachable_code: bool = True, type_comments: bool = True
) -> Sequence[Diagnostic]:
    """Every finding, in the order of the text.

    Those about what does nothing, and about type comments that are not true any more, only if they are wanted.
    """
    findings = _contained("reading the text", lambda: snapshot.findings)
    unshown = _count(lambda: snapshot.unplaced_findings)
    most = functions = MOST_DIAGNOSTICS
    are_hints_shown = sum(item.severity is not Severity.HINT for item in findings) < MOST_DIAGNOSTICS
    if unused_values and unreachable_code:
        most, functions = _shares(snapshot) if are_hints_shown else (0, 0)
    if unused_values and are_hints_shown:
        more: list[int] = []

        def with_hints() -> Sequence[Diagnostic]:
            shown, left = snapshot.diagnostics_with_hints(most)
            more.append(left)
            return shown

        findings = _contained("reading the text", with_hints)
        unshown += sum(more)
    elif unused_values:  # none of these hints would be shown
        unshown += _count(lambda: len(snapshot.unused_values))
    hints: Sequence[Diagnostic] = ()
    if unreachable_code:
        hints = _contained("looking for unreachable code", lambda: unreachable(snapshot, functions))
        unshown += _count(lambda: max(0, len(uncalled_functions(snapshot)) - functions))
    stale = _contained("comparing type comments", lambda: stale_type_comments(snapshot)) if type_comments else ()
    return _bounded(in_order((*findings, *hints, *stale)) if hints or stale else findings, unshown)


def _shares(snapshot: Snapshot) -> tuple[int, int]:
    """How many of the hints about unused values, and of those about functions that nothing calls, may be shown.

    They are as bad, so the first of both are: a text may have a thousand of each, and most keys move them all.
    """
    try:
        unused, uncalled = snapshot.unused_values, uncalled_functions(snapshot)
        if len(unused) + len(uncalled) <= MOST_DIAGNOSTICS:
            return MOST_DIAGNOSTICS, MOST_DIAGNOSTICS
        values = sorted([value.start for value in _first(unused)])
        functions = [start for _, start in uncalled]
    except Exception:  # what is at fault is reported where they are asked for
        return MOST_DIAGNOSTICS, MOST_DIAGNOSTICS
    last = sorted([*values, *functions])[MOST_DIAGNOSTICS - 1]
    return bisect_right(values, last), bisect_right(functions, last)


def _first(unused: Sequence[Unused]) -> Sequence[Unused]:
    """The values of which hints may be shown: where in its statement a name stands takes long to find for all."""
    bases = sorted([value.base for value in unused])
    last = bases[min(MOST_DIAGNOSTICS, len(bases)) - 1] if bases else 0
    return [value for value in unused if value.base <= last]


def _contained(doing: str, find: Callable[[], Iterable[Diagnostic]]) -> Sequence[Diagnostic]:
    """What ``find`` gives; a fault of ours in it costs its findings and nothing else."""
    try:
        gathered = find()
        return gathered if isinstance(gathered, tuple) else tuple(gathered)
    except Exception as error:
        return (internal_error(error, doing, TextSpan(0, 0)),)


def _count(count: Callable[[], int]) -> int:
    """What ``count`` gives; where a fault of ours keeps it from that, the findings that are shown are enough."""
    try:
        return count()
    except Exception:
        return 0


def _bounded(findings: Sequence[Diagnostic], unshown: int) -> Sequence[Diagnostic]:
    """No more findings than an editor shows in a list; errors come first where some must go.

    There are as many besides them as are ``unshown``.
    """
    count = len(findings) + unshown
    kept = _worst(findings, MOST_DIAGNOSTICS) if len(findings) > MOST_DIAGNOSTICS else findings
    texts = [shortened(finding.message) for finding in kept]
    if any(text is not finding.message for text, finding in zip(texts, kept, strict=True)):
        kept = [replace(finding, message=text) for text, finding in zip(texts, kept, strict=True)]
    if count <= MOST_DIAGNOSTICS:
        return kept
    more = f"and {count - MOST_DIAGNOSTICS:,} more: a document shows {MOST_DIAGNOSTICS:,} at most"
    return [*kept, Diagnostic("too-many-diagnostics", Severity.INFORMATION, more, kept[-1].span)]


def _worst(findings: Sequence[Diagnostic], count: int) -> Sequence[Diagnostic]:
    """So many of the findings, which are more, in their order: the worst, and of those that are as bad the first."""
    severities = [finding.severity for finding in findings]
    last, left = Severity.ERROR, count
    while (number := severities.count(last)) < left:
        last, left = Severity(last + 1), left - number
    kept: list[Diagnostic] = []
    for finding, severity in zip(findings, severities, strict=True):
        if severity < last or (severity is last and left > 0):
            kept.append(finding)
            left -= severity is last
    return kept
