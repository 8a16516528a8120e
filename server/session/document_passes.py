"""What passes make of the open documents: runs in the worker, each for one version of a text, and what they find."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from relay_lsp.ir.diagnostics import Diagnostic, TextEdit
from relay_lsp.ir.internal_errors import Fault, fault_without_stack
from relay_lsp.ir.text.line_index import LineIndex

from ..documents.documents import Document, Documents
from ..features.hints.pass_hints import pass_hints
from ..features.passes.pipeline_comment import pipeline_beginning, pipeline_comment, pipeline_context
from ..features.passes.pipeline_faults import at_pipeline, fault_of_pipeline, faults_of_pipeline
from ..history.service import HistoryService
from ..pass_calls import PassCall, PassCallError, parse_pipeline
from ..pass_contexts import ContextOptions, read_context_comment
from ..scheduling.idle_time import IdleTime
from ..settings import Settings
from ..worker.outcome_memory import OutcomeMemory
from ..worker.read_texts import FIRST_WORD
from ..worker.worker import JobError, Worker, WorkerDied
from .client import Client
from .extensions import Extensions

if TYPE_CHECKING:
    from ..worker.pass_changes import OperatorCount
    from ..worker.pass_outcomes import PassesOutcome
    from ..worker.reduction import ReduceOutcome
    from ..worker.tracing import ExploredRun
    from ..worker.verification import VerifyOutcome

__all__ = ["DocumentPasses", "MovedOn"]


class MovedOn(Exception):
    """The buffer is no longer at the version that was asked about."""


class DocumentPasses:
    """Runs passes over documents, and keeps what they found wrong until the text changes.

    ``settings_for`` gives the settings of a document by its URI, ``instruments`` those that passes run under, and
    ``findings_changed`` is called where what is shown of a document has to be put together again.
    """

    def __init__(
        self,
        client: Client,
        documents: Documents,
        worker: Worker,
        extensions: Extensions,
        history: HistoryService,
        idle_time: IdleTime,
        settings_for: Callable[[str], Settings],
        instruments: Callable[[], tuple[PassCall, ...]],
        findings_changed: Callable[[Document], object],
    ) -> None:
        self._client = client
        self._documents = documents
        self._worker = worker
        self._extensions = extensions
        self._history = history
        self._idle_time = idle_time
        self._settings_for = settings_for
        self._instruments = instruments
        self._findings_changed = findings_changed
        self._findings: dict[str, tuple[str, tuple[Diagnostic, ...]]] = {}
        self._of_comments: dict[str, tuple[str, tuple[Diagnostic, ...]]] = {}
        """What is wrong with the comment that names a document's pipeline, with the beginning of the text up to it."""
        self._examining: dict[str, asyncio.Task[None]] = {}
        self._outcomes = OutcomeMemory()

    def findings(self, uri: str, lines: LineIndex) -> Sequence[Diagnostic]:
        """What passes found in a document the last time it was saved; it holds for the very text that they saw.

        Without that, what is wrong with the comment that names its pipeline.
        """
        seen, findings = self._findings.get(uri, ("", ()))
        if findings and seen == lines.text:
            return findings
        seen, findings = self._of_comments.get(uri, ("", ()))
        return findings if findings and seen == pipeline_beginning(lines) else ()

    def forget(self, uri: str) -> None:
        """Drop what was found in a document that is closed."""
        self._findings.pop(uri, None)
        self._of_comments.pop(uri, None)
        if (task := self._examining.pop(uri, None)) is not None:
            task.cancel()

    def examine_comment(self, document: Document) -> None:
        """Once the user pauses, look at the comment that names a document's pipeline, where it is another one."""
        uri, (seen, _) = document.uri, self._of_comments.get(document.uri, ("", ()))
        if uri not in self._examining and seen != pipeline_beginning(document.lines):
            task = self._examining[uri] = asyncio.get_running_loop().create_task(self._examine_comment(document))
            task.add_done_callback(lambda done: self._examining.get(uri) is done and self._examining.pop(uri))

    def examine_comments_anew(self) -> None:
        """The same for every open document: there may be other passes of users than before."""
        self._of_comments.clear()
        for document in self._documents:
            self.examine_comment(document)

    async def _examine_comment(self, document: Document) -> None:
        beginning = None
        while pipeline_beginning(document.lines) != beginning:  # it may be edited while it is looked at
            await self._idle_time.wait()
            beginning = pipeline_beginning(document.lines)
            faults = await self._faults_of_comment(document)
            if not self._documents.is_open(document):
                return
            self._of_comments[document.uri] = beginning, faults
            self._findings_changed(document)

    async def run(
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
        try:
            with self._working_at(names):
                await self._extensions.refresh()
                settings = self._settings_for(document.uri)
                context, instruments = replace(self.context_for(document), gates=gates), self._instruments()
                layers = self._history.span_layers(document.uri, document.lines)
                run = RunPasses(
                    *(document.text, document.name, tuple(calls), context.opt_level),
                    instruments=instruments,
                    layers=layers,
                    context=context,
                    remarks=remarks,
                )
                job = self._extensions.job(run)
                outcome = self._outcomes.find(job)
                if outcome is None:
                    outcome = await self._worker.run(job, timeout=settings.pass_timeout, progress=progress)
                    self._outcomes.keep(job, outcome)
                    for report in outcome.reports:
                        self._client.log(report)
        except JobError as error:
            if isinstance(error, WorkerDied) or error.details:  # limits that are met, and cancellations, are no faults
                self._report(document, text, calls, fault_without_stack(names, error.message))
            raise
        if outcome.crash is not None:
            self._report(document, text, calls, outcome.crash)
        if outcome.fault is not None:
            self._extensions.report(outcome.fault)
        self._check(document, version)
        return outcome

    def _report(self, document: Document, text: str, calls: Sequence[PassCall], met: Fault) -> None:
        self._client.report_pass_fault(document, text, calls, met, self._extensions.loaded_names)

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
        layers = self._history.span_layers(document.uri, document.lines)
        passes = TracePasses(*(document.text, document.name, tuple(calls), base.opt_level), context=base, layers=layers)
        await self._extensions.refresh()
        job = self._extensions.job(ExplorePasses(passes))
        timeout = self._settings_for(document.uri).pass_timeout
        run: ExploredRun = await self._worker.run(job, timeout=timeout, progress=progress)
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
        with self._working_at("comparing before and after"):
            await self._extensions.refresh()
            outcome: VerifyOutcome = await self._worker.run(
                self._extensions.job(job), timeout=self._settings_for(document.uri).pass_timeout, progress=progress
            )
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
        await self._extensions.refresh()
        # Beyond the search, one run of the passes may take as long as any.
        timeout = job.seconds + self._settings_for(document.uri).pass_timeout
        with self._working_at("reducing"):
            outcome: ReduceOutcome = await self._worker.run(
                self._extensions.job(job), timeout=timeout, progress=progress
            )
        return outcome

    @contextmanager
    def _working_at(self, doing: str) -> Generator[None]:
        """The client shows what is being done, and afterwards whether that was stopped; not where the user did that."""
        after = "ready", ""
        self._client.status("working", doing)
        try:
            yield
        except JobError as error:
            after = "stopped", error.message
            raise
        finally:
            self._client.status(*after)

    def _check(self, document: Document, version: int) -> None:
        if document.version != version or not self._documents.is_open(document):
            raise MovedOn

    def pipeline_for(self, document: Document) -> Sequence[str] | str:
        """The pipeline that the document names in a comment, or else the configured one."""
        return pipeline_comment(document.text) or self._settings_for(document.uri).pipeline

    def context_for(self, document: Document) -> ContextOptions:
        """The context that passes run in: what the document's comment says of it, or else the settings.

        Raises:
            JobError: the comment says what is none.
        """
        settings = self._settings_for(document.uri)
        try:
            return read_context_comment(pipeline_context(document.text), settings.context)
        except PassCallError as error:
            raise JobError(f"the context in the comment cannot be read: {error}") from None

    async def check_on_save(self, document: Document) -> tuple[TextEdit, ...]:
        """Run the configured pipeline over a saved document, and show what came of it.

        Gives the edits that are to be applied: none, unless the user has asked for that.
        """
        text, beginning = document.text, pipeline_beginning(document.lines)
        try:
            calls = parse_pipeline(self.pipeline_for(document))
            if not calls:
                return ()
            faults = await self._faults_of_comment(document)
            self._of_comments[document.uri] = beginning, faults
            if faults:
                self._take_findings(document, text, faults)
                return ()
            outcome = await self.run(document, calls, gates=True)
        except MovedOn:
            return ()
        except (PassCallError, JobError) as error:
            message = str(error) if isinstance(error, PassCallError) else f"the pipeline could not run: {error}"
            self._take_findings(document, text, (fault_of_pipeline(text, message),))
            return ()
        if self._settings_for(document.uri).apply_on_save and outcome.changed:
            await self.remember(document.uri, text, outcome)
            return outcome.edits
        self._take_findings(document, text, tuple(self._findings_of(document, outcome)))
        return ()

    async def _faults_of_comment(self, document: Document) -> tuple[Diagnostic, ...]:
        """What is wrong with the comment that names the document's pipeline, whatever else is wrong with the text."""
        text, context = document.text, self._settings_for(document.uri).context
        if not pipeline_beginning(document.lines):
            return ()
        await self._extensions.refresh()
        return await asyncio.to_thread(faults_of_pipeline, text, context, self._extensions.pass_names)

    def _findings_of(self, document: Document, outcome: PassesOutcome) -> list[Diagnostic]:
        """What failed at its place, and what would change as hints. Errors of the text itself are shown already."""
        if outcome.failed is not None:
            return [
                at_pipeline(document.text, finding) if finding.span in (None, FIRST_WORD) else finding
                for finding in outcome.diagnostics
                if finding.code.startswith(("pass-", "unknown-", "option"))
            ]
        if not self._settings_for(document.uri).pass_hints or not outcome.changed:
            return []
        changing = {step.name: step.operators for step in outcome.steps if step.changed}
        return list(pass_hints(document.text, changing, outcome.changes, outcome.edits))

    def _take_findings(self, document: Document, text: str, findings: tuple[Diagnostic, ...]) -> None:
        if self._documents.is_open(document):
            self._findings[document.uri] = (text, findings)
            self._findings_changed(document)

    async def compare(
        self, document: Document, before: str, after: str, progress: Callable[[str], object] = lambda _: None
    ) -> Sequence[OperatorCount]:
        """The operators of which one text of a document calls more than the other.

        Raises:
            JobError: the worker could not do it.
        """
        from ..worker.jobs import CompareTexts

        await self._extensions.refresh()
        job = self._extensions.job(CompareTexts(before, after, document.name))
        return await self._worker.run(job, timeout=self._settings_for(document.uri).pass_timeout, progress=progress)

    async def remember(self, uri: str, before: str, outcome: PassesOutcome) -> None:
        """Keep the steps of a pipeline whose result was put into the buffer."""
        if await self._history.remember(uri, before, outcome, self._settings_for(uri).opt_level):
            self._client.refresh_views()
