"""Text that cannot run: arms of a match that no value reaches, branches that a literal rules out, and functions that
``@main`` does not call, nor any function that it does.

Only what is sure is told: a match or condition in which something is wrong is left alone, and where there is no
``@main`` every function may be one that somebody calls.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from .diagnostics import Diagnostic, Fix, Related, Severity, Tag, TextEdit, in_order
from .expressions import Match
from .inference.exhaustiveness import unreachable_arms
from .snapshot import Snapshot, Symbol, SyntaxNode, TokenRole
from .source import TextSpan

__all__ = ["UNREACHABLE", "unreachable"]

UNREACHABLE: Final = "unreachable"

_CONDITION: Final = re.compile(r"if\s*\(\s*(True|False)\s*\)")
_MATCH: Final = re.compile(r"match\b")
_LONGEST: Final = 1_000
"""A condition that goes over more text than this, for all its blanks, is left alone."""


def unreachable(snapshot: Snapshot) -> list[Diagnostic]:
    """Hints about what cannot run, in the order of the text. Text without such words costs one search for them."""
    return in_order([*_arms(snapshot), *_branches(snapshot), *_functions(snapshot)])


def _hint(message: str, span: TextSpan, fix: Fix | None = None, related: Sequence[Related] = ()) -> Diagnostic:
    return Diagnostic(
        UNREACHABLE,
        Severity.HINT,
        message,
        span,
        related=tuple(related),
        fixes=(fix,) if fix is not None else (),
        tags=(Tag.UNNECESSARY,),
    )


def _keywords(snapshot: Snapshot, word: str, pattern: re.Pattern[str]) -> Iterator[tuple[TextSpan, re.Match[str]]]:
    """Where the pattern, which begins with ``word``, is met by a keyword, not by a comment, string or longer name."""
    for offset in snapshot.lines.places_of(word):
        match = pattern.match(snapshot.lines.part(offset, offset + _LONGEST))
        if match is None:
            continue
        token = snapshot.token_at(offset)
        if token is not None and token.role is TokenRole.KEYWORD and token.span.start == offset:
            yield TextSpan(offset, offset + match.end()), match


# Arms of a match


def _arms(snapshot: Snapshot) -> Iterator[Diagnostic]:
    for keyword, _ in _keywords(snapshot, "match", _MATCH):
        node = _node(snapshot, keyword.start, "match")
        expr = snapshot.expr_at(keyword.start)
        if node is None or not isinstance(expr, Match) or snapshot.span_of(expr) != node.span:
            continue
        if any(
            wrong.severity is Severity.ERROR and wrong.span is not None and _holds(node.span, wrong.span)
            for wrong in snapshot.diagnostics
        ):
            continue
        places = list(_arm_places(snapshot, node.span))
        if len(places) != len(expr.clauses):
            continue
        for arm in unreachable_arms(expr, snapshot.type_definitions):
            span, removed = places[arm]
            fix = Fix("Remove the arm", (TextEdit(removed, ""),))
            related = [Related("the arms before it take every value that it would", places[arm - 1][0])]
            yield _hint("no value reaches this arm", span, fix, related)


def _arm_places(snapshot: Snapshot, match: TextSpan) -> Iterator[tuple[TextSpan, TextSpan]]:
    """The arms between the braces of a match: each without its comma, and with it and the blanks before."""
    depth, opened, start, end = 0, -1, -1, -1
    last = -1
    for token in snapshot.tokens(match.start, match.end):
        if token.role is TokenRole.COMMENT:
            continue
        if token.text in ("(", "[", "{"):
            depth += 1
            if opened < 0 and depth == 1 and token.text == "{":
                opened = last = token.span.end
                continue
        elif token.text in (")", "]", "}"):
            depth -= 1
            if opened >= 0 and depth == 0:
                break
        if opened < 0:
            continue
        if token.text == "," and depth == 1:
            if start >= 0:
                yield TextSpan(start, end), TextSpan(last, token.span.end)
            start, last = -1, token.span.end
            continue
        start = token.span.start if start < 0 else start
        end = token.span.end
    if start >= 0:
        yield TextSpan(start, end), TextSpan(last, end)


# Branches


def _branches(snapshot: Snapshot) -> Iterator[Diagnostic]:
    for keyword, condition in _keywords(snapshot, "if", _CONDITION):
        node = _node(snapshot, keyword.start, "conditional")
        blocks = [] if node is None else _blocks(snapshot, TextSpan(keyword.end, node.span.end))
        if node is None or len(blocks) != 2:
            continue
        taken, dead = blocks if condition[1] == "True" else reversed(blocks)
        text = snapshot.lines.part(taken.start + 1, taken.end - 1).strip()
        fix = Fix("Keep the other branch only", (TextEdit(node.span, f"({text})"),)) if text else None
        yield _hint(f"the condition is {condition[1]}, so this branch never runs", dead, fix)


def _blocks(snapshot: Snapshot, span: TextSpan) -> list[TextSpan]:
    """The outermost braces in a range."""
    found: list[TextSpan] = []
    opened: list[int] = []
    for token in snapshot.tokens(span.start, span.end):
        if token.text == "{":
            opened.append(token.span.start)
        elif token.text == "}" and opened:
            start = opened.pop()
            if not opened:
                found.append(TextSpan(start, token.span.end))
    return found


# Functions


def _functions(snapshot: Snapshot) -> Iterator[Diagnostic]:
    defined = snapshot.functions
    main = next((function for function in defined if function.name == "@main"), None)
    if main is None or len(defined) < 2:
        return
    starts = [function.full_span.start for function in defined]
    callers = {
        id(function): {max(0, bisect_right(starts, use.start) - 1) for use in function.uses if use != function.span}
        for function in defined
    }
    called: dict[int, list[Symbol]] = {}
    for function in defined:
        for caller in callers[id(function)]:
            called.setdefault(caller, []).append(function)
    numbers = {id(function): number for number, function in enumerate(defined)}
    reached = {numbers[id(main)]}
    waiting = list(reached)
    while waiting:
        for function in called.get(waiting.pop(), ()):
            number = numbers[id(function)]
            if number not in reached:
                reached.add(number)
                waiting.append(number)
    for number, function in enumerate(defined):
        if number not in reached:
            yield _hint(f"@main never calls {function.name}, neither directly nor through others", function.span)


def _node(snapshot: Snapshot, offset: int, kind: str) -> SyntaxNode | None:
    """The node of this kind that begins at ``offset``."""
    return next((n for n in snapshot.node_at(offset) if n.kind == kind and n.span.start == offset), None)


def _holds(outer: TextSpan, inner: TextSpan) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
