"""``parse``, ``parse_expr`` and ``parse_type``: text in, module, expression or type out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ..diagnostics import Diagnostic, Place
from ..expressions import Expr
from ..module import IRModule
from ..text.text_span import TextSpan
from ..types import Type
from .blocks import Statement
from .lexer import lex
from .lowering import Lowering
from .reading import Reading
from .scopes import Names
from .shapes import shape_of
from .splitting import split
from .statements import Segment
from .units import Unit

__all__ = ["Parsed", "ParsedExpr", "parse", "parse_expr", "parse_type"]


class Parsed(msgspec.Struct, frozen=True):
    """A module as it was read: always there, with what is broken marked (:class:`~..expressions.ErrorExpr`)."""

    module: IRModule
    diagnostics: tuple[Diagnostic, ...]
    reading: Reading

    def locate(self, place: Place) -> TextSpan | None:
        """Where a part of one of the module's expressions stands in the text."""
        return self.reading.locate(place)

    @property
    def meta_table(self) -> Mapping[str, Sequence[object]]:
        """The metadata section, with what the caller added."""
        return self.reading.names.metadata


class ParsedExpr(msgspec.Struct, frozen=True):
    """A single expression as it was read."""

    expr: Expr
    diagnostics: tuple[Diagnostic, ...]
    reading: Reading

    def locate(self, place: Place) -> TextSpan | None:
        """Where a part of the expression stands in the text."""
        return self.reading.locate(place)


def parse(
    text: str,
    name: str = "from_string",
    *,
    module: IRModule | None = None,
    metadata: Mapping[str, Sequence[object]] | None = None,
) -> Parsed:
    """Read a module. Never raises: what is wrong is in ``diagnostics``.

    Args:
        text: a module in Relay's text format.
        name: the source's name, as the spans of expressions have it.
        module: definitions to start from; those of the text are added.
        metadata: entries to append to those of the text's metadata section, by type key.
    """
    reading = Reading(text, name, split(text), module, metadata)
    return Parsed(reading.module, tuple(reading.diagnostics), reading)


def parse_expr(
    text: str,
    name: str = "string",
    *,
    module: IRModule | None = None,
    metadata: Mapping[str, Sequence[object]] | None = None,
) -> ParsedExpr:
    """Read a single expression, with or without a version line before it. Never raises.

    Global variables need not be known; otherwise as :func:`parse`.
    """
    reading = Reading(text, name, split(text, is_expression=True), module, metadata, is_expression=True)
    return ParsedExpr(reading.expr, tuple(reading.diagnostics), reading)


def parse_type(text: str) -> Type | None:
    """The type that a text says; ``None`` where it is none, or ``_``. Data types need not be known. Never raises.

    It is read without a module around it: a text may have a hundred thousand comments that say types.
    """
    segment = Segment(lex(text).kinds, text)
    kinds = segment.tokens[0]
    root = shape_of("annotation", f":{kinds}").root
    if root is None:
        return None
    lowering = Lowering(Names(is_expression=True), None)
    lowering.enter(Unit(segment, 0, 0))
    item = lowering.read(Statement(root, f":{kinds}", [~0, *range(len(kinds))], {}))
    return item.value if isinstance(item.value, Type) and not lowering.diagnostics else None
