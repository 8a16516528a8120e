"""From an edit to the diagnostics of the text after it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from ..client import Client
from ..inputs import chain, fan
from .figures import Figure, time_each

__all__ = ["growth", "keystroke", "measure_edits"]

_GOALS = {1_000: 6.0, 10_000: 10.0, 100_000: 25.0}
_BLOCK = 500
_BURST = 20
_FIRST = "break and mend a name"


def measure_edits(sizes: list[int], repeat: int) -> Iterator[Figure]:
    """Every kind of edit, in the middle of texts of these sizes."""
    for size in sizes:
        client = Client()
        client.initialize()
        client.open(chain(size))
        goal = _GOALS.get(size)
        few = max(repeat // 3, 4)
        yield time_each(_FIRST, size, client, goal, repeat, _break_and_mend(client, size))
        for what, run in _KINDS.items():
            yield time_each(what, size, client, goal, few, run(client, size))
        publications: list[float] = []
        run = _burst(client, size, publications)
        yield time_each(f"{_BURST} keystrokes at once", size, client, 50, few, run)
        yield Figure("publications after them", size, publications, 1, unit="")
        client.close()
    client = Client()
    client.initialize()
    client.open(fan(1_000))
    yield time_each("a type that changes 1,000 statements", 1_000, client, 100, repeat, _retype(client))
    client.close()


def growth(figures: Sequence[Figure]) -> float | None:
    """The exponent by which the first kind of edit grows with the size of the text."""
    found = [figure for figure in figures if figure.what == _FIRST]
    if len(found) < 2:
        return None
    first, last = found[0], found[-1]
    return math.log(last.p95 / first.p95) / math.log(last.size / first.size)


def _middle(size: int) -> int:
    """The line of a statement in the middle, which calls ``nn.relu``."""
    return 2 + size // 2 // 5 * 5 + 2


def keystroke(client: Client, size: int, number: int) -> None:
    """One of many edits: a letter is broken here, mended there."""
    line = 2 + (number // 2 * 37 % (size // 5)) * 5 + 2
    start = len(f"  %{line - 2} = nn.rel")
    client.edit((line, start, line, start + 1, "yu"[number % 2]))


def _break_and_mend(client: Client, size: int) -> Callable[[int], Sequence[float]]:
    line = _middle(size)
    start = len(f"  %{line - 2} = nn.rel")

    def run(number: int) -> Sequence[float]:
        broken, found = client.edit((line, start, line, start + 1, "y"))
        assert found, "the server did not notice"
        mended, found = client.edit((line, start, line, start + 1, "u"))
        assert not found, found[:3]
        return broken, mended

    return run


def _line_at_top(client: Client, size: int) -> Callable[[int], Sequence[float]]:
    return lambda number: [client.edit((1, 0, 1, 0, "// a line\n"))[0], client.edit((1, 0, 2, 0, ""))[0]]


def _paste(client: Client, size: int) -> Callable[[int], Sequence[float]]:
    line = _middle(size)

    def run(number: int) -> Sequence[float]:
        # Other names each time, so that nothing is remembered of the last.
        first = 10_000_000 + number * _BLOCK
        lines = [f"  %{first} = nn.relu(%x);\n"]
        lines += [f"  %{first + index} = nn.relu(%{first + index - 1});\n" for index in range(1, _BLOCK)]
        return (client.edit((line, 0, line, 0, "".join(lines)))[0],)

    def run_and_undo(number: int) -> Sequence[float]:
        pasted = run(number)
        client.edit((line, 0, line + _BLOCK, 0, ""))
        return pasted

    return run_and_undo


def _undo(client: Client, size: int) -> Callable[[int], Sequence[float]]:
    line = _middle(size)
    block = "".join(f"  %{10_000_000 + index} = nn.relu(%x);\n" for index in range(_BLOCK))

    def run(number: int) -> Sequence[float]:
        client.edit((line, 0, line, 0, block))
        return (client.edit((line, 0, line + _BLOCK, 0, ""))[0],)

    return run


def _opened(text: str, at_end: bool = False) -> Callable[[Client, int], Callable[[int], Sequence[float]]]:
    """Something that is opened, and closed again only later."""

    def kind(client: Client, size: int) -> Callable[[int], Sequence[float]]:
        line = _middle(size)
        at = len(f"  %{line - 2} = nn.relu(%{line - 3})") if at_end else 0

        def run(number: int) -> Sequence[float]:
            opened = client.edit((line, at, line, at, text))[0]
            typed = client.edit((line + 20, 0, line + 20, 0, " "))[0]
            client.edit((line + 20, 0, line + 20, 1, ""))
            return opened, typed, client.edit((line, at, line, at + len(text), ""))[0]

        return run

    return kind


def _burst(client: Client, size: int, publications: list[float]) -> Callable[[int], Sequence[float]]:
    line = _middle(size)

    def run(number: int) -> Sequence[float]:
        before = client.publications
        seconds = client.edit(*((line, 0, line, 0, " ") for _ in range(_BURST)))[0]
        publications.append(client.publications - before)
        client.edit((line, 0, line, _BURST, ""))
        return (seconds,)

    return run


def _retype(client: Client) -> Callable[[int], Sequence[float]]:
    def run(number: int) -> Sequence[float]:
        # The second statement casts: its dtype is that of all that come after.
        start = len('  %0 = cast(%x, dtype="float')
        return (client.edit((2, start, 2, start + 2, "1632"[number % 2 * 2 :][:2]))[0],)

    return run


_KINDS: dict[str, Callable[[Client, int], Callable[[int], Sequence[float]]]] = {
    "a line at the top, and its undo": _line_at_top,
    f"{_BLOCK} lines pasted": _paste,
    f"undo of {_BLOCK} lines": _undo,
    "a brace opened, an edit, closed": _opened("{"),
    "a brace opened in a statement, an edit, closed": _opened(" {", at_end=True),
    "a comment opened, an edit, closed": _opened("/*"),
}
