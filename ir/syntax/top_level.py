"""What is wrong with the text of a module that is no part of a definition, and with its version line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from ..diagnostics import Diagnostic, Fix, Related, Severity, TextEdit
from ..metadata import MetadataFault
from ..text.text_span import TextSpan
from .cuts import OF_BODY, Role
from .statements import Segment
from .tokens import DIRECTIVE, VERSION
from .units import Unit

__all__ = [
    "VERSION_LINE",
    "end_without_head",
    "function_redefined",
    "metadata_json",
    "top_level_findings",
    "unclosed_function",
    "unexpected_brace",
    "unreadable_metadata",
    "version_findings",
]

_ROLE_OF: Final = attrgetter("role")
_TOGETHER: Final = 256
"""So many segments are looked at together."""

VERSION_LINE: Final = '#[version = "0.0.5"]'


def version_findings(first: Unit | None, length: int) -> Iterator[Diagnostic]:
    """What is wrong with the version line, where ``first`` is the first unit with a token in a text of this length."""
    if first is None or first.segment.tokens[0][0] != "V":
        span = first.span(0) if first is not None else TextSpan(0, length)
        fix = Fix("Insert the version line", (TextEdit(TextSpan(0, 0), VERSION_LINE + "\n"),))
        yield _error("missing-version-line", f"expected the version line {VERSION_LINE} first", span, fix)
        return
    text = first.segment.tokens[1][0]
    version = text[2:-1].partition("=")[2].strip()
    if version != '"0.0.5"':
        span = first.span(0)
        fix = Fix(f"Change to {VERSION_LINE}", (TextEdit(span, VERSION_LINE),))
        yield _error("unsupported-version", f"version {version} is not 0.0.5, the only one there is", span, fix)


def top_level_findings(unit: Unit, *, is_first: bool) -> Iterator[Diagnostic]:
    """What is wrong with a unit that is no part of a function, besides its syntax.

    ``is_first``: no token comes before it.
    """
    role = unit.segment.role
    kinds, texts, _ = unit.segment.tokens
    if role is Role.DIRECTIVE and (kinds == DIRECTIVE or (kinds == VERSION and not is_first)):
        span = unit.span(0)
        what = "the version line stands first" if kinds == VERSION else f"unknown directive {texts[0]}"
        yield _error("unknown-directive", what, span, Fix("Remove it", (TextEdit(span, ""),)))
    elif role in (Role.CLOSE, Role.EXTRA_CLOSE):
        yield unexpected_brace(unit)
    elif role is Role.STATEMENT:
        message = "expected `def` or `type`: a statement stands in the body of a function, whose head is missing"
        yield _error("unexpected-text", message, unit.range(0, len(kinds) - 1))


def end_without_head(segments: Sequence[Segment], index: int) -> int:
    """Where statements end that have no head before them, with their brace; the first of them is at ``index``.

    Of such statements one thing is said, at the first: all of them are what they were once the head is back.
    """
    if segments[index].role not in (Role.STATEMENT, Role.JUNK):
        return index + 1
    at = index + 1
    while at < len(segments):
        roles = list(map(_ROLE_OF, segments[at : at + _TOGETHER]))
        if any(role not in OF_BODY for role in set(roles)) or Role.CLOSE in roles:
            end = next(number for number, role in enumerate(roles) if role is Role.CLOSE or role not in OF_BODY)
            return at + end + (roles[end] is Role.CLOSE)
        at += len(roles)
    return at


def unexpected_brace(unit: Unit) -> Diagnostic:
    """That a unit is a closing brace too many."""
    span = unit.span(0)
    return _error("unexpected-token", "unexpected `}`", span, Fix("Remove `}`", (TextEdit(span, ""),)))


def unclosed_function(header: Unit, last: Unit, following: int) -> Diagnostic:
    """That a function has no closing brace between its last unit and the offset of what follows it."""
    start = last.span(len(last.segment.tokens[0]) - 1).end
    opened = header.span(len(header.segment.tokens[0]) - 1)
    return Diagnostic(
        "unclosed-brace",
        Severity.ERROR,
        "expected `}` here",
        TextSpan(start, following),
        related=(Related("the brace that it closes", opened),),
        fixes=(Fix("Insert `}`", (TextEdit(TextSpan(start, start), "\n}"),)),),
    )


def _error(code: str, message: str, span: TextSpan, fix: Fix | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, fixes=(fix,) if fix is not None else ())


def function_redefined(name: str, span: TextSpan, earlier: TextSpan) -> Diagnostic:
    """The warning about a function of the same name as one before it."""
    message = f"{name} is defined already, and TVM keeps the last definition"
    related = (Related("the other definition", earlier),)
    return Diagnostic("function-redefined", Severity.WARNING, message, span, related=related)


def metadata_json(segment: Segment) -> str:
    """What stands behind ``#[metadata]``."""
    text = segment.tokens[1][0]
    return text[text.index("]") + 1 :]


def unreadable_metadata(unit: Unit, faults: Sequence[MetadataFault]) -> Iterator[Diagnostic]:
    """The errors about what cannot be read of a metadata section: its nodes, or all of it."""
    start = unit.span(0).start
    head = TextSpan(start, start + unit.segment.tokens[1][0].index("]") + 1)
    for message, place, is_end in faults:
        if is_end and place is not None:
            span = TextSpan(head.end + place.start, head.end + place.end)
            yield _error("invalid-metadata", message, span)
        elif place is None:
            yield _error("invalid-metadata", f"the metadata section cannot be read: {message}", head)
        else:
            span = TextSpan(head.end + place.start, head.end + place.end)
            yield _error("invalid-metadata", f"this node cannot be read: {message}", span)
