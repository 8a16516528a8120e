"""Everything a running server knows: documents, settings, the worker, the history, and what passes found.

Knows nothing of the protocol. What it wants from the client it asks of a :class:`Client`.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.text.text_span import TextSpan

from ..documents.documents import Document, Documents
from ..features.diagnostics.diagnostics import diagnostics
from ..features.provenance.history import Fate, HistoryStep
from ..history.service import HistoryService
from ..import_path import withhold
from ..pass_calls import PassCall, parse_pipeline
from ..scheduling.idle_time import IdleTime
from ..settings import Settings, read_settings
from ..worker.worker import JobError, Worker
from .background_analysis import BackgroundAnalysis, Publisher
from .changing_passes import ChangingPasses
from .client import Client
from .document_passes import DocumentPasses
from .extensions import Extensions
from .folders import Folders
from .models import Models
from .settings_problems import SettingsProblems
from .shown_remarks import ShownRemarks

if TYPE_CHECKING:
    from relay_lsp.ir.semantic.snapshot import Snapshot


__all__ = ["COLLECTOR_THRESHOLDS", "Workspace"]

_WRITING_INSTRUMENTS = ("DumpIR",)
COLLECTOR_THRESHOLDS = (10_000, 200, 50)


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
        self.models = Models(self.worker, self.may_read)
        self.extensions = Extensions(self.worker, client.show_faults, self._read_anew)
        self.may_write = True
        """Whether files may be written: the history, and what instruments write."""
        self.root: Path | None = None
        """The folder that the client has open."""
        self.publisher = Publisher(self.documents, self.analysis, self.diagnostics, self._publish)
        self._asking: asyncio.Task[None] | None = None
        self.history = HistoryService(self._report_from_any_thread)
        self.passes = DocumentPasses(
            *(client, self.documents, self.worker, self.extensions, self.history, self.idle_time),
            settings_for=self.settings_for,
            instruments=self._instruments,
            findings_changed=self.publisher.schedule,
        )
        self.remarks = ShownRemarks()
        self.changing_passes = ChangingPasses(
            self.documents, self.analysis, self.worker, self.extensions, lambda: self.settings, self.idle_time
        )

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
            of_folders[_folder(uri)], more = self._allowed(*read_settings(value))
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
        if self.is_foreign:
            settings = replace(settings, history=False, history_folder="")
        return settings, problems

    @property
    def is_foreign(self) -> bool:
        """Whether the client came over a network, without trust: nothing is written for it, and little read."""
        return not self.may_write and not self.extensions.is_trusted

    def may_read(self, path: Path) -> bool:
        """Whether a file that the client names may be read: for one from elsewhere, if it lies in an open folder."""
        return not self.is_foreign or self.folders.holds(path)

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
        inside = _folder(uri)
        around = [folder for folder in self._folder_settings if inside.startswith(folder)]
        return self._folder_settings[max(around, key=len)] if around else self.settings

    # Diagnostics

    def diagnostics(self, document: Document, snapshot: Snapshot) -> Sequence[Diagnostic]:
        """What is wrong with the text, and what passes found in it the last time it was saved."""
        of_text, from_passes = self.diagnostics_by_source(document, snapshot)
        return [*of_text, *from_passes] if from_passes else of_text

    def diagnostics_by_source(
        self, document: Document, snapshot: Snapshot
    ) -> tuple[Sequence[Diagnostic], Sequence[Diagnostic]]:
        """What is wrong with the text, and apart from that what passes found in it the last time it was saved."""
        if self.documents.is_read_only(document.uri):
            return [], []
        settings = self.settings_for(document.uri)
        findings = diagnostics(
            snapshot,
            unused_values=settings.unused_values,
            unreachable_code=settings.unreachable_code,
            type_comments=settings.type_comments,
        )
        if self.extensions.are_awaited:
            findings = [each for each in findings if each.code != "undefined-operator"]
        return findings, self.passes.findings(document.uri, snapshot.lines)

    def _publish(self, document: Document, findings: Sequence[Diagnostic]) -> None:
        self.client.publish(document, findings)
        if self.extensions.has_questions and (self._asking is None or self._asking.done()):
            self._asking = asyncio.get_running_loop().create_task(self._ask_about_calls())

    async def _ask_about_calls(self) -> None:
        """Learn from the worker what users' operators give in the texts that were examined."""
        while await self.extensions.answer_calls():
            pass

    def _read_anew(self) -> None:
        """Other operators are known than before, or more of what they give: what was read of texts holds no longer."""
        self.folders.forget_snapshots()
        self.changing_passes.clear()
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
        self.passes.forget(uri)
        self.remarks.forget(uri)
        self.history.close(uri)

    def _instruments(self) -> tuple[PassCall, ...]:
        """The instruments of the settings; the folders that they name are relative to that of the workspace."""
        instruments: list[PassCall] = []
        for call in parse_pipeline(self.settings.instruments):
            folder = call.options.get("dump_dir")
            if isinstance(folder, str) and self.root is not None:
                call = PassCall(call.name, {**call.options, "dump_dir": str(self.root / folder)})
            instruments.append(call)
        return tuple(instruments)

    # History

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
        """Start the worker, and load what unknown names are compared with: the first pass and the first unknown name
        do not wait for it."""
        from relay_lsp.ir.syntax.suggestions import closest

        from ..worker.jobs import Prepare

        with contextlib.suppress(JobError):
            await self.worker.run(Prepare())
        self.analysis.thread.submit(closest, "", ())
        await self.load_extensions()

    async def load_extensions(self) -> None:
        """Load the user's passes and operators, or what was written of them since, and look for what settings name."""
        known = set(self.extensions.pass_names)
        await self.extensions.refresh()
        if known != set(self.extensions.pass_names):
            self.passes.examine_comments_anew()
        if not self.extensions.are_withheld and not self.extensions.are_awaited:
            await self._settings_problems.check_passes(self.extensions.pass_names)

    def shut_down(self) -> None:
        """Stop the worker, what waits for it, and the threads."""
        self.changing_passes.cancel()
        self.worker.end()
        self.extensions.withdraw()
        self.analysis.shut_down()
        self.history.shut_down()


def _folder(uri: str) -> str:
    """What the URIs of a folder and of all that lies in it begin with, however their characters are escaped."""
    return unquote(uri).rstrip("/") + "/"


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
