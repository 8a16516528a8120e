"""Text that cannot run: arms of a match that no value reaches, branches that a literal rules out, and functions that
``@main`` does not call, nor any function that it does.

Only what is sure is told: a match or condition in which something is wrong is left alone, and where there is no
``@main`` every function may be called from outside.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, cast

from ...cancellation import check_cancelled
from ...collections.block_list import common_beginning
from ...diagnostics import Diagnostic, Fix, Related, Severity, Tag, TextEdit, in_order
from ...expressions import Match
from ...inference.exhaustiveness import unreachable_arms
from ...inference.report import RESULT_DECLARED
from ...internal_errors import internal_error
from ...syntax.lexer import COMMENT_PATTERN
from ...text.line_index import LineIndex
from ...text.text_span import TextSpan
from ..lowered_statement import LoweredStatement
from ..snapshot import Snapshot, SyntaxNode
from ..snapshot_tokens import TokenPlaces

__all__ = ["UNREACHABLE", "uncalled_functions", "unreachable"]

UNREACHABLE: Final = "unreachable"

_GAP: Final = rf"(?:\s|{COMMENT_PATTERN})*"
_CONDITION: Final = re.compile(rf"if{_GAP}\({_GAP}(True|False){_GAP}\)")
_MATCH: Final = re.compile(r"match\b")
_LITERALS: Final = frozenset(("True", "False"))
_LONGEST: Final = 1_000
"""A condition that is longer than this, white space included, is not analyzed."""


def unreachable(snapshot: Snapshot, functions: int | None = None) -> list[Diagnostic]:
    """Hints about what cannot run, in the order of the text. Text without such words costs one search for them.

    With ``functions``, there are those about so many functions that nothing calls, the first in the text.
    """
    return in_order([*_in_statements(snapshot), *_functions(snapshot, functions)])


def _in_statements(snapshot: Snapshot) -> Iterator[Diagnostic]:
    """What is unreachable inside statements, cached by statement and by block as long as they mean the same."""
    for block in snapshot.cache_blocks:
        known = cast("list[tuple[int, Diagnostic]] | None", block.memo.get(_in_statements))
        if known is None and _in_statements not in block.words_memo:
            check_cancelled()
            nested = list(snapshot.nested_statements(block, ("match", "if")))
            if not nested:
                block.words_memo[_in_statements] = None  # there is nothing to look for, whatever the types are
            known = block.memo[_in_statements] = [
                (index - block.first, hint)
                for index, template in nested
                if template is None or not _is_quiet(snapshot, template)
                for hint in _in_statement(snapshot, index, template)
            ]
        for number, hint in known or ():
            yield _moved(hint, snapshot.segment_start(block.first + number))


def _is_quiet(snapshot: Snapshot, template: LoweredStatement) -> bool:
    """Whether statements of this template, which differ in names alone, have nothing that never runs.

    So each key passes over almost all of those around it.
    """
    known = template.memo.get(_is_quiet)
    if not isinstance(known, bool):
        has_condition = not _LITERALS.isdisjoint(template.unit.segment.tokens[1])
        try:
            known = not has_condition and not _may_have_idle_arms(snapshot, template)
        except Exception:
            known = False  # what is wrong is reported where the statement is analyzed
        template.memo[_is_quiet] = known
    return known


def _in_statement(snapshot: Snapshot, index: int, template: LoweredStatement | None) -> list[Diagnostic]:
    """What is in one statement; places count from its start."""
    memo = snapshot.statement_memo(index)
    hints = cast("list[Diagnostic] | None", memo.get(_in_statement))
    if hints is None:
        span = snapshot.segment_span(index)
        # Where nothing is wrong, it is what is in the others that differ in names alone.
        shared = template.memo if template is not None and next(_errors_in(snapshot, span), None) is None else {}
        like = cast("_OfTemplate | None", shared.get(_OfTemplate))
        tokens = snapshot.token_places(index)
        hints = _at_tokens(like, tokens) if like is not None else None
        if hints is None:
            hints = [_moved(hint, -span.start) for hint in _looked_for(snapshot, span, template)]
            shared[_OfTemplate] = _OfTemplate(tokens, hints)
        memo[_in_statement] = hints
    return hints


def _looked_for(snapshot: Snapshot, span: TextSpan, template: LoweredStatement | None) -> Sequence[Diagnostic]:
    try:
        arms = _arms(snapshot, span) if _may_have_idle_arms(snapshot, template) else ()
        return [*arms, *_branches(snapshot, span)]
    except Exception as error:
        return [internal_error(error, "looking for unreachable code", span)]


class _OfTemplate(NamedTuple):
    """What is in a statement without errors, which stands for those that differ in names alone, and its tokens."""

    tokens: TokenPlaces
    hints: Sequence[Diagnostic]


def _at_tokens(like: _OfTemplate, tokens: TokenPlaces) -> list[Diagnostic] | None:
    """The hints of another statement at the same tokens of this one; ``None`` where that does not tell their places."""
    moved = dict(zip(like.tokens.starts, tokens.starts, strict=True))
    for end, to in zip(like.tokens.ends, tokens.ends, strict=True):
        if moved.setdefault(end, to) != to:
            return None  # tokens that touch there are apart here
    try:
        return [hint.moved(lambda span: TextSpan(moved[span.start], moved[span.end])) for hint in like.hints]
    except KeyError:
        return None  # one begins or ends with a comment


def _moved(diagnostic: Diagnostic, by: int) -> Diagnostic:
    return diagnostic.moved(lambda span: TextSpan(span.start + by, span.end + by))


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


def _keywords(
    snapshot: Snapshot, within: TextSpan, word: str, pattern: re.Pattern[str]
) -> Iterator[tuple[TextSpan, re.Match[str]]]:
    """Where the pattern, which begins with ``word``, is met by a keyword, not by a comment, string or longer name."""
    text = snapshot.lines.part(within.start, within.end)
    at = text.find(word)
    while at >= 0:
        match = pattern.match(text, at, at + _LONGEST)
        offset = within.start + at
        at = text.find(word, at + 1)
        if match is None:
            continue
        if next(snapshot.words(offset, offset + 1), None) in ((offset, word), (offset, f"{word}?")):
            yield TextSpan(offset, within.start + match.end()), match


# Arms of a match


def _may_have_idle_arms(snapshot: Snapshot, template: LoweredStatement | None) -> bool:
    """Whether a match in a statement has arms that no value reaches, if nothing is wrong with it.

    That is the same for all statements that differ in names alone, so mostly it is known.
    """
    if template is None:
        return True
    known = template.memo.get(_may_have_idle_arms)
    if not isinstance(known, bool):
        definitions = snapshot.type_definitions
        known = any(unreachable_arms(match, definitions) for match in template.matches)
        template.memo[_may_have_idle_arms] = known
    return known


def _arms(snapshot: Snapshot, within: TextSpan) -> Iterator[Diagnostic]:
    for keyword, _ in _keywords(snapshot, within, "match", _MATCH):
        node = _node(snapshot, keyword.start, "match")
        expr = snapshot.expr_at(keyword.start)
        if node is None or not isinstance(expr, Match) or snapshot.span_of(expr) != node.span:
            continue
        if any(
            not any(other.message == RESULT_DECLARED for other in wrong.related)  # the head is as much at fault
            for wrong in _errors_in(snapshot, node.span)
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
    for begin, word in snapshot.words(match.start, match.end):
        if word in ("(", "[", "{"):
            depth += 1
            if opened < 0 and depth == 1 and word == "{":
                opened = last = begin + 1
                continue
        elif word in (")", "]", "}"):
            depth -= 1
            if opened >= 0 and depth == 0:
                break
        if opened < 0:
            continue
        if word == "," and depth == 1:
            if start >= 0:
                yield TextSpan(start, end), TextSpan(last, begin + 1)
            start, last = -1, begin + 1
            continue
        start = begin if start < 0 else start
        end = begin + len(word)
    if start >= 0:
        yield TextSpan(start, end), TextSpan(last, end)


# Branches


def _branches(snapshot: Snapshot, within: TextSpan) -> Iterator[Diagnostic]:
    for keyword, condition in _keywords(snapshot, within, "if", _CONDITION):
        node = _node(snapshot, keyword.start, "conditional")
        blocks = [] if node is None else _blocks(snapshot, TextSpan(keyword.end, node.span.end))
        if node is None or len(blocks) != 2:
            continue
        taken, dead = blocks if condition[1] == "True" else reversed(blocks)
        text = snapshot.lines.part(taken.start + 1, taken.end - 1)
        start, end = taken.end - 1 - len(text.lstrip()), taken.start + 1 + len(text.rstrip())
        last = max((begin + len(word) for begin, word in snapshot.words(start, end)), default=start)
        closing = "\n)" if "//" in snapshot.lines.part(last, end) else ")"  # the comment would take it in
        around = TextEdit(TextSpan(node.span.start, start), "("), TextEdit(TextSpan(end, node.span.end), closing)
        fix = Fix("Keep the other branch only", around) if start < end else None
        yield _hint(f"the condition is {condition[1]}, so this branch never runs", dead, fix)


def _blocks(snapshot: Snapshot, span: TextSpan) -> list[TextSpan]:
    """The outermost braces in a range."""
    blocks: list[TextSpan] = []
    opened: list[int] = []
    for begin, text in snapshot.words(span.start, span.end):
        if text == "{":
            opened.append(begin)
        elif text == "}" and opened:
            start = opened.pop()
            if not opened:
                blocks.append(TextSpan(start, begin + 1))
    return blocks


# Functions


def uncalled_functions(snapshot: Snapshot) -> Sequence[tuple[str, int]]:
    """The functions that ``@main`` does not call, nor any function that it does, and where their names begin."""
    memo = snapshot.call_memo
    unreached = cast("frozenset[str] | None", memo.get(uncalled_functions))
    if unreached is None:
        unreached = memo[uncalled_functions] = _unreached(snapshot)
    if not unreached:
        return ()
    known = cast("_Uncalled | None", snapshot.text_memo.get(_Uncalled))
    if known is None or known.lines is not snapshot.lines:
        known = _Uncalled(snapshot.lines, snapshot.function_names_among(unreached))
        snapshot.text_memo[_Uncalled] = known
    return known.places


class _Uncalled(NamedTuple):
    """What :func:`uncalled_functions` gives for a text, which is asked for more than once."""

    lines: LineIndex
    places: Sequence[tuple[str, int]]


def _functions(snapshot: Snapshot, count: int | None) -> Sequence[Diagnostic]:
    places = uncalled_functions(snapshot)[:count]
    if not places:
        return ()
    known = cast("_KnownHints | None", snapshot.text_memo.get(_KnownHints))
    hints: list[Diagnostic] = []
    if known is not None:  # most stay where they are
        hints += known.hints[: common_beginning(known.places, places)]
    for name, start in places[len(hints) :]:
        span = TextSpan(start, start + len(name))
        hints.append(_hint(f"@main never calls {name}, neither directly nor through others", span))
    snapshot.text_memo[_KnownHints] = _KnownHints(places, hints)
    return hints


class _KnownHints(NamedTuple):
    """The hints about functions that ``@main`` does not call, and where the names of these begin."""

    places: Sequence[tuple[str, int]]
    hints: Sequence[Diagnostic]


def _unreached(snapshot: Snapshot) -> frozenset[str]:
    """The functions that ``@main`` does not call; none, where there is no ``@main``."""
    calls = snapshot.calls
    names = frozenset([name for name, _ in calls])
    if "@main" not in names:
        return frozenset()
    called: dict[str, set[str]] = {}
    for name, callees in calls:
        called.setdefault(name, set()).update(callees)
    reached = {"@main"}
    waiting = ["@main"]
    while waiting:
        for name in called.get(waiting.pop(), ()):
            if name not in reached:
                reached.add(name)
                waiting.append(name)
    return names - reached


def _node(snapshot: Snapshot, offset: int, kind: str) -> SyntaxNode | None:
    """The node of this kind that begins at ``offset``."""
    return next((n for n in snapshot.node_at(offset) if n.kind == kind and n.span.start == offset), None)


def _errors_in(snapshot: Snapshot, span: TextSpan) -> Iterator[Diagnostic]:
    """The errors that lie in a range; the others of a text, which may be many, are not looked at."""
    findings = snapshot.findings
    for number in range(bisect_left(findings, span.start, key=_start), len(findings)):
        wrong = findings[number]
        if _start(wrong) > span.end:
            return
        if wrong.severity is Severity.ERROR and wrong.span is not None and wrong.span.end <= span.end:
            yield wrong


def _start(finding: Diagnostic) -> int:
    return finding.span.start if finding.span is not None else 0
