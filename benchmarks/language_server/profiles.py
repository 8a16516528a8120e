"""Where the server's time goes while a figure is measured, sampled by ``py-spy`` (from PyPI; not a dependency).

Sampling stops the server each time, so the figures of such a run are not to be quoted.
"""

from __future__ import annotations

import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["Profiles"]

_RATE = 500
_SHOWN = 8
_FRAME = re.compile(r"^(?P<function>.+) \((?P<file>[^()]*?)(:\d+)?\)$")
_OURS = ("ir/", "passes/", "server/")
_ALWAYS = ("server/__main__.py", "server/command_line", "server/serving/stdio.py")
_WAITING = (
    "selectors.py: ",
    "concurrent/futures/thread.py: _worker",
    "asyncio/unix_events.py: ThreadedChild",
    "threading.py: ",
    "server/serving/stdio.py: _Messages._fill",
)


class Profiles:
    """A folder of samples, one file for each figure, in py-spy's raw format: stacks, and how often each was seen."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self._names: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def record(self, process: int, name: str) -> Iterator[None]:
        """Sample a process for as long as the block runs."""
        self._names.append(name)
        command = ["py-spy", "record", "--pid", str(process), "--rate", str(_RATE), "--function", "--format", "raw"]
        sampler = subprocess.Popen(
            [*command, "--output", str(self._file(name))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.5)  # until it has found the interpreter
        try:
            yield
        finally:
            sampler.send_signal(signal.SIGINT)
            sampler.wait(60)

    def lines(self) -> Iterator[str]:
        """For each figure what was on the stack most often, and what was at its top, in percent of the samples."""
        for name in self._names:
            file = self._file(name)
            if not file.exists():
                continue
            own: Counter[str] = Counter()
            below: Counter[str] = Counter()
            for line in file.read_text(encoding="utf-8").splitlines():
                stack, _, count = line.rpartition(" ")
                frames = [_frame(frame) for frame in stack.split(";")]
                if frames[-1].startswith(_WAITING):
                    continue
                own[frames[-1]] += int(count)
                for frame in set(frames):
                    if frame.startswith(_OURS) and not frame.startswith(_ALWAYS):
                        below[frame] += int(count)
            total = sum(own.values()) or 1
            yield f"### {name}: {total / _RATE:.2f} s at work"
            yield ""
            for words, counts in (("at the top", own), ("on the stack", below)):
                common = [f"`{frame}` {count / total:.0%}" for frame, count in counts.most_common(_SHOWN)]
                yield f"- {words}: {', '.join(common)}"
            yield ""

    def _file(self, name: str) -> Path:
        return self.folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.txt"


def _frame(text: str) -> str:
    """A frame by the file, from our package on, and the function."""
    match = _FRAME.match(text)
    if match is None:
        return text
    file = match["file"].rpartition("relay_lsp/")[2]
    return f"{'/'.join(file.split('/')[-3:])}: {match['function']}"
