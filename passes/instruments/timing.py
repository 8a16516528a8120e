"""``PassTimingInstrument``: how long each pass took, and what ran inside it.

Source of the rule: ``src/ir/instrument.cc`` (``PassProfile``).
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from relay_lsp.ir.module import IRModule

from ..infrastructure import PassInfo, PassInstrument

__all__ = ["PassProfile", "PassTimingInstrument"]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PassProfile:
    """One run of a pass: when it began and ended (in seconds), and the runs inside it."""

    name: str
    start: float
    end: float
    children: list[PassProfile] = field(default_factory=list["PassProfile"])

    @property
    def seconds(self) -> float:
        """How long it took, with everything inside it."""
        return self.end - self.start

    @property
    def own_seconds(self) -> float:
        """How long it took by itself."""
        return self.seconds - sum(child.seconds for child in self.children)


class PassTimingInstrument(PassInstrument):
    """Times every pass. Render before the context is left: leaving it clears what was measured."""

    def __init__(self) -> None:
        self.profiles: list[PassProfile] = []
        self._running: list[PassProfile] = []

    def exit_pass_ctx(self) -> None:
        """Forget what was measured."""
        self.profiles = []
        self._running = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Begin a run, inside the one that is running."""
        now = time.perf_counter()
        profile = PassProfile(info.name, now, now)
        (self._running[-1].children if self._running else self.profiles).append(profile)
        self._running.append(profile)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """End the run that is running."""
        self._running.pop().end = time.perf_counter()

    def render(self) -> str:
        """The runs as a tree: ``name: total [own] (part of all; part of the run around it)``.

        Raises:
            RuntimeError: a pass is still running.
        """
        if self._running:
            raise RuntimeError("cannot print pass profile while still in a pass!")
        if not self.profiles:
            _log.warning("no passes have been profiled, did you enable pass profiling?")
            return ""
        everything = sum(profile.seconds for profile in self.profiles)
        lines: list[str] = []
        stack = [(0, everything, profile) for profile in reversed(self.profiles)]
        while stack:
            depth, around, profile = stack.pop()
            stack.extend((depth + 1, profile.seconds, child) for child in reversed(profile.children))
            total = f"{profile.seconds * 1e6:.0f}us [{profile.own_seconds * 1e6:.0f}us]"
            parts = f"({_percent(profile.seconds, everything)}; {_percent(profile.seconds, around)})"
            lines.append("\t" * depth + f"{profile.name}: {total} {parts}\n")
        return "".join(lines)


def _percent(part: float, whole: float) -> str:
    return f"{part / whole * 100 if whole else 100:.2f}%"
