"""``PassProfiler``: how many expressions each pass leaves, and how much memory it takes."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass

from relay_lsp.ir.module import IRModule

from ..infrastructure import PassInfo, PassInstrument
from ..provenance import expressions_of

__all__ = ["PassCost", "PassProfiler"]


@dataclass(frozen=True, slots=True)
class PassCost:
    """One run of a pass: expressions before and after; bytes that it left allocated, and the most while it ran."""

    depth: int
    pass_name: str
    nodes_before: int
    nodes_after: int
    bytes_kept: int
    bytes_peak: int

    def __str__(self) -> str:
        nodes = f"{self.nodes_before} -> {self.nodes_after} expressions"
        kept, peak = self.bytes_kept / 2**20, self.bytes_peak / 2**20
        return f"{self.pass_name}: {nodes}, {kept:+.1f} MiB kept, {peak:.1f} MiB peak"


class PassProfiler(PassInstrument):
    """Measures every pass. ``memory`` follows every allocation, which makes the passes several times slower."""

    def __init__(self, memory: bool = True) -> None:
        self.costs: list[PassCost] = []
        """The runs in order of finishing."""
        self._memory = memory
        self._started = False
        self._running: list[tuple[int, int, int]] = []

    def enter_pass_ctx(self) -> None:
        """Begin to follow allocations."""
        self.costs = []
        self._running = []
        if self._memory and not tracemalloc.is_tracing():
            tracemalloc.start()
            self._started = True

    def exit_pass_ctx(self) -> None:
        """Stop following them."""
        if self._started:
            tracemalloc.stop()
            self._started = False

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Note where the pass begins."""
        nodes = len(expressions_of(mod))
        current, peak = self._allocated()
        # Resetting the peak for this run must not hide the one of the run around it.
        self._running = [(count, kept, max(highest, peak)) for count, kept, highest in self._running]
        self._running.append((nodes, current, current))
        if self._memory:
            tracemalloc.reset_peak()

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Note what it left."""
        current, peak = self._allocated()
        nodes, before, highest = self._running.pop()
        highest = max(highest, peak)
        self._running = [(count, kept, max(most, highest)) for count, kept, most in self._running]
        after = len(expressions_of(mod))
        cost = PassCost(len(self._running), info.name, nodes, after, current - before, highest - before)
        self.costs.append(cost)

    def render(self) -> str:
        """The runs, a line each, indented by how deep they ran."""
        return "".join("\t" * cost.depth + f"{cost}\n" for cost in self.costs)

    def _allocated(self) -> tuple[int, int]:
        return tracemalloc.get_traced_memory() if self._memory and tracemalloc.is_tracing() else (0, 0)
