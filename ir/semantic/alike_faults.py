"""What is said of statements at fault, worked out once for all whose texts differ in the name that they bind alone.

A text may repeat a fault ten thousand times, and each of them takes ten times as long as a sound statement. What is
said speaks of names, so these have to be the same; numbers of graph variables hardly ever are. Where the operators that
were meant are not looked for any more (:class:`.NearestNames`), the unknown operator that a statement calls may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from ..collections.lru_map import LruMap
from ..diagnostics import Diagnostic, Fix, Related, TextEdit
from ..syntax.statements import Segment
from ..text.text_span import TextSpan
from .lowered_statement import LoweredStatement
from .typed_statement import ReportedStatement

__all__ = ["OTHERWISE_SPELLED", "AlikeFaults", "BoundName", "bound_name", "moved_behind", "speaks_of"]

_KEPT: Final = 128
"""How many texts of statements are kept in mind at least, some ten kilobytes each."""

_LONGEST: Final = 2_000
"""Characters of a statement whose text is kept in mind."""

_BINDS: Final = re.compile(r"\s*(?:let\s+)?(%\w+)(?=\s*=)")

_CALLED: Final = re.compile(r"(?<![\w.%@])([A-Za-z_][\w.]{0,99})\(")
"""What may be an operator."""

OTHERWISE_SPELLED: Final = re.compile("%0[0-9]")
"""``%01`` is ``%1``."""


class BoundName(NamedTuple):
    """The name that a statement binds, ``None`` where it binds none; where it ends; and the rest of the statement.

    ``callee`` is an unknown operator that it calls, and that is not a part of the rest, and ``callee_end`` its end.
    """

    name: str | None
    end: int
    rest: object
    callee: str | None = None
    callee_end: int = 0


def bound_name(segment: Segment, unknown: Callable[[str], bool] | None = None) -> BoundName | None:
    """The name that a statement binds, and the rest of its text; ``None`` where these do not tell all.

    With ``unknown``, which tells whether a name is no operator, such a one that the statement calls is told apart.
    """
    text = segment.text
    if len(text) > _LONGEST or OTHERWISE_SPELLED.search(text) is not None:
        return None
    kind = segment.kinds, segment.role, segment.is_short
    binding = _BINDS.match(text)
    name, start, end = (None, 0, 0) if binding is None else (binding[1], binding.start(1), binding.end())
    if name is not None and name in text[end:]:
        return None
    called = _CALLED.search(text, end) if unknown is not None else None
    if unknown is None or called is None or text.count(called[1]) > 1 or not unknown(called[1]):
        return BoundName(name, end, (text[:start], text[end:], kind))
    rest = text[:start], text[end : called.start(1)], text[called.end(1) :], kind
    return BoundName(name, end, rest, called[1], called.end(1))


def moved_behind(findings: Iterable[Diagnostic], of: BoundName, to: BoundName) -> tuple[Diagnostic, ...]:
    """Findings in a statement with the names ``of``, in one that differs in having the names ``to``."""
    by = to.end - of.end
    by_callee = to.callee_end - of.callee_end - by
    if not by and of.callee == to.callee:
        return tuple(findings)

    def moved_offset(offset: int) -> int:
        at = offset + by if offset >= of.end else offset
        return at + by_callee if of.callee is not None and offset >= of.callee_end else at

    def moved(span: TextSpan) -> TextSpan:
        return TextSpan(moved_offset(span.start), moved_offset(span.end))

    def moved_fixes(fixes: Sequence[Fix]) -> Sequence[Fix]:
        return tuple(
            [Fix(fix.title, tuple([TextEdit(moved(edit.span), edit.new_text) for edit in fix.edits])) for fix in fixes]
        )

    return tuple(
        [
            Diagnostic(
                each.code,
                each.severity,
                each.message if of.callee is None or to.callee is None else each.message.replace(of.callee, to.callee),
                moved(each.span) if each.span is not None else None,
                each.place,
                tuple(
                    [
                        Related(other.message, moved(other.span) if other.span is not None else None, other.place)
                        for other in each.related
                    ]
                )
                if each.related
                else (),
                moved_fixes(each.fixes) if each.fixes else (),
                each.tags,
                each.data,
            )
            for each in findings
        ]
    )


def speaks_of(name: str | None, findings: Iterable[Diagnostic]) -> bool:
    """Whether what is said of a statement, or what would mend it, has the name in it that the statement binds."""
    return name is not None and any(
        name in each.message
        or any(name in other.message for other in each.related)
        or any(name in fix.title or any(name in edit.new_text for edit in fix.edits) for fix in each.fixes)
        for each in findings
    )


def _stands_for_others(bound: BoundName, findings: Sequence[Diagnostic]) -> bool:
    """Whether what is said of a statement holds with other names, too; that an operator is unknown names that one."""
    others = [each for each in findings if each.code != "undefined-operator" or each.fixes]
    return not speaks_of(bound.name, findings) and not speaks_of(bound.callee, others)


class AlikeFaults:
    """The statements of a context that were analyzed for themselves last, by their texts."""

    __slots__ = ("_lowered", "_reported")

    def __init__(self) -> None:
        self._reported: Final[LruMap[object, tuple[ReportedStatement, BoundName]]] = LruMap(_KEPT)
        self._lowered: Final[LruMap[object, tuple[LoweredStatement, BoundName]]] = LruMap(_KEPT)

    def statement(self, segment: Segment, bound: BoundName | None) -> ReportedStatement | None:
        """A statement that is at fault as one before it is; ``None`` where there was none."""
        known = self._reported.get(bound.rest) if bound is not None else None
        if known is None or bound is None:
            return None
        stands, its = known
        faults = moved_behind(stands.segment.diagnostics, its, bound)
        segment.parse_like(stands.segment, faults)
        made = stands.for_alike(segment, bound.name)
        made.known_by = bound
        if (its.end, its.callee_end) != (bound.end, bound.callee_end):
            self._reported[bound.rest] = made, bound  # those that follow are mostly as long as this one
        return made

    def keep(self, statement: ReportedStatement, bound: BoundName | None) -> None:
        """Keep a statement that was lowered for itself in mind, if it can stand for others."""
        own = statement.own
        if bound is None or own is None or not (own.diagnostics or statement.inner_unused):
            return
        if bound.name == statement.bound and _stands_for_others(bound, own.diagnostics):
            self._reported[bound.rest] = statement, bound
            self._lowered[bound.rest] = own, bound

    def lowered(self, bound: BoundName) -> tuple[LoweredStatement, BoundName] | None:
        """How a statement with this text but for its bound name was lowered, and the name that it binds."""
        return self._lowered.get(bound.rest)

    def keep_lowered(self, bound: BoundName, own: LoweredStatement) -> None:
        """Keep in mind how a statement was lowered, if it can stand for others."""
        name = own.bound.name if own.bound is not None else None
        if bound.name == name and _stands_for_others(bound, own.diagnostics):
            self._lowered[bound.rest] = own, bound
