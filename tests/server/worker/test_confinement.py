"""What runs in the worker reaches no network and no other process; what it writes is read as data."""

from __future__ import annotations

import asyncio
import os
import pickle
import platform
import signal
import sys

import pytest

from relay_lsp.server.worker.worker import JobError, Worker, WorkerDied
from relay_lsp.server.worker.worker_process import Done, read_data
from tests.server.worker.test_worker import Code

confined = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"),
    reason="there is a filter of system calls on Linux alone",
)
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


async def outcome_of(code: str) -> object:
    worker = Worker()
    try:
        return await worker.run(Code(code))
    finally:
        await worker.close()


@confined
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_PACKET", "AF_NETLINK", "AF_UNIX"])
async def test_a_job_reaches_no_network(family: str) -> None:
    with pytest.raises(JobError, match="Operation not permitted"):
        await outcome_of(f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)")


@confined
async def test_what_a_job_starts_reaches_no_network_either() -> None:
    code = "import socket; socket.socket(socket.AF_INET)"
    job = f"import subprocess, sys; return subprocess.run([sys.executable, '-c', {code!r}], capture_output=True).stderr"
    answer = await outcome_of(job)
    assert isinstance(answer, bytes)
    assert b"PermissionError" in answer


@confined
async def test_a_job_does_not_look_into_other_processes() -> None:
    code = "import ctypes, os; c = ctypes.CDLL(None, use_errno=True); c.ptrace(16, os.getppid(), 0, 0)"
    assert await outcome_of(f"{code}; return ctypes.get_errno()") == 1


@confined
async def test_what_a_job_needs_it_has() -> None:
    code = """
    import socket, tempfile, threading, numpy
    one, other = socket.socketpair()
    one.send(b"1")
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    with tempfile.TemporaryFile() as file:
        file.write(b"1")
    return other.recv(1) == b"1" and float(numpy.ones((300, 300)).dot(numpy.ones(300)).sum())
    """
    assert await outcome_of(code) == 90_000.0


class _Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("echo should never run >&2; exit 1",)


@pytest.mark.parametrize("value", [_Evil(), os.system, Worker, [Done(1, _Evil())]])
def test_what_the_worker_writes_is_data_or_refused(value: object) -> None:
    with pytest.raises(pickle.UnpicklingError, match="is no data"):
        read_data(pickle.dumps(value))


@pytest.mark.skipif(sys.platform == "win32", reason="the descriptor has another number")
async def test_a_job_that_writes_other_answers_ends_its_own_process_only() -> None:
    worker = Worker()
    write = "import os, time\nfor descriptor in range(3, 9):\n  "
    write += "try: os.write(descriptor, b'\\x00\\x00\\x00\\x04\\x80\\x05cX')\n  except OSError: pass\ntime.sleep(5)"
    try:
        with pytest.raises(WorkerDied):
            await worker.run(Code(write.replace("\n", "\n    ")))
        assert await worker.run(Code("return 'another'")) == "another"
    finally:
        await worker.close()


@needs_posix
async def test_an_interrupt_from_the_terminal_does_not_reach_a_worker_that_starts() -> None:
    """A terminal sends it to the processes of its session, of which the worker is none, however early it comes."""
    worker = Worker()
    running = asyncio.ensure_future(worker.run(Code("return 'started'")))
    while worker.process_id is None:
        await asyncio.sleep(0)
    assert os.getsid(worker.process_id) != os.getsid(0)
    assert await running == "started"
    await worker.close()


@needs_posix
@pytest.mark.parametrize("moment", [0.0, 0.05, 0.15, 0.3, 0.6])
async def test_a_worker_that_is_killed_at_any_moment_costs_its_own_result(moment: float) -> None:
    worker = Worker()
    job = asyncio.ensure_future(
        worker.run(Code("import numpy, relay_lsp.passes as p\nimport time; time.sleep(5); return 'late'"))
    )
    while worker.process_id is None:
        await asyncio.sleep(0)
    await asyncio.sleep(moment)
    assert worker.process_id is not None
    os.kill(worker.process_id, signal.SIGKILL)
    (outcome,) = await asyncio.gather(job, return_exceptions=True)
    assert isinstance(outcome, WorkerDied)
    assert outcome.message == "the worker process ended unexpectedly (signal 9)"
    assert await worker.run(Code("return 'next'")) == "next"
    await worker.close()
