"""What is wrong with the comment by which a file names its pipeline, without running it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.syntax.suggestions import replacement

from ...pass_calls import PassCall, PassCallError, parse_pipeline
from ...pass_contexts import ContextOptions, read_context_comment, unknown_passes
from .pipeline_comment import pipeline_comment, pipeline_context, pipeline_place

__all__ = ["at_pipeline", "fault_of_pipeline", "faults_of_pipeline"]

_NO_CONTEXT = ContextOptions()


def faults_of_pipeline(
    text: str, context: ContextOptions = _NO_CONTEXT, of_extensions: Collection[str] = ()
) -> tuple[Diagnostic, ...]:
    """The names in the comment of a text that no pass has, and the options that ours do not take so.

    Passes are imported where the comment names any: not on the event loop.

    Args:
        text: the whole file.
        context: what the comment adds to.
        of_extensions: the names of passes that another process knows; their options are left to it.
    """
    try:
        calls = parse_pipeline(pipeline_comment(text) or ())
        own = read_context_comment(pipeline_context(text), context)
    except PassCallError as error:
        return (fault_of_pipeline(text, str(error)),)
    named = {*own.required, *own.disabled} - {*context.required, *context.disabled}
    named.update(call.name for call in calls)
    unknown = [
        at_pipeline(text, Diagnostic("unknown-pass", Severity.ERROR, each.message, data=each.near))
        for each in unknown_passes(sorted(named), of_extensions)
    ]
    return (*unknown, *_faults_of_options(text, calls, of_extensions))


def fault_of_pipeline(text: str, message: str) -> Diagnostic:
    """Why the pipeline of a text cannot be read or run, at its comment."""
    return Diagnostic("pass-failed", Severity.WARNING, message, pipeline_place(text, message))


def at_pipeline(text: str, finding: Diagnostic, number: int | None = None) -> Diagnostic:
    """What passes say about their names or options, at the comment; with a fix where a near name is known.

    It may be said of the pass of a ``number`` in the comment, from 0.
    """
    span = pipeline_place(text, finding.message, number)
    fixes = (replacement(span, finding.data),) if isinstance(finding.data, str) else ()
    return replace(finding, span=span, place=None, fixes=fixes)


def _faults_of_options(text: str, calls: Sequence[PassCall], of_extensions: Collection[str]) -> Iterator[Diagnostic]:
    for number, call in enumerate(calls):
        from relay_lsp.passes.infrastructure.errors import PassError  # not loaded where no pass is named
        from relay_lsp.passes.infrastructure.registry import create, find

        if call.name not in of_extensions and find(call.name) is not None:
            try:
                create(call.name, **call.options)
            except PassError as error:
                yield from (at_pipeline(text, each, number) for each in error.diagnostics)
