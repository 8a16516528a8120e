"""From a document to its snapshot and its published diagnostics, without holding up the event loop."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from relay_lsp.ir.cancellation import Cancellation, WorkCancelled
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.garbage_collection import without_collection
from relay_lsp.ir.text.line_index import LineIndex

from ..documents.documents import Advance, Document, Documents
from ..features.diagnostics.diagnostics import diagnostics
from ..scheduling.executor import SingleThread
from ..scheduling.loop_watch import gives_way_to
from .preview import Preview, preview_of

if TYPE_CHECKING:
    from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot

    from .edited_part import EditedPart

__all__ = ["BackgroundAnalysis", "Publisher", "read_first"]

logger = logging.getLogger(__name__)

_INLINE_TEXT = 200_000
"""Up to this many code points, diagnostics are worked out at once. Above, so are those after an edit of which no more
than the statements it touches need be examined; any others on the analysis thread."""

_LEFT_ALONE_TEXT = 200_000
"""From this many code points the objects of a text are left out of the search for garbage while it is open: after some
such texts that would look through millions of objects at once, in 100 to 400 ms in which nothing is answered."""

_BURST_SECONDS = 0.01
"""How long no change may have come before diagnostics are worked out, where one comes before the one before it is
published: a burst of edits is published once."""


class _TakesLong(WorkCancelled):
    """An edit reaches beyond the statements around it: it is not followed to its end on the event loop.

    ``part`` is the snapshot as far as it has come by then, if a part of it can be shown.
    """

    def __init__(self, part: PartialSnapshot | None) -> None:
        super().__init__()
        self.part: Final = part


class _Previewed(NamedTuple):
    """The beginning of a text that is read, or being read."""

    lines: LineIndex
    coming: asyncio.Future[Preview | None]
    cancellation: Cancellation


class BackgroundAnalysis:
    """Makes the snapshots of documents, one at a time for each.

    ``refresh`` is called where a request was answered from a part of a text, once all of it is known.
    """

    def __init__(self, refresh: Callable[[], object] = lambda: None) -> None:
        self.thread = SingleThread("relay-analysis")
        self._preview_thread = SingleThread("relay-preview")
        self._locks: weakref.WeakKeyDictionary[Document, asyncio.Lock] = weakref.WeakKeyDictionary()
        self._previews: weakref.WeakKeyDictionary[Document, _Previewed] = weakref.WeakKeyDictionary()
        self._parts: weakref.WeakKeyDictionary[Document, tuple[LineIndex, asyncio.Future[EditedPart | None]]]
        self._parts = weakref.WeakKeyDictionary()
        self._shown: weakref.WeakSet[Document] = weakref.WeakSet()
        self._running: weakref.WeakKeyDictionary[Document, tuple[Cancellation, Advance | None]]
        self._running = weakref.WeakKeyDictionary()
        """What cancels the work on a document that is on the thread; where a text is read, on which the next analysis
        builds, also what that work is."""
        self._abandoned: weakref.WeakSet[Document] = weakref.WeakSet()
        self._left_alone: weakref.WeakSet[Document] = weakref.WeakSet()
        self._refresh = refresh
        self.is_over = False
        self.on_part: Callable[[Document, EditedPart], None] | None = None
        """Called when the part around a far-reaching edit is settled, before all of it is; maybe on another thread."""

    async def early(self, document: Document) -> Preview | EditedPart | None:
        """What is known of a part of a text as it is now, while the whole is being read or a long edit followed.

        ``None`` where the whole is known, or will be at once.
        """
        if not document.has_snapshot or document.ready is not None:
            return await self.preview(document)
        lines = document.lines
        whole = asyncio.ensure_future(self.snapshot(document))
        whole.add_done_callback(_retrieved)
        part = self._part_of(document)
        await asyncio.wait({part, whole}, return_when=asyncio.FIRST_COMPLETED)
        return None if whole.done() or document.lines is not lines else part.result()

    def _part_of(self, document: Document) -> asyncio.Future[EditedPart | None]:
        """The part around the last edit, once it is settled; ``None`` where it is settled together with the rest."""
        lines, coming = self._parts.get(document, (None, None))
        if coming is None or lines is not document.lines:
            self._tell_part(document, None)
            coming = asyncio.get_running_loop().create_future()
            self._parts[document] = document.lines, coming
        return coming

    def _tell_part(self, document: Document, part: EditedPart | None) -> None:
        lines, coming = self._parts.get(document, (None, None))
        if coming is not None and not coming.done() and (part is None or part.lines is lines):
            coming.set_result(part)

    async def preview(self, document: Document) -> Preview | None:
        """What is known of the beginning of a long text as it is now, until all of it has been read for the first time.

        ``None`` where the whole is known, or will be in no time, or where the beginning cannot be read alone.
        """
        if document.has_snapshot or document.lines.length <= _INLINE_TEXT:
            return None
        lines = document.lines
        known = self._previews.get(document)
        if known is None or known.lines is not lines:
            self._cancel_preview(document)
            cancellation = _giving_way()
            read = partial(_plain_preview, lines, document.name)
            coming = asyncio.ensure_future(self._preview_thread.run_cancellable(cancellation, read))
            known = self._previews[document] = _Previewed(lines, coming, cancellation)
        # Several callers may wait for it: cancelling one of them must not cancel it for the others.
        preview = await asyncio.shield(known.coming)
        return None if document.has_snapshot or document.lines is not lines else preview

    async def early_diagnostics(
        self, document: Document, collect: Callable[[Document, Snapshot], Sequence[Diagnostic]]
    ) -> Sequence[Diagnostic]:
        """What is known to be wrong at the beginning of a long text that is being read."""
        preview = await self.preview(document)
        if preview is None:
            return ()
        return await self._sure_of(document, preview, collect) or ()

    async def _sure_of(
        self,
        document: Document,
        preview: Preview | EditedPart,
        collect: Callable[[Document, Snapshot], Sequence[Diagnostic]],
    ) -> Sequence[Diagnostic] | None:
        """What is surely wrong in a beginning; ``None`` where it is no more."""
        known = self._previews.get(document)
        cancellation = _giving_way() if known is None else known.cancellation
        return await self._preview_thread.run_cancellable(
            cancellation, lambda: preview.sure(collect(document, preview.snapshot))
        )

    async def settled_diagnostics(
        self, document: Document, collect: Callable[[Document, Snapshot], Sequence[Diagnostic]]
    ) -> Sequence[Diagnostic] | None:
        """What is known to be wrong while the whole is worked out, to a caller that asks again when it is.

        ``None`` where the whole is known, or will be at once.
        """
        early = await self.early(document)
        if early is None:
            return None
        self.shown(document)
        if document.has_snapshot:
            return early.sure(collect(document, early.snapshot))
        return await self._sure_of(document, early, collect)

    def superseded(self, document: Document) -> None:
        """The document was edited: an analysis that the next one cannot build on is not gone on with.

        Where a text is followed statement by statement, and when it is read for the first time, the next analysis costs
        what the edit touches once this one is there: then it goes on, unless most of the text is another now.
        """
        cancellation, reading = self._running.get(document, (None, None))
        if cancellation is not None and (reading is None or document.is_rewritten_since(reading)):
            cancellation.cancel()
        self._cancel_preview(document)

    def abandon(self, document: Document) -> None:
        """The document was closed: nothing of it is gone on with."""
        self._abandoned.add(document)
        if document in self._left_alone:
            self._left_alone.discard(document)
            if not self._left_alone:
                gc.unfreeze()  # what has become garbage since is collected, too
        self._cancel_preview(document)
        if (running := self._running.get(document)) is not None:
            running[0].cancel()

    def _cancel_preview(self, document: Document) -> None:
        """End the reading of a beginning that is no more, and what is worked out of it."""
        if (known := self._previews.get(document)) is not None:
            known.cancellation.cancel()

    def shut_down(self) -> None:
        """Stop the threads and what they are at; what is asked for from now on fails."""
        self.is_over = True
        for cancellation, _ in list(self._running.values()):
            cancellation.cancel()
        self.thread.shutdown()
        self._preview_thread.shutdown()

    def shown(self, document: Document) -> None:
        """Something of the preview is shown that is to be asked for anew when the whole is known."""
        self._shown.add(document)

    async def snapshot(self, document: Document) -> Snapshot:
        """The snapshot of the document as it is now, or a newer one.

        Raises:
            asyncio.CancelledError: the document was closed, or the client left, before there was one.
        """
        if (ready := document.ready) is not None:
            return ready
        lock = self._locks.setdefault(document, asyncio.Lock())
        async with lock:
            await self.preview(document)  # what is shown first has the processor for itself
            while True:
                if document in self._abandoned:
                    raise asyncio.CancelledError  # closed while its beginning was read
                advance = document.advance()
                if advance is None:
                    return document.current
                if not advance.is_edit:
                    read_text = _read if document in self._left_alone else read_first
                    read = await self._work(document, partial(read_text, advance.run), advance)
                    if read is None:
                        continue
                    snapshot = document.accept(advance, read)
                    prepared = self.thread.run_cancellable(_giving_way(), snapshot.prepare_for_edits)
                    asyncio.ensure_future(prepared).add_done_callback(_retrieved)
                    if document.lines.length >= _LEFT_ALONE_TEXT:
                        self._left_alone.add(document)
                    self._previews.pop(document, None)
                    break
                followed = await self._followed(document, advance)
                if followed is None:
                    continue  # edited meanwhile
                snapshot = document.accept(advance, followed)
                self._tell_part(document, None)
                self._parts.pop(document, None)
                break
            if document in self._shown:
                self._shown.discard(document)
                self._refresh()
            return snapshot

    async def _followed(self, document: Document, advance: Advance) -> Snapshot | None:
        """The snapshot after edits, analysed: here where that costs what they touch; ``None`` once it is superseded."""
        snapshot: Snapshot | None = None
        part: PartialSnapshot | None = None
        if advance.is_small:
            snapshot = advance.run()
            try:
                snapshot.analyse(_refuse)
                if document.lines.length <= _INLINE_TEXT or snapshot.is_followed:
                    return snapshot
            except _TakesLong as refusal:
                part = refusal.part
        show = self._showing_part(document)
        if part is not None:
            show(part)
        return await self._work(document, _settling(advance, snapshot, show if part is None else None))

    async def _work(
        self, document: Document, work: Callable[[], Snapshot], reading: Advance | None = None
    ) -> Snapshot | None:
        """What the analysis thread makes of a document; ``None`` where an edit has superseded that.

        Raises:
            asyncio.CancelledError: the document was closed, or the client left.
        """
        cancellation = _giving_way()
        self._running[document] = cancellation, reading
        try:
            made = await self.thread.run_cancellable(cancellation, work)
        finally:
            self._running.pop(document, None)
        if made is None and (self.is_over or document in self._abandoned):
            raise asyncio.CancelledError
        return made

    def _showing_part(self, document: Document) -> Callable[[PartialSnapshot], None]:
        """What tells of the part around the last edit, on the event loop or the analysis thread.

        Where the loop has come so far already, it tells: the thread would have to come as far once more first, and then
        share the processor with the loop that sends it.
        """
        loop, lines = asyncio.get_running_loop(), document.lines
        self._part_of(document)

        def show(known: PartialSnapshot) -> None:
            from .edited_part import EditedPart

            part = EditedPart(lines, known)
            loop.call_soon_threadsafe(self._tell_part, document, part)
            if self.on_part is not None:
                self.on_part(document, part)

        return show


def _settling(
    advance: Advance, begun: Snapshot | None, show: Callable[[PartialSnapshot], None] | None
) -> Callable[[], Snapshot]:
    """What follows an edit that reaches far; it has the part around the edit shown, once that is settled."""
    not_shown = show

    def progress(part: Callable[[], PartialSnapshot | None]) -> None:
        nonlocal not_shown
        known = part() if not_shown is not None else None
        if not_shown is not None and known is not None:
            not_shown(known)
            not_shown = None

    def settle() -> Snapshot:
        snapshot = begun or advance.run()
        snapshot.analyse(progress)
        return _analysed(snapshot)

    return settle


def _giving_way() -> Cancellation:
    """What cancels work that gives way to the event loop: requests that it answers are waited for, other texts' too."""
    return Cancellation(gives_way_to(asyncio.get_running_loop()))


def _refuse(part: Callable[[], PartialSnapshot | None]) -> None:
    raise _TakesLong(part())


def _retrieved(task: asyncio.Task[Snapshot] | asyncio.Task[None]) -> None:
    """Look at what became of a task that no caller may wait for; its own callers hear of its errors."""
    if not task.cancelled():
        task.exception()


def _plain_preview(lines: LineIndex, name: str) -> Preview | None:
    """The beginning of a text, where it can be followed statement by statement."""
    preview = preview_of(lines, name)
    return preview if preview is not None and preview.is_plain else None


def read_first(open: Callable[[], Snapshot]) -> Snapshot:
    """What :func:`_read` makes of a text that was not read before, without a search for garbage meanwhile.

    The objects of a long text are left out of that until it is closed. What else is there at that moment is left out as
    well; so it is given back with the last long text. It is done once for each: of a text that is replaced time and
    again, what was left out before would never be collected.
    """
    with without_collection():
        snapshot = _read(open)
        if snapshot.lines.length >= _LEFT_ALONE_TEXT:
            gc.freeze()
        return snapshot


def _read(open: Callable[[], Snapshot]) -> Snapshot:
    """A snapshot that is opened, and analysed here: the first request would have to wait for that."""
    return _analysed(open())


def _analysed(snapshot: Snapshot) -> Snapshot:
    """The snapshot, once it is known what is wrong in it and what never runs; that is kept with its parts."""
    diagnostics(snapshot)
    return snapshot


class Publisher:
    """Works out diagnostics after changes, and sends them if the document has not moved on."""

    def __init__(
        self,
        documents: Documents,
        analysis: BackgroundAnalysis,
        collect: Callable[[Document, Snapshot], Sequence[Diagnostic]],
        send: Callable[[Document, Sequence[Diagnostic]], object],
    ) -> None:
        self._documents = documents
        self._analysis = analysis
        self._collect = collect
        self._send = send
        self._scheduled: dict[str, asyncio.Handle] = {}
        self._at_work: dict[str, asyncio.Task[None]] = {}
        self._early: dict[str, EditedPart] = {}
        """What a request in a burst had worked out around the last edit, which is sent once the burst is over."""
        self._loop: asyncio.AbstractEventLoop | None = None
        analysis.on_part = self._publish_part

    def schedule(self, document: Document) -> None:
        """Publish the document's diagnostics as soon as what has arrived is handled; in a burst, when it is over.

        The first change of a burst is not waited with: timers of the event loop take a millisecond at least. A document
        that was closed is passed over: another may be open at its place by now, and be scheduled.
        """
        if not self._documents.is_open(document):
            return
        is_burst = self.forget(document.uri) or document.uri in self._at_work
        self._loop = loop = asyncio.get_running_loop()
        if is_burst:
            self._scheduled[document.uri] = loop.call_later(_BURST_SECONDS, self._start, document)
        else:
            self._scheduled[document.uri] = loop.call_soon(self._start, document)

    def forget(self, uri: str) -> bool:
        """Do not publish what is scheduled; tells whether anything was."""
        scheduled = self._scheduled.pop(uri, None)
        self._early.pop(uri, None)
        if scheduled is not None:
            scheduled.cancel()
        return scheduled is not None

    def _start(self, document: Document) -> None:
        self._scheduled.pop(document.uri, None)
        task = self._at_work[document.uri] = asyncio.create_task(self._publish(document))
        task.add_done_callback(lambda done: self._finished(document.uri, done))

    def _finished(self, uri: str, task: asyncio.Task[None]) -> None:
        if self._at_work.get(uri) is task:
            del self._at_work[uri]
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._analysis.is_over:
            logger.error("diagnostics could not be worked out", exc_info=error)

    async def _publish(self, document: Document) -> None:
        version = document.version
        part = self._early.pop(document.uri, None)
        if part is not None and part.lines is document.lines and document.ready is None:
            self._send(document, part.sure(self._collect(document, part.snapshot)))
        early = await self._analysis.early_diagnostics(document, self._collect)
        if early and self._is_current(document, version):
            self._send(document, early)
        snapshot = await self._analysis.snapshot(document)
        if not self._is_current(document, version):
            return
        if document.lines.length <= _INLINE_TEXT or snapshot.is_followed:
            diagnostics = self._collect(document, snapshot)
        else:
            diagnostics = await self._analysis.thread.run(self._collect, document, snapshot)
        # Messages that arrived meanwhile go first: this may have been the beginning of a burst. The loop takes
        # a message in one turn, and hands it to us in the next.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if self._is_current(document, version):
            self._send(document, diagnostics)

    def _publish_part(self, document: Document, part: EditedPart) -> None:
        """Send what is known after an edit that is still being followed; on any thread."""
        loop = self._loop
        if document.uri in self._scheduled:
            self._early[document.uri] = part
        elif loop is not None and document.uri in self._at_work:
            loop.call_soon_threadsafe(
                self._send_part, document, part, part.sure(self._collect(document, part.snapshot))
            )

    def _send_part(self, document: Document, part: EditedPart, findings: Sequence[Diagnostic]) -> None:
        if document.lines is part.lines and self._is_current(document, document.version):
            self._send(document, findings)

    def _is_current(self, document: Document, version: int) -> bool:
        """Whether nothing has changed since; if something has, its own turn comes."""
        return document.version == version and self._documents.is_open(document)
