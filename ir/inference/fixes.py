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

_PIECES: Final = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|\S", re.DOTALL)
_ARROW: Final = re.compile(r"(?:\s|/\*.*?\*/)*->", re.DOTALL)
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
    close, depth, before = span.end - 1, 0, span.start
    for piece in _PIECES.finditer(text, span.start, span.end):
        if not piece[0].startswith(("/*", "//")):
            depth += (piece[0] == "{") - (piece[0] == "}")
            before = before if piece.start() == close else piece.end()
    fixes: list[Fix] = []
    if text[close] == "}" and not depth:  # else it is the brace of an arm, and that of the match is missing
        fixes.append(_missing_arms(missing, span.start, close, before, text))
    if text.startswith("match", span.start):
        after = span.start + len("match")
        fixes.append(Fix("Write match?, which need not cover every value", (TextEdit(TextSpan(after, after), "?"),)))
    return tuple(fixes)


def _missing_arms(missing: tuple[Pattern, ...], start: int, close: int, before: int, text: str) -> Fix:
    """The arms that a match from ``start`` on lacks, in front of its brace; what is ``before`` them gets a comma."""
    line = text.rfind("\n", 0, close) + 1
    indent = text[line:close] if not text[line:close].strip() else ""
    arms = "".join(f"  {describe_pattern(pattern).replace('…', '_')} => {{ () }},\n{indent}" for pattern in missing)
    if line > start and not text[line:close].strip():
        new_text = arms
    else:
        # Everything stands on one line: the arms go on there.
        new_text = " ".join(f"{describe_pattern(pattern).replace('…', '_')} => {{ () }}," for pattern in missing) + " "
    comma = [] if text[before - 1] in ",{" else [TextEdit(TextSpan(before, before), ",")]
    noun = "arm" if len(missing) == 1 else "arms"
    return Fix(f"Add the missing {noun}", (*comma, TextEdit(TextSpan(close, close), new_text)))


def return_type_fixes(result: Type, name: TextSpan, text: str) -> tuple[Fix, ...]:
    """Declare that a function, whose name stands at a range of ``text``, gives ``result``.

    None where something is declared already, or where the type is too long to be written.
    """
    written = describe(result)
    if "…" in written:
        return ()
    depth = 0
    for match in _BRACKETS.finditer(text, name.end):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
            if depth == 0:
                if _ARROW.match(text, match.end()):
                    return ()
                return (
                    Fix(f"Declare -> {written}", (TextEdit(TextSpan(match.end(), match.end()), f" -> {written}"),)),
                )
    return ()
