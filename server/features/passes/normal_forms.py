"""From shared graph values to ``let`` for each value, and back, in the function under the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.text.cached_blocks import cached_by_text
from relay_lsp.ir.text.text_span import TextSpan

from ..diagnostics.code_actions import PassAction

__all__ = ["normal_form_actions"]

_LET = re.compile(r"let\s+%")
_GRAPH = re.compile(r"%\d+\s*=(?!=)")


def normal_form_actions(snapshot: Snapshot, span: TextSpan) -> Iterator[PassAction]:
    """The conversions that would change the function: to graph form if it has a ``let``, to A-normal form if not all
    of its values have one."""
    function = snapshot.function_around(span.start)
    if function is None:
        return
    has_let, has_graph = (_binds(snapshot, function.full_span, form) for form in (_LET, _GRAPH))
    if has_let:
        yield PassAction(f"Convert {function.name} to graph form", ("ToGraphNormalForm",), function=function.name)
    if has_graph or not has_let:
        yield PassAction(f"Convert {function.name} to A-normal form", ("ToANormalForm",), function=function.name)


def _binds(snapshot: Snapshot, function: TextSpan, form: re.Pattern[str]) -> bool:
    """Whether a value is bound in this form somewhere in a function. The first such place decides."""
    for start, text in snapshot.lines.pieces(function.start, function.end):
        for match in form.finditer(text) if _has(text, form) else ():
            token = snapshot.token_at(start + match.start())
            if token is not None and token.role not in (TokenRole.COMMENT, TokenRole.STRING):
                return True
    return False


@cached_by_text
def _has(text: str, form: re.Pattern[str]) -> bool:
    return form.search(text) is not None
