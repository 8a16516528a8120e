"""The worker does one job at a time, and can be cancelled, timed out, killed and started again."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import textwrap
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses
from relay_lsp.server.worker.worker import JobCancelled, JobError, JobTimeout, Worker, WorkerDied
from relay_lsp.server.worker.worker_process import Progress

FOREVER = "while True: pass"


class Code:
    """A job made of source text. It travels as a call of ``eval``, since the worker cannot import a test."""

    def __init__(self, code: str) -> None:
        body = textwrap.indent(textwrap.dedent(code).strip(), "  ")
        self.source = f"class Job:\n def run(self, progress):\n{body}"

    def run(self, progress: Progress) -> Any:
        raise AssertionError("it runs in the worker only")

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return eval, (f"(space := {{}}, exec({self.source!r}, space), space['Job']())[-1]",)


@pytest_asyncio.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker()
    yield made
    await made.close()


async def test_a_job_gives_its_result_and_tells_what_it_is_doing(worker: Worker) -> None:
    heard: list[str] = []
    assert await worker.run(Code("progress('counting'); return 6 * 7"), progress=heard.append) == 42
    assert heard == ["counting"]


async def test_jobs_take_turns_in_one_process(worker: Worker) -> None:
    first, second = await asyncio.gather(*(worker.run(Code("import os; return os.getpid()")) for _ in range(2)))
    assert first == second != os.getpid()


async def test_what_a_job_raises_comes_back_with_the_traceback(worker: Worker) -> None:
    with pytest.raises(JobError, match="no such layout") as caught:
        await worker.run(Code("raise ValueError('no such layout')"))
    assert "ValueError" in caught.value.details
    assert await worker.run(Code("return 1")) == 1


async def test_what_a_job_prints_does_not_disturb_the_messages(worker: Worker) -> None:
    assert await worker.run(Code("print('IR after pass'); return 'fine'")) == "fine"


async def test_a_job_that_takes_too_long_is_stopped_and_the_process_goes_on(worker: Worker) -> None:
    before = await worker.run(Code("import os; return os.getpid()"))
    with pytest.raises(JobTimeout, match=r"0\.2 seconds"):
        await worker.run(Code(FOREVER), timeout=0.2)
    assert await worker.run(Code("import os; return os.getpid()")) == before


async def test_a_job_that_swallows_every_exception_is_killed(worker: Worker) -> None:
    stubborn = """
    while True:
        try:
            while True: pass
        except BaseException: pass
    """
    with pytest.raises(JobTimeout):
        await worker.run(Code(stubborn), timeout=0.2)
    assert await worker.run(Code("return 'again'")) == "again"


async def test_cancelling_the_caller_stops_the_job(worker: Worker) -> None:
    task = asyncio.create_task(worker.run(Code(FOREVER)))
    await asyncio.sleep(0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    started = time.monotonic()
    assert await worker.run(Code("return 'free'")) == "free"
    assert time.monotonic() - started < 5


async def test_a_pass_that_is_cancelled_is_no_pass_that_failed(
    worker: Worker, capfd: pytest.CaptureFixture[str]
) -> None:
    parameters = "".join(f", %p{n}: Tensor[(4), float32]" for n in range(4))
    values = ["%x", *(f"%{number}" for number in range(1, 4_000, 2))]
    layers = "".join(
        f"%{2 * n} = nn.batch_norm({values[n]}, %p0, %p1, %p2, %p3);\n{values[n + 1]} = %{2 * n}.0;\n"
        for n in range(2_000)
    )
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 4, 8, 8), float32]{parameters}) {{\n{layers}%3999\n}}\n'
    runs = asyncio.Event()

    def hear(call: str) -> None:
        if call == "SimplifyInference":
            runs.set()

    passes = RunPasses(text, "model.relay", (PassCall("InferType"), PassCall("SimplifyInference")))
    for milliseconds in range(0, 300, 50):  # wherever in the pass it is
        runs.clear()
        task = asyncio.create_task(worker.run(passes, progress=hear))
        await runs.wait()
        await asyncio.sleep(milliseconds / 1000)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await worker.run(Code("return 'free'")) == "free"
    assert "failed" not in capfd.readouterr().err


async def test_restarting_ends_what_is_running(worker: Worker) -> None:
    task = asyncio.create_task(worker.run(Code(FOREVER)))
    await asyncio.sleep(0.3)
    worker.restart()
    with pytest.raises(JobCancelled):
        await task
    assert await worker.run(Code("return 'new'")) == "new"


async def test_a_crash_is_reported_and_the_next_job_gets_a_new_process(worker: Worker) -> None:
    with pytest.raises(WorkerDied, match="exit code 3"):
        await worker.run(Code("import os; os._exit(3)"))
    assert await worker.run(Code("return 'alive'")) == "alive"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on memory on Windows")
async def test_a_job_that_eats_memory_meets_the_limit() -> None:
    worker = Worker(memory_limit=512 << 20)
    try:
        with pytest.raises(JobError, match="out of memory"):
            await worker.run(Code("return len(bytearray(2 << 30))"))
        assert await worker.run(Code("return 'modest'")) == "modest"
    finally:
        await worker.close()


async def test_a_text_whose_reading_was_cancelled_is_read_rightly_the_next_time(worker: Worker) -> None:
    statements = "".join(f"  %{number} = nn.relu(%{number - 1 if number else 'x'});\n" for number in range(300))
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {{\n{statements}  %299\n}}\n'
    look = f"from relay_lsp.server.worker.read_texts import open_snapshot; text = {text!r}; "
    slow = f"""
        import time
        from relay_lsp.ir.syntax import segment_parser
        def parse(parser, real=segment_parser.SegmentParser.parse):
            progress("parsing")
            time.sleep(0.05)
            return real(parser)
        segment_parser.SegmentParser.parse = parse
        {look}return len(open_snapshot(text, "a").diagnostics)
    """
    parsing = asyncio.Event()
    task = asyncio.create_task(worker.run(Code(slow), progress=lambda _: parsing.set()))
    await asyncio.wait_for(parsing.wait(), 30)
    task.cancel()
    with pytest.raises((JobCancelled, asyncio.CancelledError)):
        await task
    found = f"{look}return [found.message for found in open_snapshot(text, 'a').diagnostics]"
    assert await worker.run(Code(found)) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
async def test_an_interrupt_from_the_terminal_does_not_stop_a_job(worker: Worker) -> None:
    running = asyncio.Event()
    job = Code("import time; progress('running'); time.sleep(0.5); return 'slept'")
    task = asyncio.create_task(worker.run(job, progress=lambda _: running.set()))
    await running.wait()
    assert worker.process_id is not None
    os.kill(worker.process_id, signal.SIGINT)
    assert await task == "slept"


async def test_an_ended_worker_starts_no_process_again(worker: Worker) -> None:
    waiting = [asyncio.create_task(worker.run(Code(FOREVER))) for _ in range(2)]
    await asyncio.sleep(0.1)
    worker.end()
    with pytest.raises(JobCancelled):
        await waiting[0]
    with pytest.raises(JobCancelled):
        await waiting[1]
    assert worker.process_id is None


async def test_who_gives_up_on_a_worker_that_just_starts_leaves_it_to_the_next(worker: Worker) -> None:
    impatient = asyncio.create_task(worker.run(Code("return 1")))
    await asyncio.sleep(0)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert await worker.run(Code("return 2")) == 2


async def test_the_process_imports_from_no_folder_that_depends_on_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("", "lib/"):
        trap = tmp_path / f"{name}queue.py"
        trap.parent.mkdir(exist_ok=True)
        trap.write_text("raise SystemExit('the folder was looked into')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "lib", str(tmp_path), str(tmp_path / "fine"), "."]))
    monkeypatch.setattr(sys, "path", ["", "lib", str(tmp_path), *sys.path, "."])
    worker = Worker()
    path, given = await worker.run(Code("import os, sys; return sys.path, os.environ.get('PYTHONPATH')"))
    await worker.close()
    assert not [entry for entry in path if entry in ("", ".") or Path(entry).resolve() in (tmp_path, tmp_path / "lib")]
    assert given == str(tmp_path / "fine")
    assert any(Path(entry).name == "site-packages" for entry in path)


async def test_a_job_that_is_stopped_in_the_middle_of_an_import_leaves_nothing_half_imported(
    worker: Worker, tmp_path: Path
) -> None:
    (tmp_path / "slow_module.py").write_text("FIRST = 1\nimport time\ntime.sleep(30)\nLAST = 1\n")
    importing = f"import sys; sys.path.append({str(tmp_path)!r}); import slow_module"
    await worker.run(Code("return 1"))
    with pytest.raises(JobTimeout):
        await worker.run(Code(importing), timeout=0.5)
    assert await worker.run(Code("import sys; return 'slow_module' in sys.modules")) is False


async def test_no_time_limit_is_zero(worker: Worker) -> None:
    assert await worker.run(Code("import time; time.sleep(0.1); return 1"), timeout=0) == 1


needs_forks = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no forks")


@needs_forks
async def test_a_job_that_ends_its_process_but_not_a_copy_of_it_is_reported_at_once(worker: Worker) -> None:
    copy = "import os, time\nif os.fork() == 0: time.sleep(60)\nos._exit(3)"
    with pytest.raises(WorkerDied, match="exit code 3"):
        await worker.run(Code(copy), timeout=30)
    assert await worker.run(Code("return 'next'")) == "next"


@needs_forks
async def test_a_copy_of_the_process_that_comes_to_the_end_of_a_job_gives_no_answer(worker: Worker) -> None:
    assert await worker.run(Code("import os\nreturn 'a copy' if os.fork() == 0 else 'itself'")) == "itself"
    assert await worker.run(Code("return 'next'")) == "next"


@needs_forks
async def test_what_a_job_has_started_ends_with_the_process(worker: Worker) -> None:
    started = "import subprocess\nreturn subprocess.Popen(['sleep', '60']).pid"
    process = await worker.run(Code(started))
    await worker.close()
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{process}/stat").exists() and " Z " in Path(f"/proc/{process}/stat").read_text():
            return  # ended; the system has not taken note of it yet
        await asyncio.sleep(0.02)
    raise AssertionError("it goes on")


async def test_a_job_moves_the_process_and_lowers_its_limits_for_itself_alone(worker: Worker) -> None:
    before = await worker.run(Code("import os, sys\nreturn os.getcwd(), sys.getrecursionlimit()"))
    await worker.run(Code("import os, sys, tempfile\nos.chdir(tempfile.gettempdir())\nsys.setrecursionlimit(100)"))
    assert await worker.run(Code("import os, sys\nreturn os.getcwd(), sys.getrecursionlimit()")) == before
