"""Functions, types and values in few lines, as a hover has room for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, TokenRole
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import FuncType, Type

from ..documentation.type_words import type_words
from ..navigation.function_heads import function_head, head_parameters

__all__ = ["folded_type", "function_signature", "one_line"]

_LONGEST_LINE = 100
_MOST_PARAMETERS = 8
"""Of more parameters so many are shown, one a line, and the others counted."""

_LONGEST_VALUE = 400
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\r\n]*", re.DOTALL)
_BEFORE_SIGN = re.compile(r" (?=[,)\]])")
_BODY = re.compile(r"(?<=\bfn)(?P<head>[^{]*)\{.*\}", re.DOTALL)


def one_line(snapshot: Snapshot, span: TextSpan) -> str:
    """A value as it is written, in one line, without comments; of a function, its head."""
    text = snapshot.lines.part(span.start, min(span.end, span.start + _LONGEST_VALUE * 4))
    words = " ".join(_COMMENT.sub(" ", text).split())
    words = _BEFORE_SIGN.sub("", words)
    words = _BODY.sub(r"\g<head>{ … }", words)
    return words if len(words) <= _LONGEST_VALUE else words[:_LONGEST_VALUE] + " …"


def folded_type(type: Type) -> str:
    """A type; a function's that is long with one argument a line, of which the first are shown."""
    words = type_words(type)
    if len(words) <= _LONGEST_LINE or not isinstance(type, FuncType):
        return words
    arguments = [type_words(each) for each in type.arg_types]
    return f"fn {_listed(arguments, len(arguments), ())} -> {type_words(type.ret_type)}"


def function_signature(snapshot: Snapshot, function: Symbol) -> str:
    """The head of a function with the types that are inferred: in one line, or where it is long one parameter a line.

    Of many parameters the first are shown and the others counted.
    """
    type = function.type if isinstance(function.type, FuncType) else None
    head = function_head(snapshot, function)
    parameters = head_parameters(snapshot, function)
    shown = [_parameter(symbol) for symbol in parameters[:_MOST_PARAMETERS]]
    attributes = list(_attributes(snapshot, head))
    result = type_words(type.ret_type) if type is not None else _stated_result(snapshot, head)
    arrow = f" -> {result}" if result else ""
    type_parameters = ", ".join(each.name for each in type.type_params) if type is not None else ""
    name = f"def {function.name}" + (f"[{type_parameters}]" if type_parameters else "")
    line = f"{name}({', '.join((*shown, *attributes))}){arrow}"
    if len(parameters) <= _MOST_PARAMETERS and len(line) <= _LONGEST_LINE:
        return line
    return f"{name}{_listed(shown, len(parameters), attributes)}{arrow}"


def _listed(items: Sequence[str], count: int, last: Sequence[str]) -> str:
    """Items between parentheses, one a line; ``count`` is how many there are in all."""
    lines = [*(f"  {item}," for item in items[:_MOST_PARAMETERS])]
    if count > len(lines):
        lines.append(f"  … {count - len(lines)} more")
    if last:
        lines.append(f"  {', '.join(last)}")
    return "\n".join(("(", *lines, ")"))


def _parameter(symbol: Symbol) -> str:
    words = type_words(symbol.type)
    return f"{symbol.name}: {words}" if words else symbol.name


def _attributes(snapshot: Snapshot, head: TextSpan) -> Iterator[str]:
    """The attributes in a head, as they are written: ``Primitive=1``."""
    for token in snapshot.tokens(head.start, head.end):
        if token.role is TokenRole.ATTRIBUTE:
            node = next((node for node in snapshot.node_at(token.span.start) if node.kind == "attribute"), None)
            if node is not None:
                yield one_line(snapshot, node.span)


def _stated_result(snapshot: Snapshot, head: TextSpan) -> str:
    """The type behind the arrow of a head whose function has none that is known."""
    text = _COMMENT.sub(" ", snapshot.lines.part(head.start, head.end))
    _, arrow, result = text.rpartition("->")
    return " ".join(result.split()) if arrow else ""
