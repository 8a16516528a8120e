"""Everything a running server knows: documents, settings, the worker, the history, and what passes found.

Knows nothing of the protocol. What it wants from the client it asks of a :class:`Client`.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..ir.diagnostics import Diagnostic, Severity, TextEdit
from ..ir.source import TextSpan
from .analysis import Analysis, Publisher
from .buffer_history import BufferHistory, buffer_history, remember_hand_edit
from .documents import Document, Documents, difference
from .executor import SingleThread
from .extensions import Extensions
from .features.diagnostics import diagnostics
from .features.history import Fate, RememberedStep, RemovedValue, ValueEvent, fate, removed_values, value_events
from .features.pipeline_comment import pipeline_comment
from .folders import Folders
from .history import History, StepDetails, StepRecord, content_hash, default_folder
from .jobs import CompareTexts, PassesOutcome, Prepare, RunPasses, WouldChange
from .outcome_memory import OutcomeMemory
from .pass_calls import PassCall, PassCallError, parse_pipeline
from .pass_changes import OperatorCount
from .settings import Settings, read_settings
from .verification import VerifyOutcome, VerifyPasses
from .worker import JobError, Worker

if TYPE_CHECKING:
    from ..ir.snapshot import Snapshot
    from ..passes.infrastructure.extensions import ExtensionFault

__all__ = ["Client", "MovedOn", "Workspace"]

_SURVEY_SECONDS = 1.5
"""How long a request for code actions waits until it is known which passes would change the buffer."""

_TEXTS_KEPT = 4
"""For how many texts it is kept in mind which passes would change them."""

_HINTS_SHOWN = 100
_COLLECTOR_THRESHOLDS = (100_000, 20, 50)
_BEGINNING = TextSpan(0, 0)


class Client(Protocol):
    """What a workspace asks of its client."""

    def publish(self, document: Document, found: Sequence[Diagnostic]) -> None:
        """Show these diagnostics, and no others, for the document at its version."""
        ...

    def show_faults(self, path: str, faults: Sequence[ExtensionFault]) -> None:
        """Show these faults, and no others, in a user's Python file."""
        ...

    def say(self, message: str, severity: Severity) -> None:
        """Show a message to the user."""
        ...

    def log(self, message: str) -> None:
        """Write to the log that the user may look at."""
        ...

    def refresh_views(self) -> None:
        """Ask for what is shown beside the text anew: settings or the history have changed."""
        ...

    def status(self, state: str, message: str) -> None:
        """Tell whether we are at work: ``ready``, ``working`` or ``stopped``."""
        ...


class MovedOn(Exception):
    """The buffer is no longer at the version that was asked about."""


@dataclass
class _Survey:
    """Which passes would change one text, as far as that is known yet."""

    changing: dict[str, frozenset[str]]
    task: asyncio.Task[None] | None = None


class Workspace:
    """The state of one server with one client."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.documents = Documents()
        self.folders = Folders()
        self.settings = Settings()
        self.analysis = Analysis()
        self.worker = Worker()
        self.extensions = Extensions(self.worker, client.show_faults, self._read_anew)
        self.root: Path | None = None
        """The folder that the client has open."""
        self.publisher = Publisher(self.documents, self.analysis, self.diagnostics, self._publish)
        self._asking: asyncio.Task[None] | None = None
        self._storage = SingleThread("relay-history")
        self._history: History | None = None
        self._findings: dict[str, tuple[str, tuple[Diagnostic, ...]]] = {}
        self._surveys: dict[str, _Survey] = {}
        self._outcomes = OutcomeMemory()
        self._steps: dict[str, tuple[RememberedStep, ...]] = {}
        self._baselines: dict[str, str] = {}

    # Settings

    def configure(self, given: object) -> None:
        """Take over what the client has set."""
        settings, problems = read_settings(given)
        for problem in problems:
            self.client.say(problem, Severity.WARNING)
        if settings == self.settings:
            return
        if (settings.history, settings.history_folder, settings.history_size) != (
            self.settings.history,
            self.settings.history_folder,
            self.settings.history_size,
        ):
            self._history = None
        self._surveys.clear()
        changed_extensions = settings.extensions != self.settings.extensions
        self.settings = settings
        if changed_extensions:
            self.extensions.configure(settings.extensions, self.root)
            if self.extensions.are_withheld:
                message = "relay.extensions is left aside: its code runs only in a workspace that you trust"
                self.client.say(message, Severity.INFORMATION)
        self.worker.memory_limit = settings.memory_limit << 20
        for document in self.documents:
            self.publisher.schedule(document)
        self.client.refresh_views()

    # Diagnostics

    def diagnostics(self, document: Document, snapshot: Snapshot) -> Sequence[Diagnostic]:
        """What is wrong with the text, and what passes found in it the last time it was saved."""
        found = diagnostics(
            snapshot,
            unused_values=self.settings.unused_values,
            unreachable_code=self.settings.unreachable_code,
        )
        text, from_passes = self._findings.get(document.uri, ("", ()))
        # What passes found holds for the very text they saw.
        if from_passes and text == snapshot.text:
            found = [*found, *from_passes]
        if self.extensions.are_awaited:
            return [each for each in found if each.code != "undefined-operator"]
        return found

    def _publish(self, document: Document, found: Sequence[Diagnostic]) -> None:
        self.client.publish(document, found)
        if self._asking is None or self._asking.done():
            self._asking = asyncio.get_running_loop().create_task(self._ask_about_calls())

    async def _ask_about_calls(self) -> None:
        """Learn from the worker what users' operators give in the texts that were looked at."""
        while await self.extensions.answer_calls():
            pass

    def _read_anew(self) -> None:
        """Other operators are known than before, or more of what they give: what was read of texts holds no longer."""
        self.folders.forget_snapshots()
        for document in self.documents:
            document.reopen()
            self.publisher.schedule(document)

    async def snapshot(self, uri: str) -> Snapshot | None:
        """The snapshot of an open document as it is now."""
        document = self.documents.find(uri)
        return None if document is None else await self.analysis.snapshot(document)

    async def unopened(self) -> Sequence[tuple[str, Snapshot]]:
        """The files in the workspace's folders that nobody has open, by URI."""
        opened = [document.uri for document in self.documents]
        return await self.analysis.thread.run(self.folders.snapshots, opened)

    def close(self, uri: str) -> None:
        """Forget a document."""
        self.documents.close(uri)
        self.publisher.forget(uri)
        self._findings.pop(uri, None)
        self._baselines.pop(uri, None)
        self._steps.pop(uri, None)

    # Passes

    async def run_passes(
        self,
        document: Document,
        calls: Sequence[PassCall],
        version: int | None = None,
        progress: Callable[[str], object] = lambda _: None,
    ) -> PassesOutcome:
        """What passes make of a document, worked out in the worker; the last few outcomes are kept, by content.

        Raises:
            MovedOn: the document is not, or no longer, at ``version``.
            JobError: the worker could not do it: it took too long, crashed, or was stopped.
        """
        version = document.version if version is None else version
        self._check(document, version)
        names = ", ".join(map(str, calls))
        self.client.status("working", names)
        try:
            await self.extensions.refresh()
            opt_level, instruments = self.settings.opt_level, self._instruments()
            run = RunPasses(document.text, document.name, tuple(calls), opt_level, instruments=instruments)
            job = self.extensions.job(run)
            outcome = self._outcomes.find(job)
            if outcome is None:
                outcome = await self.worker.run(job, timeout=self.settings.pass_timeout, progress=progress)
                self._outcomes.keep(job, outcome)
                for report in outcome.reports:
                    self.client.log(report)
        except JobError as error:
            self.client.status("stopped", error.message)
            raise
        if outcome.fault is not None:
            self.extensions.report(outcome.fault)
        self.client.status("ready", "")
        self._check(document, version)
        return outcome

    def _instruments(self) -> tuple[PassCall, ...]:
        """The instruments of the settings; the folders that they name are relative to that of the workspace."""
        found: list[PassCall] = []
        for call in parse_pipeline(self.settings.instruments):
            folder = call.options.get("dump_dir")
            if isinstance(folder, str) and self.root is not None:
                call = PassCall(call.name, {**call.options, "dump_dir": str(self.root / folder)})
            found.append(call)
        return tuple(found)

    async def verify(
        self,
        document: Document,
        calls: Sequence[PassCall],
        version: int | None = None,
        progress: Callable[[str], object] = lambda _: None,
    ) -> VerifyOutcome:
        """Whether passes keep what a document computes, worked out in the worker. What is wrong is shown at its place.

        Raises:
            MovedOn: the document is not, or no longer, at ``version``.
            JobError: the worker could not do it.
        """
        version = document.version if version is None else version
        self._check(document, version)
        job = VerifyPasses(document.text, document.name, tuple(calls), self.settings.opt_level)
        self.client.status("working", "comparing before and after")
        try:
            await self.extensions.refresh()
            outcome: VerifyOutcome = await self.worker.run(
                self.extensions.job(job), timeout=self.settings.pass_timeout, progress=progress
            )
        except JobError as error:
            self.client.status("stopped", error.message)
            raise
        self.client.status("ready", "")
        self._check(document, version)
        # Errors of the text itself are shown already.
        found = tuple(item for item in outcome.diagnostics if item.code.startswith(("pass-", "unknown-", "option")))
        self._take_findings(document, document.text, found)
        return outcome

    def _check(self, document: Document, version: int) -> None:
        if document.version != version or self.documents.find(document.uri) is not document:
            raise MovedOn

    def pipeline_for(self, document: Document) -> Sequence[str] | str:
        """The pipeline that the document names in a comment, or else the configured one."""
        return pipeline_comment(document.text) or self.settings.pipeline

    async def check_on_save(self, document: Document) -> tuple[TextEdit, ...]:
        """Run the configured pipeline over a saved document, and show what came of it.

        Gives the edits that are to be applied: none, unless the user has asked for that.
        """
        text = document.text
        try:
            calls = parse_pipeline(self.pipeline_for(document))
            if not calls:
                return ()
            outcome = await self.run_passes(document, calls)
        except MovedOn:
            return ()
        except PassCallError as error:
            self._take_findings(document, text, (Diagnostic("pass-failed", Severity.WARNING, str(error), _BEGINNING),))
            return ()
        except JobError as error:
            problem = Diagnostic("pass-failed", Severity.WARNING, f"the pipeline was {error}", _BEGINNING)
            self._take_findings(document, text, (problem,))
            return ()
        if self.settings.apply_on_save and outcome.changed:
            await self.remember(document.uri, text, outcome)
            return outcome.edits
        self._take_findings(document, text, tuple(self._findings_of(outcome)))
        return ()

    def _findings_of(self, outcome: PassesOutcome) -> list[Diagnostic]:
        """What failed at its place, and what would change as hints. Errors of the text itself are shown already."""
        if outcome.failed is not None:
            return [found for found in outcome.diagnostics if found.code.startswith(("pass-", "unknown-", "option"))]
        changing = ", ".join(step.name for step in outcome.steps if step.changed)
        return [
            Diagnostic("pass-would-change", Severity.HINT, f"{changing} would change this", edit.span)
            for edit in outcome.edits[:_HINTS_SHOWN]
        ]

    def _take_findings(self, document: Document, text: str, found: tuple[Diagnostic, ...]) -> None:
        self._findings[document.uri] = (text, found)
        self.publisher.schedule(document)

    async def passes_that_change(self, document: Document, wait: bool) -> Mapping[str, frozenset[str]]:
        """The registered passes that would change the document as it is, each with the functions that it would.

        It is worked out once for each text, pass after pass. With ``wait``, some time is given to it now.
        """
        key = document.text
        survey = self._surveys.get(key)
        if survey is None:
            if not wait:
                return {}
            survey = self._surveys[key] = _Survey({})
            survey.task = asyncio.create_task(self._survey(document.text, document.name, survey))
            while len(self._surveys) > _TEXTS_KEPT:
                oldest = self._surveys.pop(next(iter(self._surveys)))
                if oldest.task is not None:
                    oldest.task.cancel()
        if wait and survey.task is not None:
            await asyncio.wait({survey.task}, timeout=_SURVEY_SECONDS)
        return dict(survey.changing)

    async def _survey(self, text: str, name: str, survey: _Survey) -> None:
        names = await self.analysis.thread.run(_passes_without_required_options)
        names += [
            described["name"]
            for described in self.extensions.passes
            if all(option["default"] is not None for option in described["options"])
        ]
        for candidate in names:
            if not any(document.text == text for document in self.documents):
                # Nobody looks at this text any more. Should it come back, the work begins anew.
                self._surveys.pop(text, None)
                return
            job = WouldChange(text, name, PassCall(candidate), self.settings.opt_level)
            with contextlib.suppress(JobError):
                changed = await self.worker.run(self.extensions.job(job), timeout=self.settings.pass_timeout)
                if changed is not None:
                    survey.changing[candidate] = changed

    # History

    async def remember(self, uri: str, before: str, outcome: PassesOutcome) -> None:
        """Keep the steps of a pipeline whose result was put into the buffer."""
        if self.settings.history:
            await self._storage.run(self._record, uri, before, outcome)
            await self.recall(uri, outcome.text)
            self.client.refresh_views()

    def _record(self, uri: str, before: str, outcome: PassesOutcome) -> None:
        store = self._store()
        baseline = self._baselines.get(uri)
        if baseline is not None and baseline != before:
            steps = self._steps[uri]
            remember_hand_edit(store, baseline, before, steps[-1].origins if steps else ())
        run = uuid.uuid4().hex
        for step in outcome.steps:
            if step.changed:
                details = StepDetails(
                    *(str(step.call), step.call.function, self.settings.opt_level, run, dict(step.operators)),
                    removed=step.removed,
                )
                store.record(step.name, before, step.text, step.seconds, step.origins, details)
                before = step.text

    def _store(self) -> History:
        """The history. Only the storage thread asks for it, and what is wrong with its file is told to the user."""
        if self._history is None:
            loop = self._loop

            def report(problem: str) -> None:
                if loop is not None:
                    loop.call_soon_threadsafe(self.client.say, problem, Severity.WARNING)

            folder = Path(self.settings.history_folder) if self.settings.history_folder else default_folder()
            self._history = History(folder, self.settings.history_size << 20, report)
        return self._history

    _loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Remember the event loop, and load what the first document needs while there is none yet."""
        self._loop = asyncio.get_running_loop()
        self.analysis.thread.submit(_preload)

    async def prepare(self) -> None:
        """Start the worker, so that the first pass does not wait for it."""
        with contextlib.suppress(JobError):
            await self.worker.run(Prepare())
        await self.load_extensions()

    async def load_extensions(self) -> None:
        """Load the user's passes and operators, or what was written of them since."""
        await self.extensions.refresh()

    async def steps_to(self, text: str) -> Sequence[StepRecord]:
        """The steps that led to a text."""
        if not self.settings.history:
            return ()
        return await self._storage.run(lambda: self._store().steps_to(text))

    async def buffer_history(self, document: Document) -> BufferHistory:
        """The steps on a buffer."""
        if not self.settings.history:
            return BufferHistory()
        text, baseline = document.text, self._baselines.get(document.uri)
        return await self._storage.run(lambda: buffer_history(self._store(), text, baseline))

    async def remembered_steps(self, numbers: Sequence[int]) -> Sequence[StepRecord | None]:
        """The steps of these numbers, as far as they are remembered."""
        return await self._storage.run(lambda: [self._store().step(number) for number in numbers])

    async def compare(
        self, before: str, after: str, name: str, progress: Callable[[str], object] = lambda _: None
    ) -> Sequence[OperatorCount]:
        """The operators of which one text calls more than the other.

        Raises:
            JobError: the worker could not do it.
        """
        await self.extensions.refresh()
        job = self.extensions.job(CompareTexts(before, after, name))
        return await self.worker.run(job, timeout=self.settings.pass_timeout, progress=progress)

    async def remembered_text(self, step: int, side: str) -> str | None:
        """The text before or after a step of the history."""

        def read() -> str | None:
            record = self._store().step(step)
            if record is None:
                return None
            return self._store().text(record.before if side == "before" else record.after)

        return await self._storage.run(read)

    async def clear_history(self) -> None:
        """Forget what passes did."""
        self._baselines.clear()
        self._steps.clear()
        await self._storage.run(lambda: self._store().clear())

    def events(self, uri: str, text: str, span: TextSpan) -> tuple[ValueEvent, ...]:
        """What passes did to the value at ``span`` of a document's text.

        A text that was edited since is not the one that is remembered; what the edits did not touch still is.
        """
        baseline = self._baselines.get(uri)
        if baseline is None:
            return ()
        edited, new_text = difference(baseline, text)
        shift = len(new_text) - (edited.end - edited.start)
        if span.start >= edited.end + shift:
            span = span.shifted(-shift)
        elif span.end > edited.start:
            return ()
        return value_events(self._steps[uri], span)

    def removed(self, uri: str, function: str) -> tuple[RemovedValue, ...]:
        """What passes removed from a function on the way to a document's text."""
        return removed_values(self._steps.get(uri, ()), function)

    def steps_of(self, uri: str) -> Sequence[RememberedStep]:
        """The steps that led to the last text of a document that is remembered."""
        return self._steps.get(uri, ())

    def steps_since(self, uri: str, step: int) -> Sequence[RememberedStep]:
        """The steps that led to a document's text, from the one of this number on; none where it is not among them."""
        steps = self._steps.get(uri, ())
        numbers = [each.id for each in steps]
        return steps[numbers.index(step) :] if step in numbers else ()

    async def fate(self, uri: str, steps: Sequence[RememberedStep], offset: int) -> tuple[TextSpan, Fate] | None:
        """The value at ``offset`` of the text before the first of ``steps``, and what became of it.

        Its places in the buffer are left out where they were edited since.
        """
        span = await self.analysis.thread.run(_value_at, steps[0].before, offset)
        if span is None:
            return None
        found = fate(steps, span)
        document, baseline = self.documents.find(uri), self._baselines.get(uri)
        if document is None or baseline is None:
            return None
        edited, new_text = difference(baseline, document.text)
        shift = len(new_text) - (edited.end - edited.start)
        places = tuple(
            place if place.end <= edited.start else place.shifted(shift)
            for place in found.spans
            if place.end <= edited.start or place.start >= edited.end
        )
        return span, replace(found, spans=places)

    async def recall(self, uri: str, text: str) -> None:
        """Look up how the text of a document came to be: once when it is opened, and after each pass."""
        if not self.settings.history:
            return
        steps = await self._storage.run(self._remembered_steps, text)
        if steps is not None:
            self._baselines[uri], self._steps[uri] = text, steps
        else:
            self._baselines.pop(uri, None)
            self._steps.pop(uri, None)

    def _remembered_steps(self, text: str) -> tuple[RememberedStep, ...] | None:
        """The steps that led to a text: none where it is the first of its history, ``None`` where it has none."""
        store = self._store()
        if store.text(content_hash(text)) is None:
            return None
        found: list[RememberedStep] = []
        for record in store.steps_to(text):
            before, after = store.text(record.before), store.text(record.after)
            if before is not None and after is not None:
                removed = [(start, end) for start, end in record.details.removed]
                found.append(RememberedStep(record.pass_name, before, after, record.origins, record.id, removed))
        return tuple(found)

    def shut_down(self) -> None:
        """Stop the worker and the threads."""
        self.worker.restart()
        self.extensions.withdraw()
        self.analysis.thread.shutdown()
        self._storage.shutdown()

    @property
    def pipelines(self) -> Mapping[str, tuple[str, ...]]:
        """The pipelines that have a name."""
        return self.settings.pipelines


def _passes_without_required_options() -> list[str]:
    from ..passes import registered

    return [
        name
        for name, kind in registered().items()
        if not any(option.required for option in kind.declaration().options.values())
    ]


def _value_at(text: str, offset: int) -> TextSpan | None:
    """Where the value stands that the cursor is on: for a name that is bound here, the value that it is bound to."""
    from ..ir.snapshot import Snapshot

    snapshot = Snapshot.open(text, "history")
    expr = snapshot.expr_at(offset)
    return None if expr is None else snapshot.span_of(expr)


def _preload() -> None:
    """Import what the first snapshot needs, and tell the collector that it is there to stay.

    A text becomes hundreds of thousands of objects that live as long as it does. Looking through them again and again
    for garbage, as Python would by default, takes as long as making them.
    """
    from ..ir import ops, snapshot  # noqa: F401

    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECTOR_THRESHOLDS)
