"""What is said of statements at fault, worked out once for all whose texts differ in the name that they bind alone.

A text may repeat a fault ten thousand times, and each of them takes ten times as long as a sound statement. What is
said speaks of names, so these have to be the same; numbers of graph variables hardly ever are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ..collections.lru_map import LruMap
from ..diagnostics import Diagnostic, Fix, Related, TextEdit
from ..syntax.statements import Segment
from ..text.text_span import TextSpan
from .lowered_statement import LoweredStatement
from .typed_statement import ReportedStatement

__all__ = ["AlikeFaults", "BoundName", "bound_name", "moved_behind", "speaks_of"]

_KEPT: Final = 128
"""How many texts of statements are kept in mind at least, some ten kilobytes each."""

_LONGEST: Final = 2_000
"""Characters of a statement whose text is kept in mind."""

_BINDS: Final = re.compile(r"\s*(?:let\s+)?(%\w+)(?=\s*=)")

_OTHERWISE_SPELLED: Final = re.compile("%0[0-9]")
"""``%01`` is ``%1``."""


class BoundName(NamedTuple):
    """The name that a statement binds, ``None`` where it binds none; where it ends; and the rest of the statement."""

    name: str | None
    end: int
    rest: object


def bound_name(segment: Segment) -> BoundName | None:
    """The name that a statement binds, and the rest of its text; ``None`` where these do not tell all."""
    text = segment.text
    if len(text) > _LONGEST or _OTHERWISE_SPELLED.search(text) is not None:
        return None
    kind = segment.kinds, segment.role, segment.is_short
    binding = _BINDS.match(text)
    if binding is None:
        return BoundName(None, 0, (text, kind))
    name, after = binding[1], text[binding.end() :]
    return None if name in after else BoundName(name, binding.end(), (text[: binding.start(1)], after, kind))


def moved_behind(findings: Iterable[Diagnostic], end: int, by: int) -> tuple[Diagnostic, ...]:
    """Findings in a statement whose bound name ends at ``end``, in one whose name is longer ``by`` some characters."""
    if not by:
        return tuple(findings)

    def moved(span: TextSpan) -> TextSpan:
        return TextSpan(
            span.start if span.start < end else span.start + by, span.end if span.end < end else span.end + by
        )

    def moved_fixes(fixes: Sequence[Fix]) -> Sequence[Fix]:
        return tuple(
            [Fix(fix.title, tuple([TextEdit(moved(edit.span), edit.new_text) for edit in fix.edits])) for fix in fixes]
        )

    return tuple(
        [
            Diagnostic(
                each.code,
                each.severity,
                each.message,
                moved(each.span) if each.span is not None else None,
                each.place,
                tuple(
                    [
                        Related(other.message, moved(other.span) if other.span is not None else None, other.place)
                        for other in each.related
                    ]
                ),
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


class AlikeFaults:
    """The statements of a context that were analyzed for themselves last, by their texts."""

    __slots__ = ("_lowered", "_reported")

    def __init__(self) -> None:
        self._reported: Final[LruMap[object, tuple[ReportedStatement, BoundName]]] = LruMap(_KEPT)
        self._lowered: Final[LruMap[object, tuple[LoweredStatement, BoundName]]] = LruMap(_KEPT)

    def statement(self, segment: Segment) -> ReportedStatement | None:
        """A statement that is at fault as one before it is; ``None`` where there was none."""
        bound = bound_name(segment)
        known = self._reported.get(bound.rest) if bound is not None else None
        if known is None or bound is None:
            return None
        stands, its = known
        faults = moved_behind(stands.segment.diagnostics, its.end, bound.end - its.end)
        segment.parse_like(stands.segment, faults)
        return stands.for_alike(segment, bound.name)

    def keep(self, statement: ReportedStatement) -> None:
        """Keep a statement that was lowered for itself in mind, if it can stand for others."""
        own = statement.own
        bound = bound_name(statement.segment)
        if bound is None or own is None or not (own.diagnostics or statement.inner_unused):
            return
        if bound.name == statement.bound and not speaks_of(bound.name, own.diagnostics):
            self._reported[bound.rest] = statement, bound
            self._lowered[bound.rest] = own, bound

    def lowered(self, bound: BoundName) -> tuple[LoweredStatement, BoundName] | None:
        """How a statement with this text but for its bound name was lowered, and the name that it binds."""
        return self._lowered.get(bound.rest)

    def keep_lowered(self, bound: BoundName, own: LoweredStatement) -> None:
        """Keep in mind how a statement was lowered, if it can stand for others."""
        name = own.bound.name if own.bound is not None else None
        if bound.name == name and not speaks_of(name, own.diagnostics):
            self._lowered[bound.rest] = own, bound
