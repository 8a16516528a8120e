"""The pass history on disk, so that a buffer that is opened next week still has the steps that led to its text.

A step is keyed by the content of the text before and after it. The file is bounded in size (the texts that were used
least recently go first), may be used by several servers at once (SQLite in WAL mode), and where it is damaged it is set
aside under another name and a new one begun, which the other servers take up as well. A file of a newer version of this
program is left alone, and the history kept in memory.
"""

from __future__ import annotations

import hashlib
import math
import os
import sqlite3
import sys
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from .rows import (
    STEP_COLUMNS,
    StepDetails,
    StepRecord,
    packed_details,
    packed_layers,
    packed_origins,
    step_of_row,
    unpacked_layers,
)

if TYPE_CHECKING:
    from relay_lsp.ir.text.line_index import LineIndex

    from ..worker.pass_changes import SpanLayers

__all__ = ["HistoryStore", "content_hash", "default_folder"]

_FILE = "history.sqlite"
_FORMAT = 3
_BUSY_SECONDS = 5.0
_LONGEST_CHAIN = 1000
_HASHED = 1 << 16
_PASSING = ("locked", "locking", "full", "readonly", "disk I/O error", "unable to open", "permission", "interrupted")
_LARGEST_NUMBER = 2**63 - 1
"""The largest number of a row that SQLite has."""
_NO_DETAILS = StepDetails()
_Value = TypeVar("_Value")

_TABLES = """
CREATE TABLE IF NOT EXISTS texts (hash TEXT PRIMARY KEY, body BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL);
CREATE TABLE IF NOT EXISTS steps (
    id INTEGER PRIMARY KEY, before TEXT NOT NULL, after TEXT NOT NULL, pass TEXT NOT NULL,
    seconds REAL NOT NULL, time REAL NOT NULL, origins BLOB NOT NULL, details TEXT NOT NULL DEFAULT '{}'
);
CREATE TABLE IF NOT EXISTS origins (hash TEXT PRIMARY KEY, layers BLOB, base TEXT);
CREATE INDEX IF NOT EXISTS texts_used ON texts (used);
CREATE INDEX IF NOT EXISTS steps_after ON steps (after, time);
CREATE INDEX IF NOT EXISTS steps_before ON steps (before);
"""

_MIGRATIONS = {
    1: "ALTER TABLE steps ADD COLUMN details TEXT NOT NULL DEFAULT '{}'",
    2: "CREATE TABLE IF NOT EXISTS origins (hash TEXT PRIMARY KEY, layers BLOB, base TEXT)",
}
"""What makes of a file of an older format one of the next."""


def content_hash(text: str | LineIndex) -> str:
    """The key of a text, or of the one that an index is of; a long one need not be put together for it."""
    if isinstance(text, str):
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    digest = hashlib.sha256()
    for start in range(0, text.length, _HASHED):
        digest.update(text.part(start, start + _HASHED).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def default_folder() -> Path:
    """The folder where programs keep their state on this system."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return base / "relay-lsp"


class HistoryStore:
    """The store. Safe to use from several threads. A file that cannot be used is reported and never raises.

    Args:
        folder: where the file lies; ``None`` keeps everything in memory.
        maximum_bytes: the largest size of the compressed texts, in bytes.
        report: called with a sentence when the file cannot be used.
    """

    def __init__(
        self, folder: Path | None, maximum_bytes: int = 64 << 20, report: Callable[[str], object] = lambda _: None
    ) -> None:
        self._path = folder / _FILE if folder is not None else None
        self._maximum_bytes = maximum_bytes
        self._report_problem = report
        self._reported: set[str] = set()
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened: _Identity | None = None
        """Which file the connection is to: another server may have set that aside meanwhile."""

    def record(
        self,
        pass_name: str,
        before: str,
        after: str,
        seconds: float,
        origins: Sequence[tuple[int, int, Sequence[tuple[int, int]]]] = (),
        details: StepDetails = _NO_DETAILS,
    ) -> None:
        """Record that a pass turned one text into another; a pass that changed nothing is not recorded."""
        if before == after:
            return
        now = time.time()

        def add(database: sqlite3.Connection) -> None:
            used = _next_moment(database)
            for text in (before, after):
                _keep_text(database, text, used)
            database.execute(
                "INSERT INTO steps (before, after, pass, seconds, time, origins, details) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(content_hash(before), content_hash(after), pass_name),
                    *(seconds, now, packed_origins(origins), packed_details(details)),
                ),
            )
            self._shrink(database)

        self._transact(add, None)

    def keep_layers(self, text: str, layers: SpanLayers) -> None:
        """Remember, by its content, which layers the values of a text came from; what was known before gives way."""

        def keep(database: sqlite3.Connection) -> None:
            database.execute(
                "INSERT INTO origins (hash, layers) VALUES (?, ?) "
                "ON CONFLICT (hash) DO UPDATE SET layers = excluded.layers",
                (content_hash(text), packed_layers(layers)),
            )
            self._shrink(database)

        self._transact(keep, None)

    def layers(self, text: str | LineIndex) -> SpanLayers:
        """The layers that the values of a text came from, as far as they are recorded."""

        def read(database: sqlite3.Connection) -> SpanLayers:
            row = database.execute("SELECT layers FROM origins WHERE hash = ?", (content_hash(text),)).fetchone()
            return unpacked_layers(_checked(row[0], bytes)) if row is not None and row[0] is not None else ()

        return self._transact(read, ())

    def keep_base(self, text: str, base: str) -> None:
        """Remember that ``text`` was made of ``base`` by hand, so that what is known of its values is found again."""

        def keep(database: sqlite3.Connection) -> None:
            _keep_text(database, base, _next_moment(database))
            database.execute(
                "INSERT INTO origins (hash, base) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET base = excluded.base",
                (content_hash(text), content_hash(base)),
            )
            self._shrink(database)

        self._transact(keep, None)

    def base(self, text: str | LineIndex) -> str | None:
        """The known text that ``text`` was made of by hand; itself where it is known."""
        key = content_hash(text)
        if (own := self.text(key)) is not None:
            return own

        def read(database: sqlite3.Connection) -> str | None:
            row = database.execute("SELECT base FROM origins WHERE hash = ?", (key,)).fetchone()
            return _checked(row[0], str) if row is not None and row[0] is not None else None

        known = self._transact(read, None)
        return self.text(known) if known is not None else None

    def steps_to(self, text: str) -> tuple[StepRecord, ...]:
        """How ``text`` came to be: the steps that lead to it, the first one first.

        Where the same text came out of several steps, the newest one counts: to the text itself of all, to each text
        before it of those that were recorded before it was left. So a text that was left and is there again has what
        led to it at first in its history as well.
        """
        return tuple(reversed(self._chain(text, "after")))

    def steps_from(self, text: str) -> tuple[StepRecord, ...]:
        """What was made of ``text``: the steps that lead away from it, the first one first; of several the newest."""
        return tuple(self._chain(text, "before"))

    def _chain(self, text: str, end: str) -> list[StepRecord]:
        """The steps that hang together, from the one whose ``end`` (``before`` or ``after``) is ``text`` on."""
        key = content_hash(text)
        return self._transact(lambda database: _chain_from(database, key, end), [])

    def text(self, key: str) -> str | None:
        """The text of this content hash, if the store still has it."""

        def read(database: sqlite3.Connection) -> str | None:
            row = database.execute("SELECT body FROM texts WHERE hash = ?", (key,)).fetchone()
            if row is None:
                return None
            database.execute("UPDATE texts SET used = ? WHERE hash = ?", (_next_moment(database), key))
            text = zlib.decompress(_checked(row[0], bytes)).decode("utf-8", "surrogatepass")
            if content_hash(text) != key:
                raise ValueError("a text is not the one that its key says")
            return text

        return self._transact(read, None)

    def step(self, identity: int) -> StepRecord | None:
        """The step of this number, if the store still has it."""
        if not 0 <= identity <= _LARGEST_NUMBER:
            return None

        def read(database: sqlite3.Connection) -> StepRecord | None:
            row = database.execute(f"SELECT {STEP_COLUMNS} FROM steps WHERE id = ?", (identity,)).fetchone()
            return None if row is None else step_of_row(row)

        return self._transact(read, None)

    def clear(self) -> None:
        """Forget everything."""

        def forget(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM steps")
            database.execute("DELETE FROM texts")
            database.execute("DELETE FROM origins")

        self._transact(forget, None)

    def _report(self, problem: str) -> None:
        """Report a problem; one that stays, such as a full disk, once."""
        if problem not in self._reported:
            self._reported.add(problem)
            self._report_problem(problem)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._let_go()

    def _transact(self, work: Callable[[sqlite3.Connection], _Value], otherwise: _Value) -> _Value:
        """What ``work`` gives in a transaction that is committed at its end. What goes wrong is reported.

        Where the file is damaged it is set aside, and the work done in the new one; where it cannot be used at the
        moment, or is damaged again at once, the answer is ``otherwise``.
        """
        with self._lock:
            for _ in range(2):
                try:
                    connection = self._connect()
                    with connection:
                        return work(connection)
                except (sqlite3.DatabaseError, zlib.error, ValueError) as error:
                    if _is_passing(error):
                        self._report(f"the pass history could not be used this time: {error}")
                        break
                    self._set_aside(error)
        return otherwise

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None and self._path is not None and _identity(self._path) != self._opened:
            self._let_go()
        if self._connection is None:
            self._connection = self._open_file()
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self._opened = None, None

    def _open_file(self) -> sqlite3.Connection:
        """The database in the file; where there can be none, one in memory, and a report of why."""
        try:
            if self._path is not None:
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _make_private(self._path)
                self._opened = _identity(self._path)
                connection = self._prepare_patiently(str(self._path))
                self._opened = _identity(self._path)
                return connection
        except (sqlite3.DatabaseError, OSError, _NewerFormat) as error:
            if isinstance(error, sqlite3.DatabaseError) and not _is_passing(error):
                self._set_aside(error)
                return self._open_file()
            self._report(f"the pass history is kept in memory only: {self._path}: {error}")
            self._path = None
        return self._prepare(":memory:")

    def _prepare_patiently(self, path: str) -> sqlite3.Connection:
        """The database in a file that others may begin at this moment: SQLite does not wait for them by itself when it
        turns the file to a log of writes."""
        give_up = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                return self._prepare(path)
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > give_up:
                    raise
                time.sleep(0.02)

    @staticmethod
    def _prepare(path: str) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version in _MIGRATIONS:
                version = _migrate(connection)
            if version > _FORMAT:
                raise _NewerFormat(f"a newer version of relay-lsp has written it (format {version}, not {_FORMAT})")
            connection.executescript(_TABLES)
            connection.execute(f"PRAGMA user_version = {_FORMAT}")
            connection.commit()
            _give_back_space(connection)
        except (sqlite3.Error, _NewerFormat):
            connection.close()
            raise
        return connection

    def _set_aside(self, error: Exception) -> None:
        """Rename the file, so that what is in it is not lost, and begin a new one, unless another server has."""
        damaged = self._opened
        self._let_go()
        if self._path is None or damaged is None or _identity(self._path) != damaged:
            return
        aside = _unused(self._path.with_name(f"{self._path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"))
        try:
            # What belongs to the file goes first, so that nothing of a new one, of another process, is taken along.
            for suffix in ("-wal", "-shm"):
                companion = self._path.with_name(self._path.name + suffix)
                if companion.exists():
                    companion.replace(aside.with_name(aside.name + suffix))
            self._path.replace(aside)
        except OSError as failure:
            self._report(f"the pass history cannot be read ({error}) nor set aside ({failure})")
            self._path = None
            return
        self._report(f"the pass history could not be read ({error}); it was set aside as {aside} and a new one begun")

    def _shrink(self, database: sqlite3.Connection) -> None:
        """Forget the texts that were used least recently, and the steps that they belong to."""
        while _size(database) > self._maximum_bytes:
            row = database.execute("SELECT hash FROM texts ORDER BY used LIMIT 1").fetchone()
            if row is None:
                return
            database.execute("DELETE FROM texts WHERE hash = ?", row)
            database.execute("DELETE FROM steps WHERE before = ? OR after = ?", (row[0], row[0]))
            database.execute("DELETE FROM origins WHERE hash = ? OR base = ?", (row[0], row[0]))


class _NewerFormat(Exception):
    """The file is of a version of the program that comes after this one."""


def _is_passing(error: Exception) -> bool:
    """Whether an error says that a file cannot be used at the moment, rather than that it is damaged.

    The words are SQLite's for these conditions (https://sqlite.org/rescode.html); Python 3.10 does not give the codes.
    """
    return isinstance(error, sqlite3.OperationalError) and any(words in str(error) for words in _PASSING)


_Identity = tuple[int, int]
"""Device and number of a file, which stay when it gets another name."""


def _identity(path: Path) -> _Identity | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _make_private(path: Path) -> None:
    """Let only its owner read a file, from the moment that there is one: it holds whole texts.

    The files that SQLite puts beside it get the same permissions.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    if sys.platform != "win32" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def _unused(path: Path) -> Path:
    """``path``, or with a number behind it where there is such a file already."""
    unused, number = path, 1
    while unused.exists():
        number += 1
        unused = path.with_name(f"{path.name}-{number}")
    return unused


def _size(database: sqlite3.Connection) -> int:
    """Bytes that texts and steps take."""
    (texts,) = database.execute("SELECT coalesce(sum(size), 0) FROM texts").fetchone()
    (steps,) = database.execute("SELECT coalesce(sum(length(origins) + length(details)), 0) FROM steps").fetchone()
    (layers,) = database.execute("SELECT coalesce(sum(length(layers)), 0) FROM origins").fetchone()
    return texts + steps + layers


def _next_moment(database: sqlite3.Connection) -> float:
    """What comes after all moments at which texts were used, whatever the clock says: it may have been set back."""
    (newest,) = database.execute("SELECT max(used) FROM texts").fetchone()
    return time.time() if newest is None else max(time.time(), math.nextafter(_checked(newest, float), math.inf))


def _chain_from(database: sqlite3.Connection, key: str, end: str) -> list[StepRecord]:
    """The steps that hang together, from the one whose ``end`` (``before`` or ``after``) has this key on."""
    steps: list[StepRecord] = []
    seen = {key}
    while len(steps) < _LONGEST_CHAIN:
        left = steps[-1].id if steps and end == "after" else None
        row = database.execute(
            f"SELECT {STEP_COLUMNS} FROM steps WHERE {end} = ? ORDER BY id < ? DESC, id DESC LIMIT 1",
            (key, left),
        ).fetchone()
        if row is None:
            break
        step = step_of_row(row)
        if key != (step.after if end == "after" else step.before):
            raise ValueError("a step is not the one that its key says")
        key = step.before if end == "after" else step.after
        # Further back in time no step comes twice.
        is_earlier = left is not None and step.id < left
        if key in seen and not is_earlier:
            break
        steps.append(step)
        seen.add(key)
    return steps


def _checked(value: object, kind: type[_Value]) -> _Value:
    """A value of a row. SQLite gives a damaged one with whatever type it has then.

    Raises:
        ValueError: it has another type than its column.
    """
    return msgspec.convert(value, kind)


def _keep_text(database: sqlite3.Connection, text: str, now: float) -> None:
    body = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
    database.execute(
        "INSERT INTO texts VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO UPDATE SET used = excluded.used",
        (content_hash(text), body, len(body), now),
    )


def _give_back_space(connection: sqlite3.Connection) -> None:
    """Compact the file where most of it is empty and no other process is using it."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (empty,) = connection.execute("PRAGMA freelist_count").fetchone()
    if empty > pages // 2:
        with suppress(sqlite3.OperationalError):
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _migrate(connection: sqlite3.Connection) -> int:
    """Bring a file of an older format up to date, unless another server has done so meanwhile; gives its format."""
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    while version in _MIGRATIONS:
        connection.execute(_MIGRATIONS[version])
        version += 1
    connection.execute(f"PRAGMA user_version = {version}")
    connection.commit()
    return version
