"""An LALR parser of token kinds that goes by tables, which Lark has made of ``relay.lark``.

Lark itself would do the same. To load it, and the tables from its cache, takes 50 ms of the time to the first
diagnostics, whose goal of 600 ms was missed with it on a slow moment of the machine (601.5 ms at the 95th percentile).
``tests/ir/syntax/test_grammar.py`` holds this parser to Lark's answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

__all__ = ["END", "TABLES", "Refused", "Tables", "accepted_insertion", "parse_kinds", "tables"]

TABLES: Final = Path(__file__).with_name("relay.tables.json")
"""What :mod:`.grammar` writes."""

END: Final = ""
"""The kind that stands for the end of a sequence."""


_Tree = TypeVar("_Tree")


class Rule(NamedTuple):
    """A rule of the grammar, by which symbols that were read become one."""

    origin: int
    """The number of the symbol that they become."""
    name: str
    """What the tree is called; one that begins with ``_`` gives its children wherever it stands."""
    length: int
    """How many they are."""
    gives_way: bool
    """Whether a child that is the only one stands for the tree."""
    inlined: Sequence[int]
    """Which of them give their children instead of themselves."""

    @property
    def passes_on(self) -> bool:
        """Whether what it makes of its only child is that child."""
        is_nameless = self.name[0] == "_"
        return self.length == 1 and (list(self.inlined) == [0] if is_nameless else self.gives_way and not self.inlined)


class Tables(NamedTuple):
    """What an LALR parser does: the states it is in, and what leads from one to another."""

    starts: dict[str, tuple[int, int]]
    """For each start of the grammar, the first state and the last."""
    rules: list[Rule]
    actions: list[dict[str, int]]
    """For each state and each kind that may come, the next state; or the number of a rule, inverted (``~number``)."""
    gotos: list[dict[int, int]]
    """For each state and each symbol that was made there, the next state."""
    passed_on: list[int | None]
    """Of each rule that passes its only child on, the origin: most of those that a name goes through do."""


class Refused(Exception):
    """The sequence is not of the grammar from ``position`` on, where one of the kinds ``expected`` could stand."""

    def __init__(self, position: int, expected: Iterable[str]) -> None:
        super().__init__(position)
        self.position = position
        self.expected = expected


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The tables of the grammar."""
    content = json.loads(TABLES.read_text(encoding="utf-8"))
    rules = [Rule(*rule) for rule in content["rules"]]
    return Tables(
        {name: (first, last) for name, (first, last) in content["starts"].items()},
        rules,
        [actions for actions, _ in content["states"]],
        [{int(symbol): state for symbol, state in gotos.items()} for _, gotos in content["states"]],
        [rule.origin if rule.passes_on else None for rule in rules],
    )


def parse_kinds(make: Callable[[str, list[Any]], _Tree], start: str, kinds: str) -> _Tree:
    """The tree of a sequence of token kinds.

    Args:
        make: makes a tree of its name and its children, which are trees, and positions of tokens.
        start: the rule of the grammar that the whole sequence must be.
        kinds: the sequence, a character for each token.

    Raises:
        Refused: it is not of the grammar.
    """
    starts, rules, actions, gotos, passed_on = tables()
    first, last = starts[start]
    states, values = [first], list[Any]()
    for position, kind in enumerate(chain(kinds, (END,))):
        while True:
            action = actions[states[-1]].get(kind)
            if action is None:
                raise Refused(position, frozenset(actions[states[-1]]) - {END})
            if action >= 0:
                states.append(action)
                values.append(position)
                break
            passed = passed_on[~action]
            if passed is not None:
                states.pop()
                states.append(gotos[states[-1]][passed])
                if kind == END and states[-1] == last:
                    return values[-1]
                continue
            origin, name, length, gives_way, inlined = rules[~action]
            children = values[-length:]
            del states[-length:], values[-length:]
            if inlined:
                children = _with_inlined(children, inlined)
            if name[0] == "_":
                values.append(children)  # it gives its children wherever it stands: no tree is made of it
            else:
                values.append(children[0] if gives_way and len(children) == 1 else make(name, children))
            states.append(gotos[states[-1]][origin])
            if kind == END and states[-1] == last:
                return values[-1]
    raise AssertionError("a sequence ends by its last rule, or is refused")


def _with_inlined(children: list[Any], inlined: Sequence[int]) -> list[Any]:
    """Children of which some are lists that stand for what is in them. One that grows from the left grows in place."""
    first, *others = inlined
    flat: list[Any] = children[0]
    if first:
        flat = [*children[:first], *children[first]]
    for number in others:
        flat += children[first + 1 : number]
        flat += children[number]
        first = number
    flat += children[first + 1 :]
    return flat


def accepted_insertion(start: str, kinds: str, insertions: Sequence[tuple[int, str]]) -> tuple[int, str] | None:
    """The first of some insertions, each of a kind before a position, with which a sequence is of the grammar.

    What comes before all of them is gone through once, and no tree is made: each attempt costs what lies between the
    insertion and the fault that is left.
    """
    if not insertions:
        return None
    first, last = min(at for at, _ in insertions), max(at for at, _ in insertions)
    states = [tables().starts[start][0]]
    before: dict[int, list[int]] = {}
    for position in range(last + 1):
        if position >= first:
            before[position] = states.copy()
        if position < last and not _takes(states, kinds[position]):
            break
    for at, kind in insertions:
        if at in before and _accepts(before[at].copy(), kind + kinds[at:], tables().starts[start][1]):
            return at, kind
    return None


def _takes(states: list[int], kind: str, last: int = -1) -> bool:
    """Whether a token of a kind may come next; ``states`` are those after it, then. The end leads to the ``last``."""
    _, rules, actions, gotos, _ = tables()
    while (action := actions[states[-1]].get(kind)) is not None:
        if action >= 0:
            states.append(action)
            return True
        rule = rules[~action]
        del states[-rule.length :]
        states.append(gotos[states[-1]][rule.origin])
        if kind == END and states[-1] == last:
            return True
    return False


def _accepts(states: list[int], kinds: str, last: int) -> bool:
    """Whether a sequence may come next and end there."""
    return all(_takes(states, kind) for kind in kinds) and _takes(states, END, last)
