"""From an edit to the diagnostics of the text after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from ..client import Client
from ..inputs import calling, data_types, fan
from ..report import exponent
from .figures import Figure, time_each
from .targets import RELAY, Dialect, Target

__all__ = ["growth", "keystroke", "measure_edits", "measure_functions", "measure_retyping"]

_GOALS = {1_000: 6.0, 10_000: 10.0, 100_000: 25.0}
_BLOCK = 500
_BURST = 20
_FIRST = "break and mend a name"


def measure_edits(sizes: list[int], repeat: int, target: Target) -> Iterator[Figure]:
    """Every kind of edit, in the middle of texts of these sizes."""
    dialect = target.dialect
    for size in sizes:
        client = target.start()
        client.initialize()
        client.open(dialect.chain(size))
        goal = _GOALS.get(size)
        few = repeat
        yield time_each(_FIRST, size, client, goal, repeat, _break_and_mend(client, dialect, size))
        for what, kind in _KINDS.items():
            run = kind(client, dialect, size)
            if run is not None:
                yield time_each(what, size, client, goal, few, run)
        publications: list[float] = []
        run = _burst(client, dialect, size, publications)
        yield time_each(f"{_BURST} keystrokes at once", size, client, 50, few, run)
        yield Figure("publications after them", size, publications, 1, unit="")
        client.close()


def measure_functions(sizes: list[int], repeat: int, target: Target) -> Iterator[Figure]:
    """Breaking and mending a name in the middle of modules of many functions."""
    for size in sizes:
        for what, make in (
            ("functions that call one another", calling),
            ("data types and generic functions", data_types),
        ):
            text = make(size)
            client = target.start()
            client.initialize()
            client.open(text)
            yield time_each(f"{_FIRST}: {what}", size, client, _GOALS.get(size), repeat, _misspell(client, text))
            client.close()


def _misspell(client: Client, text: str) -> Run:
    """Spell an operator wrong, in the middle of a text, and right again."""
    at = text.index("nn.relu", len(text) // 2) + len("nn.rel")
    line = text.count("\n", 0, at)
    column = at - text.rindex("\n", 0, at) - 1

    def run(number: int) -> Sequence[float]:
        broken, diagnostics = client.edit((line, column, line, column + 1, "y"))
        assert diagnostics, "the server did not notice"
        mended, diagnostics = client.edit((line, column, line, column + 1, "u"))
        assert not diagnostics, diagnostics[:3]
        return broken, mended

    return run


def measure_retyping(repeat: int, target: Target) -> Iterator[Figure]:
    """An edit whose type change reaches far."""
    client = target.start()
    client.initialize()
    client.open(fan(1_000))
    yield time_each("a type that changes 1,000 statements", 1_000, client, 100, repeat, _retype(client))
    client.close()


def growth(figures: Sequence[Figure]) -> float | None:
    """The exponent by which the first kind of edit grows with the size of the text."""
    first_kind = [figure for figure in figures if figure.what == _FIRST]
    if len(first_kind) < 2:
        return None
    first, last = first_kind[0], first_kind[-1]
    return exponent((first.p95, last.p95), (first.size, last.size))


Run: TypeAlias = Callable[[int], Sequence[float]]
Kind: TypeAlias = Callable[[Client, Dialect, int], "Run | None"]


def keystroke(client: Client, size: int, number: int) -> None:
    """One of many edits of a chain of ours: a letter is broken here, mended there."""
    statement = number // 2 * 37 % (size // RELAY.period) * RELAY.period + RELAY.position
    _type_letter(client, RELAY, statement, is_right=bool(number % 2))


def _type_letter(client: Client, dialect: Dialect, statement: int, *, is_right: bool) -> tuple[float, list[Any]]:
    """Replace the last letter of a statement's operator by a wrong one, or back."""
    line, end = dialect.line(statement), dialect.operator_end(statement)
    return client.edit((line, end - 1, line, end, dialect.operator[-1] if is_right else "y"))


def _break_and_mend(client: Client, dialect: Dialect, size: int) -> Run:
    statement = dialect.middle(size)

    def run(number: int) -> Sequence[float]:
        broken, diagnostics = _type_letter(client, dialect, statement, is_right=False)
        assert diagnostics, "the server did not notice"
        mended, diagnostics = _type_letter(client, dialect, statement, is_right=True)
        assert not diagnostics, diagnostics[:3]
        return broken, mended

    return run


def _line_at_top(client: Client, dialect: Dialect, size: int) -> Run:
    top = dialect.first_line - 1
    return lambda number: [client.edit((top, 0, top, 0, "// a line\n"))[0], client.edit((top, 0, top + 1, 0, ""))[0]]


def _paste(client: Client, dialect: Dialect, size: int) -> Run:
    line = dialect.line(dialect.middle(size))

    def run(number: int) -> Sequence[float]:
        # Other names each time, so that nothing of the last is cached.
        pasted = client.edit((line, 0, line, 0, _block(dialect, 10_000_000 + number * _BLOCK)))[0]
        client.edit((line, 0, line + _BLOCK, 0, ""))
        return (pasted,)

    return run


def _undo(client: Client, dialect: Dialect, size: int) -> Run:
    line = dialect.line(dialect.middle(size))
    block = "".join(dialect.statement(10_000_000 + index, dialect.parameter) for index in range(_BLOCK))

    def run(number: int) -> Sequence[float]:
        client.edit((line, 0, line, 0, block))
        return (client.edit((line, 0, line + _BLOCK, 0, ""))[0],)

    return run


def _block(dialect: Dialect, first: int) -> str:
    """Statements of which each uses the one before it."""
    lines = [dialect.statement(first, dialect.parameter)]
    lines += [dialect.statement(first + index, f"%{first + index - 1}") for index in range(1, _BLOCK)]
    return "".join(lines)


def _opened(text: str, *, at_end: bool = False) -> Kind:
    """Something that is opened, and closed again only later."""

    def kind(client: Client, dialect: Dialect, size: int) -> Run:
        statement = dialect.middle(size)
        line = dialect.line(statement)
        at = dialect.operation_end(statement) if at_end else 0

        def run(number: int) -> Sequence[float]:
            opened = client.edit((line, at, line, at, text))[0]
            typed = client.edit((line + 20, 0, line + 20, 0, " "))[0]
            client.edit((line + 20, 0, line + 20, 1, ""))
            return opened, typed, client.edit((line, at, line, at + len(text), ""))[0]

        return run

    return kind


def _opened_comment(client: Client, dialect: Dialect, size: int) -> Run | None:
    return _opened(dialect.opened_comment)(client, dialect, size) if dialect.opened_comment else None


def _burst(client: Client, dialect: Dialect, size: int, publications: list[float]) -> Run:
    line = dialect.line(dialect.middle(size))

    def run(number: int) -> Sequence[float]:
        before = client.publications
        seconds = client.edit(*((line, 0, line, 0, " ") for _ in range(_BURST)))[0]
        publications.append(client.publications - before)
        client.edit((line, 0, line, _BURST, ""))
        return (seconds,)

    return run


def _retype(client: Client) -> Run:
    def run(number: int) -> Sequence[float]:
        # The second statement casts: its dtype is that of all that come after.
        start = len('  %0 = cast(%x, dtype="float')
        return (client.edit((2, start, 2, start + 2, "1632"[number % 2 * 2 :][:2]))[0],)

    return run


_KINDS: dict[str, Kind] = {
    "a line at the top, and its undo": _line_at_top,
    f"{_BLOCK} lines pasted": _paste,
    f"undo of {_BLOCK} lines": _undo,
    "a brace opened, an edit, closed": _opened("{"),
    "a brace opened in a statement, an edit, closed": _opened(" {", at_end=True),
    "a comment opened, an edit, closed": _opened_comment,
}
