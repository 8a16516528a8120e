"""What runs in the worker writes in the folders that it was given, and in one of its own for temporary files."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from relay_lsp.server.worker.worker import JobError, Worker
from tests.server.worker.test_worker import Code

_CREATE_RULESET, _ASK_VERSION = 444, 1


def _version_of_landlock() -> int:
    if not sys.platform.startswith("linux"):
        return 0
    return ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)


VERSION = _version_of_landlock()
pytestmark = pytest.mark.skipif(VERSION < 3, reason="the kernel has no Landlock, or an early one")
needs_scopes = pytest.mark.skipif(VERSION < 6, reason="before, Landlock knows nothing of signals")


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    path = tmp_path / "inside"
    path.mkdir()
    (path / "there.txt").write_text("kept", encoding="utf-8")
    return path


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside"
    path.mkdir()
    (path / "there.txt").write_text("kept", encoding="utf-8")
    return path


@pytest_asyncio.fixture
async def worker(inside: Path) -> AsyncIterator[Worker]:
    made = Worker(writable=lambda: [str(inside)])
    yield made
    await made.close()


CHANGES = {
    "a new file": "open(folder + '/new.txt', 'w')",
    "a file that is there": "open(folder + '/there.txt', 'a')",
    "the length of a file": "os.truncate(folder + '/there.txt', 0)",
    "a folder": "os.mkdir(folder + '/new')",
    "a link": "os.symlink('/', folder + '/new')",
    "a pipe": "os.mkfifo(folder + '/new')",
    "another name": "os.rename(folder + '/there.txt', folder + '/new.txt')",
    "none of it": "os.remove(folder + '/there.txt')",
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_job_changes_what_is_in_its_folders_and_nothing_else(
    change: str, worker: Worker, inside: Path, outside: Path
) -> None:
    await worker.run(Code(f"import os; folder = {str(inside)!r}; {CHANGES[change]}"))
    with pytest.raises(JobError, match="Permission denied"):
        await worker.run(Code(f"import os; folder = {str(outside)!r}; {CHANGES[change]}"))
    assert [path.name for path in outside.iterdir()] == ["there.txt"]
    assert (outside / "there.txt").read_text(encoding="utf-8") == "kept"


async def test_a_link_or_a_process_leads_out_no_more_than_a_path(worker: Worker, inside: Path, outside: Path) -> None:
    (inside / "way").symlink_to(outside)
    with pytest.raises(JobError, match="Permission denied"):
        await worker.run(Code(f"open({str(inside / 'way' / 'new.txt')!r}, 'w')"))
    write = f"open({str(outside / 'new.txt')!r}, 'w')"
    job = (
        f"import subprocess, sys; return subprocess.run([sys.executable, '-c', {write!r}], capture_output=True).stderr"
    )
    answer = await worker.run(Code(job))
    assert isinstance(answer, bytes)
    assert b"PermissionError" in answer


async def test_what_is_outside_can_be_read(worker: Worker, outside: Path) -> None:
    assert await worker.run(Code(f"return open({str(outside / 'there.txt')!r}).read()")) == "kept"


async def test_temporary_files_are_in_a_folder_of_the_worker_which_goes_with_it(inside: Path) -> None:
    worker = Worker()
    path = await worker.run(Code("import tempfile\nreturn tempfile.mkstemp()[1]"))
    assert isinstance(path, str)
    assert Path(path).exists()
    await worker.close()
    assert not Path(path).parent.exists()


async def test_other_folders_hold_from_the_next_job_on(inside: Path, outside: Path) -> None:
    folders = [str(inside)]
    worker = Worker(writable=lambda: folders)
    write = Code(f"open({str(outside / 'new.txt')!r}, 'w')")
    try:
        with pytest.raises(JobError, match="Permission denied"):
            await worker.run(write)
        folders.append(str(outside))
        await worker.run(write)
        folders.remove(str(outside))
        with pytest.raises(JobError, match="Permission denied"):
            await worker.run(write)
    finally:
        await worker.close()


async def test_a_folder_that_is_not_there_is_neither_made_nor_written_in(tmp_path: Path) -> None:
    worker = Worker(writable=lambda: [str(tmp_path / "later")])
    try:
        with pytest.raises(JobError, match="Permission denied"):
            await worker.run(Code(f"import os; os.mkdir({str(tmp_path / 'later')!r})"))
    finally:
        await worker.close()
    assert not (tmp_path / "later").exists()


@needs_scopes
async def test_a_job_ends_no_process_that_it_has_not_started(worker: Worker) -> None:
    with pytest.raises(JobError, match="Operation not permitted"):
        await worker.run(Code("import os; os.kill(os.getppid(), 0)"))
    started = (
        "import os, subprocess\nprocess = subprocess.Popen(['sleep', '60'])\nprocess.kill()\nreturn process.wait()"
    )
    assert await worker.run(Code(started)) == -9


async def test_a_job_reads_nothing_of_the_memory_of_others(worker: Worker) -> None:
    with pytest.raises(JobError, match="Permission denied"):
        await worker.run(Code("import os; open(f'/proc/{os.getppid()}/mem', 'rb')"))
