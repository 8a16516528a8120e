"""Edits of the text that mend what inference found."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, cast

from ..diagnostics import Diagnostic, Fix, Place, TextEdit
from ..expressions import Expr, Pattern
from ..text.text_span import TextSpan
from ..types import Type
from .report import describe, describe_pattern

__all__ = ["fixes_for", "return_type_fixes"]

_BRACKETS: Final = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|[()]", re.DOTALL)


def fixes_for(
    diagnostic: Diagnostic, span: TextSpan, text: str, locate: Callable[[Place], TextSpan | None]
) -> tuple[Fix, ...]:
    """The fixes for a finding of inference, which stands at ``span`` of ``text``; ``locate`` finds other places.

    A match that is not exhaustive gets the missing arms, or becomes ``match?``; a function gets its return type.
    """
    if diagnostic.code == "match-not-exhaustive" and diagnostic.data:
        return _arms(cast("tuple[Pattern, ...]", diagnostic.data), span, text)
    if diagnostic.code == "cannot-infer-type" and diagnostic.data:
        function, result = cast("tuple[Expr, Type]", diagnostic.data)
        name = locate(Place(function))
        return return_type_fixes(result, name, text) if name is not None else ()
    return ()


def _arms(missing: tuple[Pattern, ...], span: TextSpan, text: str) -> tuple[Fix, ...]:
    close = text.rfind("}", span.start, span.end)
    if close < 0:
        return ()
    line = text.rfind("\n", 0, close) + 1
    indent = text[line:close] if not text[line:close].strip() else ""
    arms = "".join(f"  {describe_pattern(pattern).replace('…', '_')} => {{ () }},\n{indent}" for pattern in missing)
    if line > span.start and not text[line:close].strip():
        new_text = arms
    else:
        # Everything stands on one line: the arms go on there.
        new_text = " ".join(f"{describe_pattern(pattern).replace('…', '_')} => {{ () }}," for pattern in missing) + " "
    before = text[span.start : close].rstrip()
    comma = [] if before.endswith((",", "{")) else [TextEdit(TextSpan(at := span.start + len(before), at), ",")]
    noun = "arm" if len(missing) == 1 else "arms"
    fixes = [Fix(f"Add the missing {noun}", (*comma, TextEdit(TextSpan(close, close), new_text)))]
    if text.startswith("match", span.start):
        after = span.start + len("match")
        fixes.append(Fix("Write match?, which need not cover every value", (TextEdit(TextSpan(after, after), "?"),)))
    return tuple(fixes)


def return_type_fixes(result: Type, name: TextSpan, text: str) -> tuple[Fix, ...]:
    """Declare that a function, whose name stands at a range of ``text``, gives ``result``."""
    depth = 0
    for match in _BRACKETS.finditer(text, name.end):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
            if depth == 0:
                written = describe(result)
                return (
                    Fix(f"Declare -> {written}", (TextEdit(TextSpan(match.end(), match.end()), f" -> {written}"),)),
                )
    return ()
