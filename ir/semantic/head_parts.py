"""What belongs to one head of a function alone; heads of the same words but for the names of their functions share the
rest.

A text may have ten thousand functions of the same parameters, and most of the time that a head takes to read goes into
what says the same in all of them. Its own expressions are made of those of the head that was read, once they are asked
for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..diagnostics import Diagnostic
from ..expressions import Expr, Function, Tuple, Var
from ..syntax.lexer import NAME_PATTERN, RESERVED_PATTERN
from ..syntax.scopes import Definition
from ..syntax.statements import Segment
from ..syntax.units import SyntaxOrigin, Unit
from ..text.text_span import TextSpan

__all__ = ["HeadParts", "HeadWords", "head_words", "moved_behind_name"]

_LONGEST: Final = 2_000
"""Characters of a head that is compared with others: that of a network is read anew where an edit changes it."""

_NAMED: Final = re.compile(rf"\s*def\s+(@{RESERVED_PATTERN}{NAME_PATTERN})(?=\s*[(\[])")


class HeadWords(NamedTuple):
    """The name of a function, where it stands in its head, and all that is written there besides it."""

    name: str
    span: TextSpan
    others: object


def head_words(header: Segment) -> HeadWords | None:
    """The words of a head; ``None`` where it is long, or does not begin with ``def`` and a name."""
    text = header.text
    named = _NAMED.match(text) if len(text) <= _LONGEST else None
    if named is None:
        return None
    start, end = named.span(1)
    others = text[:start], text[end:], header.kinds, header.role, header.is_short, header.is_far_sighted
    return HeadWords(named[1], TextSpan(start, end), others)


class HeadParts(NamedTuple):
    """The expressions of one head, and what refers to them.

    ``function`` has no body. ``definitions`` are the type parameters and parameters, ``uses`` the names that have a
    meaning, by token, and ``origins`` has the places of the expressions.
    """

    unit: Unit
    function: Function
    definitions: tuple[Definition, ...]
    uses: Mapping[int, Definition]
    origins: dict[Expr, SyntaxOrigin]

    def of(self, header: Segment) -> HeadParts:
        """Those of a head that differs in the name of its function alone, and has the same statements."""
        unit, before = Unit(header, 0, 0), self.function
        variables = [Var(var.name_hint, var.type_annotation, None, var.virtual_device) for var in before.params]
        function = Function(
            variables, Tuple(()), before.ret_type, before.type_params, before.attrs, None, before.virtual_device
        )
        made: dict[object, Expr] = dict(zip(before.params, variables, strict=True))
        made[before] = function
        of_definitions: dict[Definition, Definition] = {}
        for old in self.definitions:
            value = made.get(old.value, old.value)
            of_definitions[old] = Definition(old.kind, old.name, unit, old.token, value, old.container)
        uses = {token: of_definitions.get(used, used) for token, used in self.uses.items()}
        origins: dict[Expr, SyntaxOrigin] = {}
        for expr, origin in self.origins.items():
            origins[made.get(expr, expr)] = SyntaxOrigin(unit, origin.statement, origin.node)
        return HeadParts(unit, function, tuple(of_definitions.values()), uses, origins)


def moved_behind_name(findings: Sequence[Diagnostic], old: TextSpan, new: TextSpan) -> tuple[Diagnostic, ...]:
    """What is wrong with a head, in one whose name stands at ``new`` and not at ``old``: both begin at one place."""
    by = new.end - old.end
    if not findings or not by:
        return tuple(findings)

    def moved(span: TextSpan) -> TextSpan:
        start, end = (offset + by if offset >= old.end else offset for offset in (span.start, span.end))
        return TextSpan(start, end)

    return tuple([finding.moved(moved) for finding in findings])
