"""Everything a running server knows: documents, settings, the worker, the history, and what passes found.

Knows nothing of the protocol. What it wants from the client it asks of a :class:`Client`.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from relay_lsp.ir.diagnostics import Diagnostic, Severity, TextEdit
from relay_lsp.ir.internal_errors import fault_without_stack
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import Document, Documents
from ..features.diagnostics import diagnostics
from ..features.history import Fate, HistoryStep
from ..features.pass_hints import pass_hints
from ..features.pipeline_comment import pipeline_comment, pipeline_context
from ..history.service import HistoryService
from ..import_path import withhold
from ..pass_calls import PassCall, PassCallError, parse_pipeline
from ..pass_contexts import ContextOptions, read_context_comment
from ..scheduling.idle_time import IdleTime
from ..settings import Settings, read_settings
from ..worker.outcome_memory import OutcomeMemory
from ..worker.worker import JobError, Worker, WorkerDied
from .background_analysis import BackgroundAnalysis, Publisher
from .changing_passes import ChangingPasses
from .client import Client
from .extensions import Extensions
from .folders import Folders
from .models import Models
from .settings_problems import SettingsProblems
from .shown_remarks import ShownRemarks

if TYPE_CHECKING:
    from relay_lsp.ir.semantic.snapshot import Snapshot

    from ..worker.pass_changes import OperatorCount
    from ..worker.pass_outcomes import PassesOutcome
    from ..worker.reduction import ReduceOutcome
    from ..worker.tracing import ExploredRun
    from ..worker.verification import VerifyOutcome

__all__ = ["COLLECTOR_THRESHOLDS", "MovedOn", "Workspace"]

_WRITING_INSTRUMENTS = ("DumpIR",)
COLLECTOR_THRESHOLDS = (10_000, 200, 50)
_BEGINNING = TextSpan(0, 0)


class MovedOn(Exception):
    """The buffer is no longer at the version that was asked about."""


class Workspace:
    """The state of one server with one client."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.idle_time = IdleTime()
        """Where work is done that no request waits for: reading ahead, and starting the worker, whose imports would
        take one of two processors from the server or the client."""
        self.documents = Documents()
        self.folders = Folders()
        self.settings = Settings()
        self._settings_problems = SettingsProblems(client, self.folders)
        self._folder_settings: dict[str, Settings] = {}
        self.analysis = BackgroundAnalysis(client.refresh_early_answers)
        self.worker = Worker(writable=self._writable_folders)
        self.models = Models(self.worker)
        self.extensions = Extensions(self.worker, client.show_faults, self._read_anew)
        self.may_write = True
        """Whether files may be written: the history, and what instruments write."""
        self.root: Path | None = None
        """The folder that the client has open."""
        self.publisher = Publisher(self.documents, self.analysis, self.diagnostics, self._publish)
        self._asking: asyncio.Task[None] | None = None
        self.history = HistoryService(self._report_from_any_thread)
        self._findings: dict[str, tuple[str, tuple[Diagnostic, ...]]] = {}
        self.remarks = ShownRemarks()
        self.changing_passes = ChangingPasses(
            self.documents, self.analysis, self.worker, self.extensions, lambda: self.settings, self.idle_time
        )
        self._outcomes = OutcomeMemory()

    # Folders and settings

    def change_folders(self, added: Iterable[str], removed: Iterable[str] = ()) -> None:
        """Take over which folders the client has open, by their URIs. Nothing of ours is ever imported from one."""
        self.folders.change(added, removed)
        withhold(*map(str, self.folders.paths))

    def configure(self, given: object, folders: Mapping[str, object] | None = None) -> None:
        """Take over what the client has set: for everything, and for each of ``folders`` by its URI, where it differs.

        Without ``folders``, those of earlier stay.
        """
        settings, problems = self._allowed(*read_settings(given))
        of_folders: dict[str, Settings] = {} if folders is not None else self._folder_settings
        for uri, value in (folders or {}).items():
            of_folders[uri], more = self._allowed(*read_settings(value))
            problems += (problem for problem in more if problem not in problems)
        self._settings_problems.take(problems, [settings, *of_folders.values()])
        if (settings, of_folders) == (self.settings, self._folder_settings):
            return
        self.history.configure(settings)
        self._folder_settings = of_folders
        self.changing_passes.clear()
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

    def _allowed(self, settings: Settings, problems: list[str]) -> tuple[Settings, list[str]]:
        """The settings without what an untrusted client may not ask for: it would write files."""
        writing = [name for name in settings.instruments if name.partition("[")[0] in _WRITING_INSTRUMENTS]
        if writing and not self.extensions.is_trusted:
            problems.append(f"{writing[0]} writes files, and is left aside in a workspace that is not trusted")
            kept = tuple(name for name in settings.instruments if name not in writing)
            settings = replace(settings, instruments=kept)
        if not self.may_write and not self.extensions.is_trusted:
            settings = replace(settings, history=False, history_folder="")
        return settings, problems

    def _writable_folders(self) -> Sequence[str]:
        """Where the code of users may write files, once it may run: in the open folders, and where dumps are to go."""
        if not self.extensions.is_trusted:
            return ()
        opened = list(self.folders.paths) or [self.root]
        dumps = [call.options.get("dump_dir") for call in self._instruments()]
        return [str(folder) for folder in (*opened, *dumps) if isinstance(folder, (str, Path))]

    def settings_for(self, uri: str) -> Settings:
        """The settings of a document: those of the innermost folder that it lies in, where that has any of its own.

        What concerns the whole server, such as the history, the worker and extensions, is in :attr:`settings`.
        """
        around = [folder for folder in self._folder_settings if uri.startswith(folder.rstrip("/") + "/")]
        return self._folder_settings[max(around, key=len)] if around else self.settings

    # Diagnostics

    def diagnostics(self, document: Document, snapshot: Snapshot) -> Sequence[Diagnostic]:
        """What is wrong with the text, and what passes found in it the last time it was saved."""
        if self.documents.is_read_only(document.uri):
            return []
        settings = self.settings_for(document.uri)
        findings = diagnostics(
            snapshot,
            unused_values=settings.unused_values,
            unreachable_code=settings.unreachable_code,
            type_comments=settings.type_comments,
        )
        text, from_passes = self._findings.get(document.uri, ("", ()))
        # What passes found holds for the very text they saw.
        if from_passes and text == snapshot.text:
            findings = [*findings, *from_passes]
        if self.extensions.are_awaited:
            return [each for each in findings if each.code != "undefined-operator"]
        return findings

    def _publish(self, document: Document, findings: Sequence[Diagnostic]) -> None:
        self.client.publish(document, findings)
        if self.extensions.has_questions and (self._asking is None or self._asking.done()):
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
        """The files in the workspace's folders that are not open, by URI."""
        opened = [document.uri for document in self.documents]
        return await self.analysis.thread.run(self.folders.snapshots, opened)

    def close(self, uri: str) -> None:
        """Forget a document, and what is being worked out of it."""
        if (document := self.documents.find(uri)) is not None:
            self.analysis.abandon(document)
        self.documents.close(uri)
        self.publisher.forget(uri)
        self._findings.pop(uri, None)
        self.remarks.forget(uri)
        self.history.close(uri)

    # Passes

    async def run_passes(
        self,
        document: Document,
        calls: Sequence[PassCall],
        version: int | None = None,
        progress: Callable[[str], object] = lambda _: None,
        gates: bool = False,
        remarks: bool = False,
    ) -> PassesOutcome:
        """What passes make of a document, worked out in the worker; the last few outcomes are kept, by content.

        With ``gates`` they are a pipeline, of which runs what the context admits; otherwise all of them run. With
        ``remarks`` the outcome has what the passes say about their decisions.

        Raises:
            MovedOn: the document is not, or no longer, at ``version``.
            JobError: the worker could not do it: it took too long, crashed, or was stopped.
        """
        from ..worker.jobs import RunPasses

        version = document.version if version is None else version
        self._check(document, version)
        text, names = document.text, ", ".join(map(str, calls))
        self.client.status("working", names)
        try:
            await self.extensions.refresh()
            settings = self.settings_for(document.uri)
            context, instruments = replace(self.context_for(document), gates=gates), self._instruments()
            layers = self.history.span_layers(document.uri, document.lines)
            run = RunPasses(
                *(document.text, document.name, tuple(calls), context.opt_level),
                instruments=instruments,
                layers=layers,
                context=context,
                remarks=remarks,
            )
            job = self.extensions.job(run)
            outcome = self._outcomes.find(job)
            if outcome is None:
                outcome = await self.worker.run(job, timeout=settings.pass_timeout, progress=progress)
                self._outcomes.keep(job, outcome)
                for report in outcome.reports:
                    self.client.log(report)
        except JobError as error:
            self.client.status("stopped", error.message)
            if isinstance(error, WorkerDied) and not self.settings.extensions:
                self.client.report_pass_fault(document, text, calls, fault_without_stack(names, error.message))
            raise
        if outcome.crash is not None:
            self.client.report_pass_fault(document, text, calls, outcome.crash)
        if outcome.fault is not None:
            self.extensions.report(outcome.fault)
        self.client.status("ready", "")
        self._check(document, version)
        return outcome

    def _instruments(self) -> tuple[PassCall, ...]:
        """The instruments of the settings; the folders that they name are relative to that of the workspace."""
        instruments: list[PassCall] = []
        for call in parse_pipeline(self.settings.instruments):
            folder = call.options.get("dump_dir")
            if isinstance(folder, str) and self.root is not None:
                call = PassCall(call.name, {**call.options, "dump_dir": str(self.root / folder)})
            instruments.append(call)
        return tuple(instruments)

    async def explore(
        self,
        document: Document,
        calls: Sequence[PassCall],
        context: ContextOptions | None = None,
        version: int | None = None,
        progress: Callable[[str], object] = lambda _: None,
    ) -> ExploredRun:
        """The trace of passes over a document, worked out in the worker. ``context`` adds to that of the settings.

        Raises:
            MovedOn: the document is not at ``version``.
            JobError: the worker could not do it.
        """
        from ..worker.tracing import ExplorePasses, TracePasses

        self._check(document, document.version if version is None else version)
        base = replace(self.context_for(document), gates=True)
        if context is not None:
            required, disabled = (*base.required, *context.required), (*base.disabled, *context.disabled)
            config = {**base.config, **context.config}
            base = replace(base, opt_level=context.opt_level, required=required, disabled=disabled, config=config)
        layers = self.history.span_layers(document.uri, document.lines)
        passes = TracePasses(*(document.text, document.name, tuple(calls), base.opt_level), context=base, layers=layers)
        await self.extensions.refresh()
        job = self.extensions.job(ExplorePasses(passes))
        timeout = self.settings_for(document.uri).pass_timeout
        run: ExploredRun = await self.worker.run(job, timeout=timeout, progress=progress)
        return run

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
        from ..worker.verification import VerifyPasses

        version = document.version if version is None else version
        self._check(document, version)
        context = replace(self.context_for(document), gates=True)
        job = VerifyPasses(document.text, document.name, tuple(calls), context.opt_level, context=context)
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
        findings = tuple(item for item in outcome.diagnostics if item.code.startswith(("pass-", "unknown-", "option")))
        self._take_findings(document, document.text, findings)
        return outcome

    async def reduce(
        self,
        document: Document,
        calls: Sequence[PassCall],
        until: str,
        version: int | None = None,
        progress: Callable[[str], object] = lambda _: None,
    ) -> ReduceOutcome:
        """The smallest module on which passes go wrong as on a document, worked out in the worker.

        Raises:
            MovedOn: the document is not at ``version``.
            JobError: the worker could not do it.
        """
        from ..worker.reduction import ReducePasses

        self._check(document, document.version if version is None else version)
        context = replace(self.context_for(document), gates=True)
        job = ReducePasses(document.text, document.name, tuple(calls), until, context.opt_level, context=context)
        await self.extensions.refresh()
        # Beyond the search, one run of the passes may take as long as any.
        timeout = job.seconds + self.settings_for(document.uri).pass_timeout
        self.client.status("working", "reducing")
        try:
            outcome: ReduceOutcome = await self.worker.run(self.extensions.job(job), timeout=timeout, progress=progress)
        except JobError as error:
            self.client.status("stopped", error.message)
            raise
        self.client.status("ready", "")
        return outcome

    def _check(self, document: Document, version: int) -> None:
        if document.version != version or self.documents.find(document.uri) is not document:
            raise MovedOn

    def pipeline_for(self, document: Document) -> Sequence[str] | str:
        """The pipeline that the document names in a comment, or else the configured one."""
        return pipeline_comment(document.text) or self.settings_for(document.uri).pipeline

    def context_for(self, document: Document) -> ContextOptions:
        """The context that passes run in: what the document's comment says of it, or else the settings.

        Raises:
            JobError: the comment says what is none.
        """
        settings = self.settings_for(document.uri)
        try:
            return read_context_comment(pipeline_context(document.text), settings.context)
        except PassCallError as error:
            raise JobError(f"the context in the comment cannot be read: {error}") from None

    async def check_on_save(self, document: Document) -> tuple[TextEdit, ...]:
        """Run the configured pipeline over a saved document, and show what came of it.

        Gives the edits that are to be applied: none, unless the user has asked for that.
        """
        text = document.text
        try:
            calls = parse_pipeline(self.pipeline_for(document))
            if not calls:
                return ()
            outcome = await self.run_passes(document, calls, gates=True)
        except MovedOn:
            return ()
        except PassCallError as error:
            self._take_findings(document, text, (Diagnostic("pass-failed", Severity.WARNING, str(error), _BEGINNING),))
            return ()
        except JobError as error:
            problem = Diagnostic("pass-failed", Severity.WARNING, f"the pipeline was {error}", _BEGINNING)
            self._take_findings(document, text, (problem,))
            return ()
        if self.settings_for(document.uri).apply_on_save and outcome.changed:
            await self.remember(document.uri, text, outcome)
            return outcome.edits
        self._take_findings(document, text, tuple(self._findings_of(document, outcome)))
        return ()

    def _findings_of(self, document: Document, outcome: PassesOutcome) -> list[Diagnostic]:
        """What failed at its place, and what would change as hints. Errors of the text itself are shown already."""
        if outcome.failed is not None:
            return [
                diagnostic
                for diagnostic in outcome.diagnostics
                if diagnostic.code.startswith(("pass-", "unknown-", "option"))
            ]
        if not self.settings_for(document.uri).pass_hints or not outcome.changed:
            return []
        changing = {step.name: step.operators for step in outcome.steps if step.changed}
        return list(pass_hints(document.text, changing, outcome.changes, outcome.edits))

    def _take_findings(self, document: Document, text: str, findings: tuple[Diagnostic, ...]) -> None:
        self._findings[document.uri] = (text, findings)
        self.publisher.schedule(document)

    # History

    async def remember(self, uri: str, before: str, outcome: PassesOutcome) -> None:
        """Keep the steps of a pipeline whose result was put into the buffer."""
        if await self.history.remember(uri, before, outcome, self.settings_for(uri).opt_level):
            self.client.refresh_views()

    async def fate(self, uri: str, steps: Sequence[HistoryStep], offset: int) -> tuple[TextSpan, Fate] | None:
        """The value at ``offset`` of the text before the first of ``steps``, and what became of it."""
        span = await self.analysis.thread.run(_value_at, steps[0].before, offset)
        document = self.documents.find(uri)
        fate = self.history.fate(document, steps, span) if span is not None and document is not None else None
        return None if span is None or fate is None else (span, fate)

    def _report_from_any_thread(self, problem: str) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.client.say, problem, Severity.WARNING)

    _loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Keep the event loop, and load what the first document needs while there is none yet."""
        self._loop = asyncio.get_running_loop()
        self.analysis.thread.submit(_preload)

    async def prepare(self) -> None:
        """Start the worker, so that the first pass does not wait for it."""
        from ..worker.jobs import Prepare

        with contextlib.suppress(JobError):
            await self.worker.run(Prepare())
        await self.load_extensions()

    async def load_extensions(self) -> None:
        """Load the user's passes and operators, or what was written of them since, and look for what settings name."""
        await self.extensions.refresh()
        if not self.extensions.are_withheld and not self.extensions.are_awaited:
            await self._settings_problems.check_passes([str(each["name"]) for each in self.extensions.passes])

    async def compare(
        self, before: str, after: str, name: str, progress: Callable[[str], object] = lambda _: None
    ) -> Sequence[OperatorCount]:
        """The operators of which one text calls more than the other.

        Raises:
            JobError: the worker could not do it.
        """
        from ..worker.jobs import CompareTexts

        await self.extensions.refresh()
        job = self.extensions.job(CompareTexts(before, after, name))
        return await self.worker.run(job, timeout=self.settings.pass_timeout, progress=progress)

    def shut_down(self) -> None:
        """Stop the worker, what waits for it, and the threads."""
        self.changing_passes.cancel()
        self.worker.end()
        self.extensions.withdraw()
        self.analysis.shut_down()
        self.history.shut_down()

    def pipelines_for(self, uri: str) -> Mapping[str, tuple[str, ...]]:
        """The pipelines that have a name, for a document."""
        return self.settings_for(uri).pipelines


def _value_at(text: str, offset: int) -> TextSpan | None:
    """Where the value stands that the cursor is on: for a name that is bound here, the value that it is bound to."""
    from relay_lsp.ir.semantic.snapshot import Snapshot

    snapshot = Snapshot.open(text, "history")
    expr = snapshot.expr_at(offset)
    return None if expr is None else snapshot.span_of(expr)


def _preload() -> None:
    """Import what the first snapshot needs, and settle what becomes of memory: what is there now is there to stay.

    A text becomes hundreds of thousands of objects that live as long as it does. Looking through them again and again
    for garbage, as Python would by default, takes as long as making them.
    """
    import relay_lsp.ir.semantic.snapshot  # noqa: F401  # pyright: ignore[reportUnusedImport]

    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    gc.enable()
