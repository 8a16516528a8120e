"""Writing the spans that a pass gave into a text, behind each statement: ``/* span=GeneratedSource:3:3 */``."""

from __future__ import annotations

import re
from collections.abc import Callable

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.expressions import Expr
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.spans import AnySpan
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.visitor import post_order

from .places import Comment, value_ends, values_by_end

__all__ = ["span_edits"]

_SPAN = re.compile(r"\bspan=.*?(?=\s*\*/)", re.DOTALL)


def span_edits(after: IRModule, text: str, place_in_text: Callable[[Expr], TextSpan | None]) -> tuple[TextEdit, ...]:
    """The edits of ``text`` that write behind each of its statements the span of its value.

    ``text`` says what ``after`` is, and ``place_in_text`` where its expressions stand there. In a comment that tells
    the type, the span comes behind that, as TVM prints it; spans that comments stated before are replaced.
    """
    values = values_by_end(post_order(*after.functions.values()), place_in_text)
    edits: list[TextEdit] = []
    for end in value_ends(text):
        expr = values.get(end.offset) if end.ends_statement else None
        if expr is None or expr.span is None:
            continue
        comment = next(
            (each for each in end.comments if _SPAN.search(each.text) or each.text.startswith("/* ty=")), None
        )
        if comment is None:
            edits.append(TextEdit(TextSpan(end.offset, end.offset), f" /* span={expr.span} */"))
        elif (new_text := _with_span(comment, expr.span)) != comment.text:
            edits.append(TextEdit(comment.span, new_text))
    return tuple(edits)


def _with_span(comment: Comment, span: AnySpan) -> str:
    if _SPAN.search(comment.text):
        return _SPAN.sub(lambda _: f"span={span}", comment.text, count=1)
    return f"{comment.text.removesuffix('*/').rstrip()} span={span} */"
