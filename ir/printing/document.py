"""A document: text in pieces that nest, with line ends whose indentation is known only at the end.

Expressions are printed from the inside out, and a body does not know how deep it will stand; joining strings at every
level would take time proportional to depth times size. So the pieces are kept in a tree and flattened once.

Source of the rule: ``Doc`` in ``src/relay/printer/doc.cc``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from ..expressions import Expr
from ..text.text_span import TextSpan

__all__ = ["NEW_LINE", "Document", "Indented", "NewLine", "Positioned", "flatten", "join"]


class NewLine:
    """A line end, followed by the indentation of the place where it comes to stand."""

    __slots__ = ()


NEW_LINE: Final = NewLine()


class Indented:
    """A document whose lines stand further to the right."""

    __slots__ = ("by", "document")

    def __init__(self, by: int, document: Document) -> None:
        self.by = by
        self.document = document


class Positioned:
    """The document of an expression, whose place in the text is wanted."""

    __slots__ = ("document", "expr")

    def __init__(self, expr: Expr, document: Document) -> None:
        self.expr = expr
        self.document = document


Document: TypeAlias = "str | NewLine | Indented | Positioned | list[Document]"


class _End:
    """Where a positioned expression ends, that started at ``start``."""

    __slots__ = ("expr", "start")

    def __init__(self, expr: Expr, start: int) -> None:
        self.expr = expr
        self.start = start


def join(parts: Iterable[Document], separator: str) -> Document:
    """``parts`` with ``separator`` between them; a string where all of them are."""
    pieces = list(parts)
    strings = [piece for piece in pieces if isinstance(piece, str)]
    if len(strings) == len(pieces):
        return separator.join(strings)
    joined: list[Document] = []
    for index, piece in enumerate(pieces):
        if index:
            joined.append(separator)
        joined.append(piece)
    return joined


def flatten(document: Document, positions: dict[Expr, TextSpan] | None = None) -> list[str]:
    """The text of ``document`` in pieces.

    ``positions`` receives the first place of every :class:`Positioned` expression.
    """
    text: list[str] = []
    offset = 0
    stack: list[tuple[Iterator[Document | _End], int]] = [(iter((document,)), 0)]
    breaks: dict[int, str] = {}
    while stack:
        pieces, indentation = stack[-1]
        for piece in pieces:
            if isinstance(piece, str):
                text.append(piece)
                offset += len(piece)
            elif isinstance(piece, NewLine):
                line_end = breaks.get(indentation)
                if line_end is None:
                    line_end = breaks[indentation] = "\n" + " " * indentation
                text.append(line_end)
                offset += len(line_end)
            elif isinstance(piece, list):
                stack.append((iter(piece), indentation))
                break
            elif isinstance(piece, Indented):
                stack.append((iter((piece.document,)), indentation + piece.by))
                break
            elif isinstance(piece, Positioned):
                stack.append((iter((piece.document, _End(piece.expr, offset))), indentation))
                break
            elif positions is not None:
                positions.setdefault(piece.expr, TextSpan(piece.start, offset))
        else:
            stack.pop()
    return text
