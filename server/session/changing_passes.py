"""Which passes would change a text: the passes on offer in a menu of code actions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from ..pass_calls import PassCall
from ..scheduling.idle_time import IdleTime
from ..worker.worker import JobError, Worker
from .extensions import Extensions

if TYPE_CHECKING:
    from ..documents.documents import Document, Documents
    from ..settings import Settings
    from .background_analysis import BackgroundAnalysis

__all__ = ["ChangingPasses", "load_passes"]

_SEARCH_SECONDS = 1.5
"""How long a request for code actions waits until it is known which passes would change the buffer."""

_SHORT_SECONDS = 0.05
"""The same for clients that also ask by themselves: VS Code does so a quarter of a second after each move of the
cursor, and then drops what the user has asked for and was not answered, so that a menu would stay empty."""

_LONGEST_AHEAD = 100_000
"""How many characters a text may have whose passes are looked for before the user asks: ResNet-18 has 20,000, which
take 2 s of the worker's time."""

_TEXTS_KEPT = 4
"""For how many texts the answers are kept."""


class _Search(msgspec.Struct):
    """The passes that would change one text, as far as they are known yet, each with the functions that it would."""

    functions: dict[str, frozenset[str]]
    task: asyncio.Task[None] | None = None


class ChangingPasses:
    """Asks the worker, pass by pass, which passes would change a document; keeps the answers of the last texts."""

    def __init__(
        self,
        documents: Documents,
        analysis: BackgroundAnalysis,
        worker: Worker,
        extensions: Extensions,
        settings: Callable[[], Settings],
        idle_time: IdleTime,
    ) -> None:
        self._documents = documents
        self._analysis = analysis
        self._worker = worker
        self._extensions = extensions
        self._settings = settings
        self._idle_time = idle_time
        self._searches: dict[str, _Search] = {}
        self._client_asks_by_itself = False
        self._ahead: asyncio.Task[None] | None = None

    async def of(
        self, document: Document, *, wait: bool, has_errors: bool, has_fixes: bool = False
    ) -> Mapping[str, frozenset[str]]:
        """The registered passes that would change the document as it is, each with the functions that it would.

        None runs on a text that ``has_errors``: its menu waits for nothing. Where what is wrong at the cursor
        ``has_fixes``, the user most likely looks for those, and they are not kept waiting.

        It is worked out once for each text, pass after pass. With ``wait``, which stands for a user who asks, some time
        is given to it now; without, only what is known already is told, and the rest is worked out in idle time, so
        that it is known when the user asks.
        """
        self._client_asks_by_itself |= not wait
        if has_errors:
            return {}
        if not wait:
            search = self._known(document)
            if search is None:
                self._look_ahead(document)
            return {} if search is None else dict(search.functions)
        search = self._search(document.text, document.name)
        if search.task is not None:
            seconds = _SHORT_SECONDS if self._client_asks_by_itself or has_fixes else _SEARCH_SECONDS
            await asyncio.wait({search.task}, timeout=seconds)
        return dict(search.functions)

    def _known(self, document: Document) -> _Search | None:
        """The search for the text that a document has. An editor asks after each key, and to put a long text together
        and to hash it takes longer than all else: that is done for those texts alone that may be one of the searched.
        """
        if document.lines.length not in map(len, self._searches):
            return None
        return self._searches.get(document.text)

    def _search(self, text: str, name: str) -> _Search:
        """The search for this text, which is started where there is none."""
        search = self._searches.get(text)
        if search is None:
            search = self._searches[text] = _Search({})
            search.task = asyncio.create_task(self._run(search, text, name))
            while len(self._searches) > _TEXTS_KEPT:
                self._cancel(self._searches.pop(next(iter(self._searches))))
        return search

    def _look_ahead(self, document: Document) -> None:
        """Start the search for the text that the document has in idle time, unless it is too long."""
        if document.lines.length <= _LONGEST_AHEAD and (self._ahead is None or self._ahead.done()):
            self._ahead = asyncio.create_task(self._search_when_idle(document))

    async def _search_when_idle(self, document: Document) -> None:
        await self._idle_time.wait()
        if any(document is each for each in self._documents) and document.lines.length <= _LONGEST_AHEAD:
            self._search(document.text, document.name)

    def clear(self) -> None:
        """Forget all answers, because the settings or the extensions have changed."""
        self.cancel()
        self._searches.clear()

    def cancel(self) -> None:
        """Stop all searches."""
        if self._ahead is not None:
            self._ahead.cancel()
        for search in self._searches.values():
            self._cancel(search)

    @staticmethod
    def _cancel(search: _Search) -> None:
        if search.task is not None:
            search.task.cancel()

    async def _run(self, search: _Search, text: str, name: str) -> None:
        names = await self._analysis.thread.run(_passes_without_required_options)
        names += [
            described["name"]
            for described in self._extensions.passes
            if all(option["default"] is not None for option in described["options"])
        ]
        for candidate in names:
            if not any(document.text == text for document in self._documents):
                # No document has this text any more. If it comes back, the search starts again.
                self._searches.pop(text, None)
                return
            from ..worker.jobs import WouldChange

            settings = self._settings()
            job = WouldChange(text, name, PassCall(candidate), settings.opt_level)
            with contextlib.suppress(JobError):
                changed = await self._worker.run(self._extensions.job(job), timeout=settings.pass_timeout)
                if changed is not None:
                    search.functions[candidate] = changed


def _passes_without_required_options() -> list[str]:
    from relay_lsp.passes import registered

    return [
        name
        for name, kind in registered().items()
        if not any(option.required for option in kind.declaration().options.values())
    ]


def load_passes() -> Iterator[str]:
    """Load what their list needs, which the first menu would wait for; gives the names of their modules."""
    from relay_lsp.passes.infrastructure.registry import load_registered

    yield from load_registered()
