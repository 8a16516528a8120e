"""``./dev soak --minutes N``: two editors edit ten models through real servers that share a history.

Passes run on save and on command, some are cancelled, workers and servers are killed. Prints the latencies of
diagnostics, and what memory the servers took in the course of time; 1 where it grew by more than a tenth in the second
half, or something was lost: an answer, a step of the history, the diagnostics of the text that is there, or a server
that was not killed; and where a server left the report of an error that is none of the soak's own kills, or its log
has a traceback.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from lsprotocol import types

from relay_lsp.ir import to_text
from relay_lsp.ir.testing import dqn, inception_v3, lstm, mlp, mobilenet, resnet, squeezenet, synthetic, vgg
from relay_lsp.server.crash_reports import read_report
from relay_lsp.server.history.store import HistoryStore
from relay_lsp.server.lsp import methods
from tests.server.protocol.conftest import URI, leave, start

from .memory import is_leak, until_even

_SECONDS_TO_ANSWER = 20.0
_SECONDS_TO_PASS = 180.0
"""A worker gives way to all else on the machine, and is started anew after each kill."""
_SAMPLES = 6
_SERVER_KILLED_AFTER = 600.0
"""Seconds after which the second editor's server is killed, and another one started."""


_OWN_KILLS: Final = "ended unexpectedly (signal 9)"
"""What the report of a worker says that the soak has killed."""


def _reports_of_errors(folder: Path) -> list[str]:
    """What crash reports in a history's folder say, with the stack, but for workers that were killed here."""
    faults: list[str] = []
    for path in sorted((folder / "reports").glob("crash-*.json")):
        report = read_report(path)
        if _OWN_KILLS not in report.error:
            faults.append(f"error: {report.method}: {report.error}\n    " + "\n    ".join(report.stack))
    return faults


@contextlib.contextmanager
def _logged(log: Path) -> Iterator[None]:
    """What servers and their workers write on standard error goes into a file."""
    terminal = os.dup(2)
    with log.open("wb") as file:
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)


def _tracebacks(log: Path) -> list[str]:
    """Every traceback of a log, with what was written before it."""
    before, *rest = log.read_text(errors="replace").split("Traceback (most recent call last):")
    return [
        f"error in the log: {text[-200:]}{after[:2_000]}" for text, after in zip([before, *rest], rest, strict=False)
    ]


def models() -> list[str]:
    """Ten networks, from 20 to 400 statements."""
    made = (
        *(mlp(), dqn(), synthetic(), squeezenet(), mobilenet(), vgg(), lstm(4, 8)),
        *(resnet(), resnet(num_layers=50), inception_v3()),
    )
    return [to_text(model) for model in made]


class _Soak:
    """One editor, with its server."""

    def __init__(self, folder: str, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.latencies: list[float] = []
        self.faults: list[str] = []
        self.edits = self.passes = self.saves = self.cancelled = self.killed = self.restarted = 0
        self.sizes: list[list[float]] = []
        """Megabytes of each server once it had all texts and had loaded all that it loads late, and after each part of
        its time."""
        self.identities = itertools.count()
        self.unanswered: list[asyncio.Future[Any]] = []
        self.expected: dict[str, set[str]] = {}
        """What is wrong with each model as it is opened first."""

    async def begin(self) -> None:
        """Start a server."""
        settings = {"history": {"folder": self.folder}, "passTimeout": 120, "pipeline": ["SimplifyInference"]}
        self.editor = await start("neovim", settings)
        self.editor.client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda *_: None)
        server: Any = self.editor.client._server  # pyright: ignore[reportPrivateUsage]
        self.process_id: int = server.pid
        self.editor.open("")  # on a busy machine a server takes its time to start
        await self.editor.diagnostics(seconds=90.0)

    async def run(self, texts: list[str], seconds: float, killed_after: float) -> None:
        """Edit for some time; the server is killed now and then."""
        end = time.monotonic() + seconds
        while True:
            await self.begin()
            for text in texts:  # until then it learns what the texts have in common
                await self._edit(text)
            await self.editor.client.protocol.send_request_async(methods.PASSES, {})  # loads numpy
            await until_even(self._megabytes)
            sizes = [self._megabytes()]
            left = max(0.0, min(end - time.monotonic(), killed_after))
            for _ in range(_SAMPLES):
                await self._edit_for(texts, left / _SAMPLES)
                sizes.append(self._megabytes())
            self.sizes.append(sizes)
            if time.monotonic() >= end:
                await leave(self.editor)
                return
            os.kill(self.process_id, signal.SIGKILL)
            self.restarted += 1
            with contextlib.suppress(Exception):
                await self.editor.client.stop()

    async def _edit_for(self, texts: list[str], seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await self._edit(self.random.choice(texts))

    async def _edit(self, text: str) -> None:
        """Open a text, edit it, put it back, and run a pass."""
        self.editor.close()
        self.editor.published.clear()
        self.editor.open(text)
        self._compare(text, await self._diagnosed())
        for _ in range(30):
            line = self.random.randrange(text.count("\n"))
            self.editor.change(self.random.choice((" ", "%", "\n", "}", "// note\n")), (line, 0))
            self.edits += 1
            started = time.perf_counter()
            await self._diagnosed()
            self.latencies.append(time.perf_counter() - started)
        self.editor.change(text)
        self._compare(text, await self._diagnosed())
        if self.random.random() < 0.5:
            self.editor.save()
            self.saves += 1
        await self._run_pass(text)

    async def _diagnosed(self) -> list[types.Diagnostic]:
        try:
            return await self.editor.diagnostics(seconds=_SECONDS_TO_ANSWER)
        except AssertionError as error:
            self.faults.append(str(error)[:200])
            return []

    def _compare(self, text: str, diagnostics: list[types.Diagnostic]) -> None:
        """A text has the diagnostics that it had before, whatever was done in between; that a worker was killed under
        the pipeline of a saved text is true, and none of the text's."""
        of_text = (each for each in diagnostics if each.code != "pass-failed")
        shown = {f"{each.range.start.line}: {each.message}" for each in of_text}
        if self.expected.setdefault(text, shown) != shown:
            self.faults.append(f"stale: {sorted(shown ^ self.expected[text])[:3]}")

    async def _run_pass(self, text: str) -> None:
        arguments: list[Any] = [{"uri": URI, "pass": "SimplifyInference"}]
        command = types.ExecuteCommandParams("relay-lsp.runPass", arguments)
        self.editor.applied.clear()
        identity = f"pass {next(self.identities)}"
        protocol = self.editor.client.protocol
        run = asyncio.ensure_future(protocol.send_request_async("workspace/executeCommand", command, identity))
        what = self.random.random()
        if what < 0.2:
            await asyncio.sleep(0.05)
            self.editor.client.cancel_request(types.CancelParams(identity))
            self.cancelled += 1
        if what < 0.4:
            await asyncio.sleep(0.05)
            self._kill_worker()
        await asyncio.wait({run}, timeout=_SECONDS_TO_PASS)
        if not run.done():
            self.faults.append("lost: the answer to a pass")
            self.unanswered.append(run)
        elif run.exception() is None:  # that a worker was killed or a pass cancelled is an answer, too
            self.passes += what >= 0.2
            if self.editor.applied and what >= 0.4:
                await self._look_up(text)

    async def _look_up(self, text: str) -> None:
        """What a pass did is in the history, which another process reads."""
        for _ in range(100):
            store = HistoryStore(Path(self.folder))
            steps = store.steps_from(text)
            store.close()
            if steps:
                return
            await asyncio.sleep(0.05)
        self.faults.append("lost: a step of the history")

    def _kill_worker(self) -> None:
        children = Path(f"/proc/{self.process_id}/task/{self.process_id}/children")
        for child in children.read_text().split() if children.exists() else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
            self.killed += 1

    def _megabytes(self) -> float:
        status = Path(f"/proc/{self.process_id}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def _soak(minutes: float, seed: int) -> int:
    texts = models()
    with tempfile.TemporaryDirectory() as folder:
        editors = [_Soak(folder, seed), _Soak(folder, seed + 1)]
        log = Path(folder) / "log"
        with _logged(log):
            await asyncio.gather(
                editors[0].run(texts, minutes * 60, minutes * 60),
                editors[1].run(texts, minutes * 60, min(_SERVER_KILLED_AFTER, minutes * 20)),
            )
        errors = [*_reports_of_errors(Path(folder)), *_tracebacks(log)]
    ordered = sorted(seconds for soak in editors for seconds in soak.latencies)
    counts = {
        what: sum(getattr(soak, what) for soak in editors)
        for what in ("edits", "passes", "saves", "cancelled", "killed", "restarted")
    }
    faults = [*errors, *(fault for soak in editors for fault in soak.faults)]
    sizes = [each for soak in editors for each in soak.sizes]
    print(
        f"{len(texts)} models, two editors, {minutes:g} minutes, seed {seed}: {counts['edits']} edits, "
        f"{counts['saves']} saves, {counts['passes']} passes, {counts['cancelled']} cancelled, "
        f"{counts['killed']} workers and {counts['restarted']} servers killed\n"
        f"diagnostics: median {statistics.median(ordered) * 1000:.0f} ms, "
        f"99 % within {ordered[int(len(ordered) * 0.99)] * 1000:.0f} ms "
        "(20 ms of these are how often the client looks)\n"
        f"MB of each server: {'; '.join(' '.join(f'{size:.0f}' for size in each) for each in sizes)}\n"
        f"lost, stale or errors: {len(faults)}"
    )
    for fault in faults[:10]:
        print(f"  {fault}", file=sys.stderr)
    return 1 if faults or any(map(is_leak, sizes)) else 0


def main() -> int:
    """Run; 1 where something was lost, or memory grew by more than a tenth."""
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    return asyncio.run(_soak(options.minutes, options.seed))


if __name__ == "__main__":
    sys.exit(main())
