"""The peer beside us: ``mlir-lsp-server``, on a chain of as many operations as ours has statements.

It comes with LLVM (Debian: ``mlir-22-tools``). It takes whole documents, so an edit sends the text again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from ..client import Client
from .figures import Figure, time_each

__all__ = ["RECORDED", "measure_peer"]

RECORDED = """mlir-lsp-server is not here (name it with --peer).
Recorded on a quiet machine, version 22.1.8, p50/p95 in ms:

| operations | open to diagnostics | edit to diagnostics | hover | memory |
| --- | --- | --- | --- | --- |
| 1,000 | 11/12 | 8.4/9.6 | 0.2 | 96 MB |
| 10,000 | 99/106 | 52/82 | 0.3/0.6 | 113 MB |
| 100,000 | 1168/1193 | 729/937 | 2/5 | 329 MB |"""


def _chain(operations: int) -> list[str]:
    lines = ["func.func @main(%x: tensor<1x16x32x32xf32>) -> tensor<1x16x32x32xf32> {"]
    value = "%x"
    for number in range(operations):
        lines.append(f"  %{number} = arith.addf {value}, %x : tensor<1x16x32x32xf32>")
        value = f"%{number}"
    return [*lines, f"  return {value} : tensor<1x16x32x32xf32>", "}", ""]


def measure_peer(command: str, sizes: list[int], repeat: int) -> Iterator[Figure]:
    """Opening, breaking and mending a name, hover."""
    for size in sizes:
        lines = _chain(size)
        client = Client([command], uri="file:///benchmark/model.mlir", language="mlir")
        client.initialize()
        opened = client.open("\n".join(lines))[0] * 1000
        yield Figure("peer: open to all diagnostics", size, [opened], load=os.getloadavg()[0])
        few = max(3, repeat // (1 + size // 10_000))
        yield time_each("peer: break and mend a name", size, client, None, few, _break_and_mend(client, lines))
        yield time_each("peer: hover", size, client, None, repeat, _hover(client, size // 2))
        client.close()


def _break_and_mend(client: Client, lines: list[str]) -> Callable[[int], Sequence[float]]:
    middle = len(lines) // 2
    whole = "\n".join(lines)
    broken = "\n".join([*lines[:middle], lines[middle].replace("addf", "addy"), *lines[middle + 1 :]])
    return lambda number: (client.replace(broken)[0], client.replace(whole)[0])


def _hover(client: Client, line: int) -> Callable[[int], Sequence[float]]:
    position = {"line": line, "character": 14}
    return lambda number: (client.ask("hover", position=position)[0],)
