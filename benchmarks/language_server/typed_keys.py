"""Every key of a statement that is typed and deleted again, in texts of several shapes; each key is a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ..client import Client
from ..inputs import chain, lets
from .figures import Figure, time_each
from .targets import Target

__all__ = ["measure_typed_keys"]

_GOALS: Final = {1_000: 6.0, 10_000: 10.0, 100_000: 25.0}
_FIRST_LINE: Final = 2
_SHAPES: Final[dict[str, tuple[Callable[[int], str], str, str]]] = {
    "graph form, on a line of its own": (chain, "%new = nn.relu(%x);", "\n"),
    "graph form, in front of another statement": (chain, "%new = nn.relu(%x); ", ""),
    "let form, on a line of its own": (lets, "let %new = nn.relu(%x);", "\n"),
}
"""For each shape the text of so many statements, what is typed in its middle, and what is there before."""


def measure_typed_keys(sizes: list[int], repeat: int, target: Target) -> Iterator[Figure]:
    """A figure for each shape: the keys that type the statement and those that delete it. The worst key is named.

    Only our own language's texts are typed in; a peer has other shapes.
    """
    for size in sizes:
        for shape, (make, statement, line_end) in _SHAPES.items():
            client = target.start()
            client.initialize()
            client.open(make(size))
            line = _FIRST_LINE + size // 2
            client.edit((line, 0, line, 0, "  " + line_end) if line_end else (line, 0, line, 2, "  "))
            yield _figure(f"typing {shape}", size, client, repeat, _keys(client, line, statement))
            client.close()


def _figure(
    what: str, size: int, client: Client, repeat: int, run: tuple[Callable[[int], Sequence[float]], list[str]]
) -> Figure:
    figure = time_each(what, size, client, _GOALS.get(size), repeat, run[0])
    keys = run[1][len(run[1]) - len(figure.samples) :]
    worst = max(range(len(keys)), key=figure.samples.__getitem__)
    return Figure(
        f"{what}; worst {figure.samples[worst]:,.1f} at `{keys[worst]}`",
        *(figure.size, figure.samples, figure.goal, figure.cpu, figure.unit, figure.load, figure.pace),
    )


def _keys(client: Client, line: int, statement: str) -> tuple[Callable[[int], Sequence[float]], list[str]]:
    """What types a statement at an indentation of two and deletes it, and the text that each of its keys left."""
    labels: list[str] = []

    def run(number: int) -> Sequence[float]:
        samples: list[float] = []
        for count, key in enumerate(statement):
            samples.append(client.edit((line, 2 + count, line, 2 + count, key))[0])
            labels.append(statement[: count + 1])
        for count in range(len(statement) - 1, -1, -1):
            samples.append(client.edit((line, 2 + count, line, 3 + count, ""))[0])
            labels.append(statement[:count])
        return samples

    return run, labels
