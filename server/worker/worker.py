"""The worker as the server sees it: a process that can be cancelled, timed out, killed and started again."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..import_path import environment, safe_path
from .worker_process import Cancel, Done, Job, Reported, Run, TaskFailed, read_data, write_frame

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

__all__ = ["JobCancelled", "JobError", "JobTimeout", "Worker", "WorkerDied"]

Result = TypeVar("Result")

logger = logging.getLogger(__name__)

_GRACE_SECONDS = 0.15
"""How long a cancelled job may go on before its process is killed: a user who cancels sees it end within 0.3 s."""


class JobError(Exception):
    """A job failed. ``details`` is the traceback in the worker, for the log."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class JobTimeout(JobError):
    """A job took longer than it was given, and was stopped."""


class WorkerDied(JobError):
    """The process ended in the middle of a job: a crash, or the system's memory ran out."""


class JobCancelled(JobError):
    """The worker was stopped while the job ran."""


class Worker:
    """One process for one job at a time; the others wait their turn. It starts with the first job."""

    def __init__(self, memory_limit: int = 0, writable: Callable[[], Sequence[str]] = tuple) -> None:
        """A worker whose process may write in the folders that ``writable`` gives, and in one of its own."""
        self.memory_limit = memory_limit
        """Bytes that the process may take; 0 for no limit. Heeded at the next start."""
        self._writable = writable
        self._confined_to: tuple[str, ...] = ()
        self._temporary: TemporaryDirectory[str] | None = None
        self._process: Process | None = None
        self._starting: asyncio.Task[Process] | None = None
        self._has_ended = False
        self._reader: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._ids = itertools.count(1)
        self._current: tuple[int, asyncio.Future[Any], Callable[[str], object]] | None = None

    async def run(
        self, job: Job[Result], *, timeout: float | None = None, progress: Callable[[str], object] = lambda _: None
    ) -> Result:
        """What ``job.run`` gives, in the worker. Cancelling the caller stops the job.

        Raises:
            JobTimeout: it took longer than ``timeout`` seconds, and was stopped.
            WorkerDied: the process ended.
            JobCancelled: the worker was restarted meanwhile, or has ended.
            JobError: it raised.
        """
        async with self._turn:
            if self._has_ended:
                raise JobCancelled("the server is about to end")
            process = await self._started()
            identity = next(self._ids)
            answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
            self._current = (identity, answer, progress)
            try:
                await self._write(process, Run(identity, job))
                done, _ = await asyncio.wait({answer}, timeout=timeout or None)
                if done:
                    return answer.result()
                await self._stop(process, identity, answer)
                raise JobTimeout(f"stopped after {timeout:g} seconds")
            except asyncio.CancelledError:
                await asyncio.shield(self._stop(process, identity, answer))
                raise
            finally:
                self._current = None
                if answer.done() and not answer.cancelled():
                    # Looked at, so that asyncio does not complain of an exception that was not retrieved.
                    answer.exception()

    def restart(self) -> None:
        """Kill the process; the next job starts another."""
        self._kill()

    def end(self) -> None:
        """Kill the process for good; no other is started."""
        self._has_ended = True
        self._kill()
        if self._temporary is not None and self._starting is None:
            self._temporary.cleanup()

    async def close(self) -> None:
        """End the process, and wait until it is gone."""
        self.end()
        if self._starting is not None:
            await asyncio.wait({self._starting})
        if self._reader is not None:
            await asyncio.wait({self._reader})
        if self._temporary is not None:
            self._temporary.cleanup()

    @property
    def process_id(self) -> int | None:
        """The process's number, while there is one."""
        return None if self._process is None else self._process.pid

    async def _started(self) -> Process:
        if self._process is not None and self._process.returncode is None:
            if self._confined_to == tuple(self._writable()):
                return self._process
            self._kill()  # what holds for a process cannot be widened; and narrowed, it should be at once
        if self._starting is None:
            self._starting = asyncio.create_task(self._start())
        # A process is let start even if no caller waits for it any more: asyncio can be caught in a half-started one.
        return await asyncio.shield(self._starting)

    async def _start(self) -> Process:
        try:
            if self._temporary is None:
                from tempfile import TemporaryDirectory

                self._temporary = TemporaryDirectory(prefix="relay-lsp-", ignore_cleanup_errors=True)
            own = self._temporary.name
            self._confined_to = tuple(self._writable())
            process = await asyncio.create_subprocess_exec(
                *_command(self.memory_limit, (own, *self._confined_to)),
                env={**environment(), **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), own)},
                stdin=PIPE,
                stdout=PIPE,
                start_new_session=True,
            )
        finally:
            self._starting = None
        self._process = process
        self._reader = asyncio.create_task(self._read(process))
        if self._has_ended:
            self._kill()
        return process

    async def _write(self, process: Process, message: object) -> None:
        assert process.stdin is not None
        # A process that has just died is noticed in `_read`; its closed input needs no handling here.
        with contextlib.suppress(ConnectionError):
            process.stdin.write(write_frame(message))
            await process.stdin.drain()

    async def _read(self, process: Process) -> None:
        stream = process.stdout
        assert stream is not None
        try:
            while True:
                length = int.from_bytes(await stream.readexactly(4), "big")
                self._take(read_data(await stream.readexactly(length)))
        except asyncio.IncompleteReadError:
            _kill_all(process)  # what it has started, if anything of that is left
            code = await process.wait()
        except Exception as error:  # code of users may write anything to where answers are written
            logger.warning("the worker does not answer as it should (%s) and is killed", error)
            _kill_all(process)
            code = await process.wait()
        if self._process is process:
            self._process = None
            self._fail(WorkerDied(f"the worker process ended unexpectedly ({_in_words(code)})"))

    def _take(self, message: Done | TaskFailed | Reported) -> None:
        if self._current is None or self._current[0] != message.id:
            return
        _, answer, progress = self._current
        if isinstance(message, Reported):
            progress(message.message)
        elif not answer.done():
            if isinstance(message, Done):
                answer.set_result(message.result)
            else:
                kind = JobCancelled if message.cancelled else JobError
                answer.set_exception(kind(message.message, message.details))

    def _fail(self, error: JobError) -> None:
        if self._current is not None and not self._current[1].done():
            self._current[1].set_exception(error)

    async def _stop(self, process: Process, identity: int, answer: asyncio.Future[Any]) -> None:
        if answer.done():
            return
        # A process that does not read any more must not keep us either.
        asking = asyncio.ensure_future(self._write(process, Cancel(identity)))
        await asyncio.wait({answer}, timeout=_GRACE_SECONDS)
        asking.cancel()
        if not answer.done():
            logger.warning("the worker does not heed a cancellation and is killed")
            self._kill()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            _kill_all(process)
        self._fail(JobCancelled("the worker was stopped"))


def _kill_all(process: Process) -> None:
    """Kill a worker's process and what it has started, which is in its group unless it has left that."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _command(memory_limit: int, writable: Sequence[str]) -> list[str]:
    """What starts the process. It imports from where this one does, and never from the folder that it is started in.

    With ``-m`` Python would look into that folder before our first line; so it would with ``-c``, from 3.13 on and
    without ``-P``, which came with 3.11.
    """
    start = (
        f"import sys; sys.path[:] = {safe_path()!a}; "
        f"from {__package__} import worker_process; worker_process.main({memory_limit}, {writable!a})"
    )
    return [sys.executable, *(["-P"] if sys.version_info >= (3, 11) else []), "-c", start]


def _in_words(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
