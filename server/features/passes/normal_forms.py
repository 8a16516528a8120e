"""From shared graph values to ``let`` for each value, and back, in the function under the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from relay_lsp.ir.semantic.snapshot import Snapshot, TokenRole
from relay_lsp.ir.text.text_span import TextSpan

from ..diagnostics.code_actions import PassAction
from ..navigation.call_hierarchy import function_around

__all__ = ["normal_form_actions"]

_LET = re.compile(r"let\s+%")
_GRAPH = re.compile(r"%\d+\s*=(?!=)")


def normal_form_actions(snapshot: Snapshot, span: TextSpan) -> Iterator[PassAction]:
    """The conversions that would change the function: to graph form if it has a ``let``, to A-normal form if not all
    of its values have one."""
    function = function_around(snapshot, span.start)
    if function is None:
        return
    has_let, has_graph = (_binds(snapshot, function.full_span, form) for form in (_LET, _GRAPH))
    if has_let:
        yield PassAction(f"Convert {function.name} to graph form", ("ToGraphNormalForm",), function=function.name)
    if has_graph or not has_let:
        yield PassAction(f"Convert {function.name} to A-normal form", ("ToANormalForm",), function=function.name)


def _binds(snapshot: Snapshot, function: TextSpan, form: re.Pattern[str]) -> bool:
    """Whether a value is bound in this form somewhere in a function. The first such place decides."""
    for match in form.finditer(snapshot.text, function.start, function.end):
        token = snapshot.token_at(match.start())
        if token is not None and token.role not in (TokenRole.COMMENT, TokenRole.STRING):
            return True
    return False
