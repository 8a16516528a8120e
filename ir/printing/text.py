"""From a module, an expression or a type to its canonical text.

Source of the rule: ``src/relay/printer/text_printer.cc`` and ``.h``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from ..expressions import Expr
from ..metadata import metadata_pieces
from ..module import IRModule
from ..text.text_span import TextSpan
from ..types import Type
from .document import Document, flatten
from .printer import ExprPrinter
from .values import AttributeTexts, MetadataTable

__all__ = ["PrintedText", "text_pieces", "to_text", "to_text_with_positions"]

_HEADER = '#[version = "0.0.5"]\n'

_OMITTED = (
    "/* For debugging purposes the metadata section has been omitted.\n"
    " * If you would like to see the full metadata section you can set the \n"
    " * option to `True` when invoking `astext`. \n"
    " */"
)
"""What TVM prints instead of the metadata section; the words are part of the text."""


class PrintedText(msgspec.Struct, frozen=True):
    """A text, and where in it each expression is written.

    A value that the text names (``%3 = …``) stands at its definition, a variable at its declaration, and what is
    written several times (a constant, an operator) at its first place.
    """

    text: str
    positions: dict[Expr, TextSpan]
    metadata: Mapping[str, Sequence[object]]
    """The objects of the metadata section by type key, in the order of ``meta[type key][index]``."""


def to_text(
    node: IRModule | Expr | Type,
    *,
    show_meta_data: bool = True,
    annotate: Callable[[Expr], str] | None = None,
    show_types: bool = True,
    show_spans: bool = True,
    show_header: bool = True,
) -> str:
    """The canonical text of ``node``, as TVM's ``astext`` prints it.

    Args:
        node: what to print.
        show_meta_data: whether to print the metadata section; without it, attributes that would stand there are
            spelled out, and a note says that the section is missing.
        annotate: what to print after an expression in place of ``/* ty=… span=… */``.
        show_types: whether the comment behind an expression gives its inferred type.
        show_spans: whether the comment behind an expression, and the metadata of a constant, give its span.
        show_header: whether the line of the version stands above, and a note on metadata that is not shown below.

    Raises:
        MetadataError: an attribute's value has no counterpart in TVM.
        TypeTooLongError: a type that is declared is too long to be written out.
    """
    printer = ExprPrinter(MetadataTable(show_meta_data), annotate, show_types, show_spans, keep_positions=False)
    body = flatten(_document(node, printer, show_header))
    return "".join((*body, *_metadata_section(printer, show_header)))


def text_pieces(node: IRModule | Expr) -> Iterator[str]:
    """What :func:`to_text` gives, piece by piece: the weights of a large model need not stand in memory as text.

    Raises:
        MetadataError: an attribute's value has no counterpart in TVM; raised at once.
        TypeTooLongError: a type that is declared is too long to be written out; raised at once.
    """
    printer = ExprPrinter(MetadataTable(show=True), None, True, True, keep_positions=False)
    body = flatten(_document(node, printer))
    return chain(body, _metadata_section(printer))


def to_text_with_positions(
    node: IRModule | Expr,
    *,
    show_meta_data: bool = True,
    annotate: Callable[[Expr], str] | None = None,
    show_types: bool = True,
    show_spans: bool = True,
    with_metadata_section: bool = True,
    attribute_texts: AttributeTexts | None = None,
    read_back: bool = False,
) -> PrintedText:
    """Like :func:`to_text`, with the place of every expression in the text.

    Without ``with_metadata_section`` the text refers to the metadata, and ends before the section. Modules that share
    expressions are printed faster with one ``attribute_texts`` for all; ``show_meta_data`` must be the same then. With
    ``read_back``, a float has the digits that it takes to read the same number, where TVM prints six, and a variable a
    name that can be read.

    Raises:
        MetadataError: an attribute's value has no counterpart in TVM.
        TypeTooLongError: a type that is declared is too long to be written out.
    """
    table = MetadataTable(show_meta_data)
    printer = ExprPrinter(table, annotate, show_types, show_spans, True, attribute_texts, read_back)
    positions: dict[Expr, TextSpan] = {}
    body = flatten(_document(node, printer), positions)
    section = _metadata_section(printer) if with_metadata_section else ()
    return PrintedText("".join((*body, *section)), positions, printer.table.objects)


def _document(node: IRModule | Expr | Type, printer: ExprPrinter, show_header: bool = True) -> Document:
    if isinstance(node, IRModule):
        body = printer.module(node)
    elif isinstance(node, Expr):
        body = printer.expression(node)
    else:
        body = printer.types.text(node)
    return [_HEADER, body] if show_header else [body]


def _metadata_section(printer: ExprPrinter, show_header: bool = True) -> Iterator[str]:
    """What stands below the text that ``printer`` printed: the metadata, a note that it is not shown, or nothing."""
    table = printer.table
    if table.objects and table.show:
        return chain(("\n#[metadata]\n",), metadata_pieces(table.objects, show_spans=printer.show_spans))
    return iter(("\n", _OMITTED) if table.objects and show_header else ())
