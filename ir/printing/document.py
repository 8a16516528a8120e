"""A document: text in pieces that nest, with line ends whose indentation is known only at the end.

Expressions are printed from the inside out, and a body does not know how deep it will stand; joining strings at every
level would take time proportional to depth times size. So the pieces are kept in a tree and flattened once.

Source of the rule: ``Doc`` in ``src/relay/printer/doc.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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
    # Texts have tens of thousands of places; their class would cost as much again as the rest.
    make_span: Callable[[type[TextSpan], tuple[int, int]], TextSpan] = tuple.__new__  # type: ignore[assignment]
    offset = indentation = 0
    line_end = "\n"
    # Behind a positioned document stands its expression with its start; behind an indented one, by how much it was.
    stack: list[Iterator[Document | tuple[Expr, int] | int]] = [iter((document,))]
    while stack:
        for piece in stack[-1]:
            kind = type(piece)
            if kind is str:
                text.append(piece)  # type: ignore[arg-type]
                offset += len(piece)  # type: ignore[arg-type]
            elif isinstance(piece, Positioned):
                inner, expr = piece.document, piece.expr
                if positions is None:
                    stack.append(iter((inner,)))
                    break
                if not isinstance(inner, str):
                    stack.append(iter((inner, (expr, offset))))
                    break
                text.append(inner)
                start, offset = offset, offset + len(inner)
                if expr not in positions:
                    positions[expr] = make_span(TextSpan, (start, offset))
            elif kind is NewLine:
                text.append(line_end)
                offset += len(line_end)
            elif kind is list:
                stack.append(iter(piece))  # type: ignore[arg-type]
                break
            elif kind is tuple:
                placed: tuple[Expr, int] = piece  # type: ignore[assignment]
                if positions is not None and placed[0] not in positions:
                    positions[placed[0]] = make_span(TextSpan, (placed[1], offset))
            elif isinstance(piece, Indented):
                indentation += piece.by
                line_end = "\n" + " " * indentation
                stack.append(iter((piece.document, piece.by)))
                break
            elif isinstance(piece, int):
                indentation -= piece
                line_end = "\n" + " " * indentation
        else:
            stack.pop()
    return text
