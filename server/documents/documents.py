"""The texts that the client has open, kept as the client has them.

A change is a splice of the text and of its line starts. The snapshot that features look at follows lazily, with one
edit for each place that has changed since, so a burst of keystrokes costs one analysis.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_difference import changed_part
from relay_lsp.ir.text.text_span import TextSpan

from .changed_places import ChangedPlace, Replacement, changed_places, joined
from .positions import Encoding, Range, span_of

if TYPE_CHECKING:
    from relay_lsp.ir.semantic.snapshot import Snapshot

__all__ = ["Advance", "Change", "Document", "Documents"]

_SPLICED: Final = 1 << 16
"""Where a text is replaced, the blocks of the old one are kept if no more than so many code points are new."""

_FOLLOWED_AT_ONCE: Final = 1 << 16
"""An edit of so much text is read in less than 40 ms, which the event loop can spare."""

_SECONDS_TO_READ: Final = 2e-7
"""What reading a code point of an edited text takes at least."""

_PLACES_AT_ONCE: Final = 4
"""So many places far from each other are followed in less than 40 ms, in what takes longest."""


class Change(msgspec.Struct, frozen=True):
    """One change of a text: ``range`` becomes ``text``; without a range, the whole text does."""

    text: str
    range: Range | None = None


class Advance(msgspec.Struct, frozen=True):
    """The work that gives the snapshot of a version, from an older one or from nothing. Runs on any thread.

    ``is_small`` says that it follows edits of few places and not much text.
    """

    count: int
    run: Callable[[], Snapshot]
    is_edit: bool
    generation: int = 0
    is_small: bool = False


class Document:
    """One open text: what the client sees at ``version``."""

    def __init__(self, uri: str, text: str | LineIndex, version: int = 0, language: str = "relay") -> None:
        self.uri = uri
        self.language = language
        self.version = version
        self.lines = LineIndex(text) if isinstance(text, str) else text
        self.doubt = ""
        """Why the text may not be the one that the client has; empty where nothing speaks for that."""
        self._snapshot: Snapshot | None = None
        self._edits: list[Replacement] = []
        self._generation = 0
        self._is_stale = False

    @property
    def text(self) -> str:
        """The text at ``version``."""
        return self.lines.text

    @property
    def name(self) -> str:
        """The last part of the URI: the name that spans and messages give to this source."""
        return self.uri.rpartition("/")[2] or self.uri

    def apply(self, changes: Sequence[Change], version: int, encoding: Encoding) -> None:
        """Apply the changes of one message, each to the text that the one before it left.

        Where they cannot have been meant for this text, :attr:`doubt` says why, until the whole text comes.
        """
        if 0 < version < self.version:
            self.doubt = f"a change to version {version} came after version {self.version}"
        self.version = version
        index = 0
        while index < len(changes):
            change = changes[index]
            if change.range is None:
                self._replace(LineIndex(change.text))
                self.doubt = ""
                index += 1
                continue
            batch = self._descending(changes, index, encoding)
            self._splice(batch)
            index += len(batch)

    def _descending(self, changes: Sequence[Change], first: int, encoding: Encoding) -> list[tuple[TextSpan, str]]:
        """The longest run of changes from ``first`` of which each lies before the one before it.

        All of them can be placed in the text as it is now. Editors send a rename or the typing of many cursors so.
        """
        batch: list[tuple[TextSpan, str]] = []
        for change in changes[first:]:
            if change.range is None:
                break
            span = span_of(self.lines, change.range, encoding)
            # A range that ends where the previous one began may have been cut off there, and mean its new text.
            if batch and span.end >= batch[-1][0].start:
                break
            start, end = change.range.start, change.range.end
            # Clients name the line behind the last one, or any that is far behind it, for the end of the text.
            if start.line > self.lines.line_count:
                self.doubt = f"line {start.line + 1:,} was changed, and there are {self.lines.line_count:,}"
            elif (start.line, start.character) > (end.line, end.character):
                self.doubt = "a range was changed that ends before it begins"
            batch.append((span, change.text))
        return batch

    def _replace(self, lines: LineIndex) -> None:
        span, changed = changed_part(self.lines, lines)
        length = changed.end - changed.start
        if length <= _SPLICED:
            self._splice([(span, lines.part(*changed))])
        else:
            self._edits.append(Replacement(span, length))
            self.lines = lines

    def _splice(self, batch: Sequence[tuple[TextSpan, str]]) -> None:
        for span, new_text in joined(self.lines, batch):
            self._edits.append(Replacement(span, len(new_text)))
            self.lines = self.lines.edited(span, new_text)

    @property
    def ready(self) -> Snapshot | None:
        """The snapshot of the text at ``version``, where it is there already."""
        return None if self._edits or self._is_stale else self._snapshot

    @property
    def has_snapshot(self) -> bool:
        """Whether there is a snapshot of some version."""
        return self._snapshot is not None

    def is_rewritten_since(self, advance: Advance) -> bool:
        """Whether most of the text is another than the one that ``advance`` was made for."""
        changed = sum(max(edit.span.end - edit.span.start, edit.length) for edit in self._edits[advance.count :])
        return 2 * changed > self.lines.length

    def reopen(self) -> None:
        """Analyse the whole text again when it is next asked for: operators that it calls are declared otherwise."""
        self._generation += 1
        self._is_stale = True
        self._edits = []

    @property
    def current(self) -> Snapshot:
        """The newest snapshot made so far.

        Raises:
            LookupError: none was made yet.
        """
        if self._snapshot is None:
            raise LookupError(self.uri)
        return self._snapshot

    def advance(self) -> Advance | None:
        """What must run, on any thread, to give the snapshot of this version; ``None`` where it is there."""
        base, lines = self._snapshot, self.lines
        generation = self._generation
        if base is None or self._is_stale:
            return Advance(len(self._edits), lambda: _open(lines, self.name), False, generation)
        if not self._edits:
            return None
        places = changed_places(self._edits)
        is_small = len(places) <= _PLACES_AT_ONCE and sum(place.size for place in places) <= _FOLLOWED_AT_ONCE
        return Advance(len(self._edits), lambda: _edited(base, places, lines), True, generation, is_small)

    def accept(self, advance: Advance, snapshot: Snapshot) -> Snapshot:
        """Take what :meth:`advance` gave. Edits that came in the meantime stay to be done."""
        if advance.generation == self._generation:
            self._snapshot = snapshot
            self._is_stale = False
            del self._edits[: advance.count]
        return snapshot


def _edited(base: Snapshot, places: Sequence[ChangedPlace], lines: LineIndex) -> Snapshot:
    """The snapshot of a text in which places have changed since another: from below, so that those above stay.

    What many edits that reach far cost together, one that covers all costs once: where following them takes as long as
    reading all between them would, it is that one that is followed.
    """
    whole = places[0].cover(places[-1])
    end = time.monotonic() + whole.size * _SECONDS_TO_READ
    snapshot = base
    for place in reversed(places[1:]):
        snapshot = snapshot.edit(place.before, lines.part(*place.after))
        if len(places) > _PLACES_AT_ONCE:
            snapshot.analyse(lambda part: None)
            if time.monotonic() > end:
                return base.edit(whole.before, lines.part(*whole.after), lines)
    return snapshot.edit(places[0].before, lines.part(*places[0].after), lines)


def _open(lines: LineIndex, name: str) -> Snapshot:
    from relay_lsp.ir.semantic.snapshot import Snapshot

    return Snapshot.open(lines, name)


class Documents:
    """Every open document, by URI."""

    def __init__(self) -> None:
        self.encoding = Encoding.UTF_16
        self.read_only_schemes: frozenset[str] = frozenset()
        """The schemes of the URIs of texts that the client only shows, such as those of its previews."""
        self._by_uri: dict[str, Document] = {}

    def open(self, uri: str, text: str | LineIndex, version: int, language: str = "relay") -> Document:
        """Take over a text; one that is open already is replaced."""
        document = self._by_uri[uri] = Document(uri, text, version, language)
        return document

    def change(self, uri: str, changes: Sequence[Change], version: int) -> Document | None:
        """Apply changes; ``None`` where the text they belong to is not known.

        A change of a document that was never opened is taken as its opening where it carries the whole text.
        """
        document = self._by_uri.get(uri)
        if document is None:
            whole = next((index for index, change in enumerate(changes) if change.range is None), None)
            if whole is None:
                return None
            document = self.open(uri, changes[whole].text, version)
            changes = changes[whole + 1 :]
        document.apply(changes, version, self.encoding)
        return document

    def close(self, uri: str) -> None:
        """Forget a text."""
        self._by_uri.pop(uri, None)

    def find(self, uri: str) -> Document | None:
        """The open document of this URI, if there is one."""
        return self._by_uri.get(uri)

    def is_open(self, document: Document) -> bool:
        """Whether a document is still open: after it was closed, another may be at its URI."""
        return self._by_uri.get(document.uri) is document

    def is_read_only(self, uri: str) -> bool:
        """Whether the client shows this text only: it is no text of the workspace, and its faults are of no use."""
        return uri.partition(":")[0] in self.read_only_schemes

    @property
    def of_workspace(self) -> Iterator[Document]:
        """The open documents but those that the client only shows."""
        return (document for document in self if not self.is_read_only(document.uri))

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_uri.values()))
