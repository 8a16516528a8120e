"""``./dev soak --minutes N``: edit models through a real server, with passes, cancellations and killed workers.

Prints what the latencies of diagnostics were, and how much the server's memory grew; 1 where something was lost: an
answer, a diagnostic of another version, or the server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lsprotocol import types

from relay_lsp.ir import to_text
from relay_lsp.ir.testing import lstm, mlp, resnet, squeezenet
from tests.server.protocol.conftest import Editor, leave, start

_SECONDS_TO_ANSWER = 20.0


class _Soak:
    def __init__(self, editor: Editor, process_id: int, seed: int) -> None:
        self.editor = editor
        self.process_id = process_id
        self.random = random.Random(seed)
        self.latencies: list[float] = []
        self.faults: list[str] = []
        self.edits = self.passes = self.cancelled = self.killed = 0

    async def edit_for(self, texts: list[str], seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            text = self.random.choice(texts)
            self.editor.close()
            self.editor.published.clear()
            self.editor.open(text)
            await self._diagnosed()
            for _ in range(30):
                line = self.random.randrange(text.count("\n"))
                self.editor.change(self.random.choice((" ", "%", "\n", "}", "// note\n")), (line, 0))
                self.edits += 1
                started = time.perf_counter()
                await self._diagnosed()
                self.latencies.append(time.perf_counter() - started)
            self.editor.change(text)
            await self._diagnosed()
            await self._run_pass()

    async def _diagnosed(self) -> None:
        try:
            await self.editor.diagnostics(seconds=_SECONDS_TO_ANSWER)
        except AssertionError as error:
            self.faults.append(str(error)[:200])

    async def _run_pass(self) -> None:
        arguments: list[Any] = [{"uri": self.editor.document.uri, "pass": "SimplifyInference"}]
        command = types.ExecuteCommandParams("relay-lsp.runPass", arguments)
        run = asyncio.ensure_future(self.editor.client.workspace_execute_command_async(command))
        what = self.random.random()
        if what < 0.2:
            await asyncio.sleep(0.05)
            run.cancel()
            self.cancelled += 1
            return
        if what < 0.4:
            await asyncio.sleep(0.05)
            self._kill_worker()
        with contextlib.suppress(Exception):  # a killed worker is an answer, too
            await asyncio.wait_for(run, _SECONDS_TO_ANSWER * 3)
            self.passes += 1

    def _kill_worker(self) -> None:
        children = Path(f"/proc/{self.process_id}/task/{self.process_id}/children")
        for child in children.read_text().split() if children.exists() else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
            self.killed += 1

    def megabytes(self) -> float:
        status = Path(f"/proc/{self.process_id}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def _soak(minutes: float, seed: int) -> int:
    texts = [to_text(model) for model in (mlp(), squeezenet(), resnet(), lstm(4, 8))]
    with tempfile.TemporaryDirectory() as folder:
        editor = await start("neovim", {"history": {"folder": folder}, "passTimeout": 60})
        server: Any = editor.client._server  # pyright: ignore[reportPrivateUsage]
        soak = _Soak(editor, server.pid, seed)
        await soak.edit_for(texts, min(30.0, minutes * 15))
        before = soak.megabytes()
        await soak.edit_for(texts, minutes * 60)
        after = soak.megabytes()
        await leave(editor)
    ordered = sorted(soak.latencies)
    print(
        f"{soak.edits} edits, {soak.passes} passes, {soak.cancelled} cancelled, {soak.killed} workers killed, "
        f"seed {seed}\n"
        f"diagnostics: median {statistics.median(ordered) * 1000:.0f} ms, "
        f"99 % within {ordered[int(len(ordered) * 0.99)] * 1000:.0f} ms "
        "(20 ms of these are how often the client looks)\n"
        f"memory: {before:.0f} MB after the first half minute, {after:.0f} MB at the end\n"
        f"lost: {len(soak.faults)}"
    )
    for fault in soak.faults[:10]:
        print(f"  {fault}", file=sys.stderr)
    return 1 if soak.faults or after > before * 1.1 + 10 else 0


def main() -> int:
    """Run; 1 where something was lost, or memory grew by more than a tenth."""
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    return asyncio.run(_soak(options.minutes, options.seed))


if __name__ == "__main__":
    sys.exit(main())
