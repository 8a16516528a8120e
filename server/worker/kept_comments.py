"""The comments of a user in a text that passes change: each goes with what its statement becomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from relay_lsp.ir.diagnostics import TextEdit, apply_edits
from relay_lsp.ir.span_comments import is_layer_name
from relay_lsp.ir.text.text_span import TextSpan

from .read_texts import places_in, places_of

if TYPE_CHECKING:
    from .pass_runs import PassRun

__all__ = ["with_carried_comments"]


def with_carried_comments(text: str, name: str, edits: tuple[TextEdit, ...], run: PassRun) -> tuple[TextEdit, ...]:
    """The edits of ``text``, which give what the run made, with the comments that they take away put to new statements.

    Those that name layers are written anew for what the values became, and are none of these.
    """
    from relay_lsp.ir.expressions import Function, GlobalVar, Var
    from relay_lsp.ir.ops.operator import Op
    from relay_lsp.ir.visitor import post_order
    from relay_lsp.passes.text_edits import carried_comments, followed_by, lost_comments

    lost = lost_comments(text, edits)
    if any(is_layer_name(text[span.start : span.end]) for span in lost):
        names = _layer_names(run)
        lost = [span for span in lost if span not in names]
    if not lost:
        return edits
    new_text = apply_edits(text, edits)
    old_places, new_places = places_of(run.parsed), places_in(new_text, name, run.module)

    def origins() -> Iterator[tuple[TextSpan, Sequence[TextSpan]]]:
        for expr in post_order(*run.module.functions.values()):
            span = None if isinstance(expr, (Op, Var, GlobalVar, Function)) else new_places(expr)
            if span is not None:
                yield span, [place for each in run.trace.origins(expr) if (place := old_places(each)) is not None]

    return followed_by(edits, carried_comments(text, lost, new_text, origins()))


def _layer_names(run: PassRun) -> set[TextSpan]:
    """Where the comments of the text stand that are the bare name of a value's layer."""
    from relay_lsp.passes.layers import value_ends

    places = map(places_of(run.parsed), run.stated_layers)
    ends = {place.end for place in places if place is not None}
    return {
        comment.span
        for end in value_ends(run.parsed.reading.text)
        if end.offset in ends
        for comment in end.comments
        if is_layer_name(comment.text)
    }
