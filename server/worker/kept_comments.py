"""The comments of a user in a text that passes change: each goes with what its statement becomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relay_lsp.ir.diagnostics import TextEdit, apply_edits
from relay_lsp.ir.text.text_span import TextSpan

from .read_texts import places_in, places_of

if TYPE_CHECKING:
    from relay_lsp.ir.module import IRModule
    from relay_lsp.ir.syntax import Parsed
    from relay_lsp.passes import Trace

__all__ = ["with_carried_comments"]


def with_carried_comments(
    text: str, name: str, edits: tuple[TextEdit, ...], parsed: Parsed, after: IRModule, trace: Trace
) -> tuple[TextEdit, ...]:
    """The edits of ``text``, which give ``after``, with the comments that they take away put to new statements."""
    from relay_lsp.ir.expressions import Function, GlobalVar, Var
    from relay_lsp.ir.ops.operator import Op
    from relay_lsp.ir.visitor import post_order
    from relay_lsp.passes.text_edits import carried_comments, followed_by, lost_comments

    lost = lost_comments(text, edits)
    if not lost:
        return edits
    new_text = apply_edits(text, edits)
    old_places, new_places = places_of(parsed), places_in(new_text, name, after)

    def origins() -> Iterator[tuple[TextSpan, Sequence[TextSpan]]]:
        for expr in post_order(*after.functions.values()):
            span = None if isinstance(expr, (Op, Var, GlobalVar, Function)) else new_places(expr)
            if span is not None:
                yield span, [place for each in trace.origins(expr) if (place := old_places(each)) is not None]

    return followed_by(edits, carried_comments(text, lost, new_text, origins()))
