"""What the worker can be asked to do: from a text to what passes make of it. Nothing here knows of editors.

Trees are not worth sending between processes (writing and reading one takes longer than parsing the text), so a job
carries text, and its result carries text, edits and diagnostics with offsets.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from relay_lsp.ir.diagnostics import TextEdit, apply_edits, with_line_ends_of
from relay_lsp.ir.text.text_span import TextSpan

from ..pass_calls import PassCall
from ..pass_contexts import ContextOptions
from .kept_comments import with_carried_comments
from .pass_changes import (
    OperatorCount,
    PassChanges,
    Places,
    SpanLayers,
    changed_functions,
    operator_counts,
    pass_changes,
)
from .pass_outcomes import PassesOutcome, StepOutcome
from .pass_runs import INFER_TYPE, PassRun, RunStep, gives_spans, run_passes
from .read_texts import open_snapshot, places_in, places_of
from .remarks import placed_remarks
from .step_texts import StepText, step_texts
from .worker_process import Progress

if TYPE_CHECKING:
    from relay_lsp.ir.module import IRModule
    from relay_lsp.ir.syntax import Parsed

__all__ = ["CompareTexts", "Prepare", "RunPasses", "WouldChange", "cannot_write"]


@dataclass(frozen=True)
class Prepare:
    """Load what passes need, which takes longer than most of them do."""

    def run(self, progress: Progress) -> None:
        """Import every pass."""
        import relay_lsp.ir.semantic.snapshot  # noqa: F401  # pyright: ignore[reportUnusedImport]
        from relay_lsp.passes import registered

        registered()


@dataclass(frozen=True)
class RunPasses:
    """Run passes over a text, each on what the one before it made. Those named run whatever their level."""

    text: str
    name: str
    calls: tuple[PassCall, ...]
    opt_level: int = 3
    provenance: bool = False
    """Whether comments behind the statements of the result tell where their values come from."""
    instruments: tuple[PassCall, ...] = ()
    """The instruments of the context that the passes run in, by name, with options."""
    layers: SpanLayers = ()
    """What is known, apart from its comments, of where the values of the text came from."""
    context: ContextOptions | None = None
    """The context that the passes run in; without one, all that are named run, at ``opt_level``."""
    remarks: bool = False
    """Whether the passes say what they did and did not, and why."""
    with_steps: bool = True
    """Whether it is worked out what each step made of what, for a caller who shows or keeps that."""
    with_changes: bool = True
    """Whether it is worked out what of the old text became what of the new, for a caller who shows that."""

    def run(self, progress: Progress) -> PassesOutcome:
        """Run them. A pass that refuses, or a text that has errors, is a diagnostic of the outcome."""
        from relay_lsp.ir.garbage_collection import without_collection

        reports: list[str] = []
        try:
            with without_collection():
                outcome = self._run(progress, reports)
        except OSError as error:
            # An instrument that writes files; passes do not.
            outcome = PassesOutcome(self.text, failed=cannot_write(error))
        return replace(outcome, reports=tuple(reports))

    def _run(self, progress: Progress, reports: list[str]) -> PassesOutcome:
        from relay_lsp.ir.semantic.lints.stale_type_comments import trust_type_comments, type_comment_updates
        from relay_lsp.passes.text_edits import edited_text, followed_by, kept_pieces, written_spans

        def read(text: str) -> Parsed:
            return open_snapshot(text, self.name, with_spans=False).parsed

        run = run_passes(
            *(self.text, self.name, self.calls, self.opt_level, progress, self.instruments, reports),
            known_layers=self.layers,
            options=self.context,
            remarks=self.remarks,
        )
        if isinstance(run, PassesOutcome):
            return run
        remarks = tuple(placed_remarks(run.trace, run.parsed, self.text)) if self.remarks else ()
        progress("writing the text")
        # Where places in the new text are wanted, its reading is kept for them.
        readers = (read,) if self.with_steps or self.with_changes else ()
        edited = edited_text(self.text, run.parsed, run.module, run.trace, *readers) if run.changing else None
        edits = with_line_ends_of(self.text, edited.edits) if edited is not None else ()
        edits = with_carried_comments(self.text, self.name, edits, run)
        keeps_types = any("/* ty=" in piece for piece in kept_pieces(self.text, edits))
        if keeps_types and not (edited is not None and edited.states_its_types):
            # What the passes left alone keeps its bytes, and may have another type all the same.
            snapshot = open_snapshot(apply_edits(self.text, edits), self.name, with_spans=False)
            trust_type_comments(snapshot, written_spans(edits))
            edits = followed_by(edits, type_comment_updates(snapshot))
        if any(map(gives_spans, run.changing)):
            edits = followed_by(edits, _span_edits(run, self.name, apply_edits(self.text, edits)))
        text = apply_edits(self.text, edits)

        known_places = edited.places if edited is not None and edited.text == text else None

        def new_places(module: IRModule) -> Places:
            """Where the expressions of the result, or of an equal module, stand in its text."""
            if known_places is not None and module is run.module:
                return known_places
            return places_in(text, self.name, module)

        if edits and not self.provenance and run.stated_layers:
            comments = _layer_edits(run, text, new_places, written_spans(edits))
            edits = followed_by(edits, comments)
            text = apply_edits(self.text, edits)
            known_places = _moved_places(known_places, comments)
        texts = step_texts(run, text, new_places) if edits and self.with_steps else {}
        outcomes = (*(_step_outcome(step, step in run.changing, texts) for step in run.steps), *run.skipped)
        changes = PassChanges()
        if edits and self.with_changes:
            places = new_places(run.module)
            changes = pass_changes(run.parsed.module, run.module, run.trace, places_of(run.parsed), places)
        if self.provenance:
            text = _with_provenance(run, text, partial(places_in, text, self.name))
            edits = (TextEdit(TextSpan(0, len(self.text)), text),) if text != self.text else ()
        return PassesOutcome(text, edits, outcomes, changes=changes, remarks=remarks, by_name=run.by_name)


def _moved_places(places: Places | None, edits: Sequence[TextEdit]) -> Places | None:
    """The places when edits of comments have been made."""
    from relay_lsp.passes.text_edits import moved_by

    if places is None or not edits:
        return places
    moved = moved_by(edits)
    return lambda expr: None if (place := places(expr)) is None else moved(place)


def cannot_write(error: OSError) -> str:
    """What is said where an instrument cannot write."""
    where = "an editor's instruments write in the open folders, and in other folders that are there already"
    return f"an instrument cannot write: {error}{f' ({where})' if isinstance(error, PermissionError) else ''}"


def _with_provenance(run: PassRun, text: str, places: Callable[[IRModule], Places]) -> str:
    """The text with comments of all that is known of where its values come from.

    ``places`` tells where the expressions of a module that the text says stand in it. The comments may stand behind
    variables and bindings, whose places are those of a reading.
    """
    from relay_lsp.passes.layers import provenance_edits

    return apply_edits(text, provenance_edits(run.parsed, run.trace, run.module, text, places(run.module)))


def _layer_edits(
    run: PassRun, text: str, places: Callable[[IRModule], Places], written: Sequence[TextSpan]
) -> tuple[TextEdit, ...]:
    """The edits after which the comments of new statements name their layers, and those of values that passes joined
    name all of them. ``written`` are the spans of the text that the passes wrote."""
    from relay_lsp.passes.layers import completing_edits, layer_edits

    placed = places(run.module)
    new = layer_edits(run.trace, run.module, text, placed, written)
    return tuple(
        sorted((*new, *completing_edits(run.trace, run.module, text, placed)), key=lambda edit: edit.span.start)
    )


def _span_edits(run: PassRun, name: str, text: str) -> tuple[TextEdit, ...]:
    """The edits of the text of a result that write behind values the spans that passes gave them."""
    from relay_lsp.passes.layers import span_edits

    return span_edits(run.module, text, places_in(text, name, run.module))


@dataclass(frozen=True)
class WouldChange:
    """Ask what a pass would change in a text, without working out how. What the pass prints is not wanted."""

    text: str
    name: str
    call: PassCall
    opt_level: int = 3

    def run(self, progress: Progress) -> frozenset[str] | None:
        """The functions, such as ``@main``, that it would change, add or take away; ``None`` where there are none.

        A pass that refuses changes nothing, and neither does one that only works out types that were not stated.
        """
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            run = run_passes(self.text, self.name, (self.call,), self.opt_level, progress)
        if not isinstance(run, PassRun) or not run.changing:
            return None
        first = run.steps[0]
        # An edit does not write out the types that a pass needs to have inferred, so they are no change.
        before = first.after if first.name == INFER_TYPE else run.parsed.module
        return frozenset(f"@{name}" for name in changed_functions(before, run.module)) or None


@dataclass(frozen=True)
class CompareTexts:
    """Count the operators of two texts."""

    before: str
    after: str
    name: str

    def run(self, progress: Progress) -> tuple[OperatorCount, ...]:
        """Those of which there are more or fewer in ``after``. Of a broken text, what could be read counts."""
        texts = (self.before, self.after)
        before, after = (open_snapshot(text, self.name, with_spans=False).parsed.module for text in texts)
        return tuple(operator_counts(before, after))


def _step_outcome(step: RunStep, changed: bool, texts: Mapping[RunStep, StepText]) -> StepOutcome:
    if not changed:
        return StepOutcome(step.name, step.call, False, step.trace.seconds)
    operators = {count.name: count.after - count.before for count in operator_counts(step.before, step.after)}
    return StepOutcome(step.name, step.call, True, step.trace.seconds, operators, *texts.get(step, StepText()))
