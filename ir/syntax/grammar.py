"""``relay.lark`` made into the tables of an LALR parser, by Lark.

``python -m relay_lsp.ir.syntax.grammar`` writes them, when the grammar was changed: ``tests/ir/syntax/test_grammar.py``
fails until then. The only module that imports Lark, which readers of Relay need not load: :mod:`.table_parser` reads
by the tables alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from lark import Lark

from .shapes import STARTS
from .table_parser import END, TABLES
from .tokens import KINDS

__all__ = ["made_tables", "parser_of"]

_GRAMMAR: Final = Path(__file__).with_name("relay.lark")
_INLINED: Final = "_"
"""What the names of rules begin with whose children become those of the rule around them."""


def parser_of(**options: Any) -> Lark:
    """Lark's own parser of the grammar, which is what the tables are made of and measured by."""
    return Lark(
        _GRAMMAR.read_text(encoding="utf-8"),
        parser="lalr",
        start=list(STARTS),
        keep_all_tokens=True,
        maybe_placeholders=False,
        **options,
    )


def made_tables() -> str:
    """The tables of the grammar as JSON, as :class:`.table_parser.Tables` has them, a state to a line.

    Lark numbers states and rules otherwise each time. Here states are numbered as they are reached from the starts, and
    rules by what they say, so that the same grammar gives the same text.
    """
    table = cast("Any", parser_of(lexer="basic")).parser.parser._parse_table
    kinds = {kind.terminal: kind.character for kind in KINDS.values()} | {"$END": END}
    entries: dict[int, list[tuple[str, Any, Any]]] = {
        state: sorted((name, action, argument) for name, (action, argument) in leads.items())
        for state, leads in _sortable(table.states).items()
    }
    order = list(dict.fromkeys(table.start_states[start] for start in STARTS))
    for state in order:  # it grows
        reached = (argument for _, action, argument in entries[state] if action == _SHIFT)
        order += [each for each in dict.fromkeys(reached) if each not in order]
    numbers = {state: number for number, state in enumerate(order)}
    rules = sorted({argument for each in entries.values() for _, action, argument in each if action != _SHIFT})
    origins = {name: number for number, name in enumerate(dict.fromkeys(rule.origin for rule in rules))}
    state_lines: list[str] = []
    for state in order:
        actions: dict[str, int] = {}
        gotos: dict[int, int] = {}
        for name, action, argument in entries[state]:
            if action != _SHIFT:
                actions[kinds[name]] = ~rules.index(argument)
            elif name in kinds:
                actions[kinds[name]] = numbers[argument]
            else:
                gotos[origins[name]] = numbers[argument]
        state_lines.append(_written([actions, gotos]))
    starts = {start: [numbers[table.start_states[start]], numbers[table.end_states[start]]] for start in STARTS}
    rule_lines = [_written([origins[rule.origin], *rule[2:]]) for rule in rules]
    return (
        f'{{"starts": {_written(starts)},\n"rules": [\n{_joined(rule_lines)}\n],\n'
        f'"states": [\n{_joined(state_lines)}\n]}}\n'
    )


_SHIFT: Final = "shift"


class _Rule(NamedTuple):
    """A rule, in the order in which rules are numbered, and what is written of it."""

    origin: str
    symbols: tuple[str, ...]
    name: str
    length: int
    gives_way: bool
    inlined: tuple[int, ...]


def _sortable(states: dict[int, dict[str, tuple[Any, Any]]]) -> dict[int, dict[str, tuple[str, Any]]]:
    """Lark's states, with rules that have an order."""
    return {
        state: {
            str(name): ("reduce", _rule(argument)) if action.name == "Reduce" else (_SHIFT, argument)
            for name, (action, argument) in leads.items()
        }
        for state, leads in states.items()
    }


def _rule(rule: Any) -> _Rule:
    symbols = [str(symbol.name) for symbol in rule.expansion]
    inlined = [
        at for at, symbol in enumerate(rule.expansion) if not symbol.is_term and symbols[at].startswith(_INLINED)
    ]
    name = str(rule.alias or rule.origin.name)
    gives_way = bool(rule.options.expand1 and not rule.alias)
    return _Rule(str(rule.origin.name), tuple(symbols), name, len(symbols), gives_way, tuple(inlined))


def _written(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _joined(lines: list[str]) -> str:
    return ",\n".join(lines)


if __name__ == "__main__":
    TABLES.write_text(made_tables(), encoding="utf-8")
