"""What kind of thing is wanted at the cursor: a definition, a type, a pattern, a field, an expression."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

from relay_lsp.ir.semantic.snapshot import Snapshot, SymbolKind

__all__ = ["CompletionPlace", "is_pattern", "place_at"]

_TYPE = re.compile(
    r"(?:[%\w]\s*:"  # %x: …
    r"|->"
    r"|(?::|->)\s*(?:fn\s*)?\((?:[^()]*,)?)\Z"  # %x: (float32, …   %f: fn (float32, …
)
_DTYPE = re.compile(r"\bTensor\[\s*\([^()\[\]]*\)\s*,\Z")  # Tensor[(1, 2), …
_SHAPE = re.compile(r"\bTensor\[(?:\s*\([^()\[\]]*)?\Z")  # Tensor[…   Tensor[(1, …
_TYPE_ARGUMENT = re.compile(r"(\w+)\[(?:[^\[\]]*,)?\Z")
_PATTERN_PART = re.compile(r"[{,]\s*\w*\([^{}=]*\Z")


class CompletionPlace(enum.Enum):
    """What can stand at a place."""

    TOP_LEVEL = "a definition"
    TYPE = "a type"
    DTYPE = "a dtype"
    SHAPE = "a shape"
    PATTERN = "a pattern"
    NEW_NAME = "a new name"
    EXPRESSION = "an expression"


def place_at(snapshot: Snapshot, offset: int, before: str) -> CompletionPlace:
    """What is wanted at ``offset``; ``before`` is some of the text before the word there, without blanks at its end."""
    if _DTYPE.search(before):
        return CompletionPlace.DTYPE
    if _SHAPE.search(before):
        return CompletionPlace.SHAPE
    if _TYPE.search(before):
        return CompletionPlace.TYPE
    nodes = _nodes_at(snapshot, offset)
    argument = _TYPE_ARGUMENT.search(before)
    if argument is not None and _names_a_type(snapshot, argument[1]):
        return CompletionPlace.TYPE
    if "type_definition" in nodes or _is_in_open_type(snapshot, offset):
        return CompletionPlace.TYPE if _is_in_parentheses(before) else CompletionPlace.NEW_NAME
    if before.endswith("#["):
        return CompletionPlace.NEW_NAME
    if _is_top_level(snapshot, offset):
        return CompletionPlace.TOP_LEVEL
    if _is_pattern(nodes, before):
        return CompletionPlace.PATTERN
    return CompletionPlace.EXPRESSION


def is_pattern(snapshot: Snapshot, offset: int, before: str) -> bool:
    """Whether what begins behind ``before`` is a part of a pattern, where a name is a new one."""
    return before.endswith(("{", ",", "(")) and _is_pattern(_nodes_at(snapshot, offset), before)


def _nodes_at(snapshot: Snapshot, offset: int) -> list[str]:
    return [node.kind for node in snapshot.node_at(offset) or snapshot.node_at(max(0, offset - 1))]


def _names_a_type(snapshot: Snapshot, name: str) -> bool:
    return any(symbol.kind is SymbolKind.TYPE and symbol.name == name for symbol in snapshot.type_symbols)


def _is_in_open_type(snapshot: Snapshot, offset: int) -> bool:
    """Whether the last definition before ``offset`` is one of a type whose braces are open."""
    function = snapshot.function_before(offset)
    text = snapshot.lines.part(function.full_span.end if function is not None else 0, offset)
    start = max(text.rfind("\ntype "), 0 if text.startswith("type ") else -1)
    if start < 0 or text.find("\ndef ", start) >= 0:
        return False
    return text.count("{", start) > text.count("}", start)


def _is_in_parentheses(before: str) -> bool:
    """Whether the last parenthesis that was opened in a definition of a type is still open."""
    return before.rfind("(") > before.rfind(")")


def _is_top_level(snapshot: Snapshot, offset: int) -> bool:
    """Whether no function is open here: none began before, or the last one has ended with its brace."""
    last = snapshot.function_before(offset)
    if last is None:
        return True
    start, end = last.full_span.start, last.full_span.end
    while end > start and snapshot.lines.part(end - 1, end).isspace():
        end -= 1
    return snapshot.lines.part(end - 1, end) == "}" and offset >= end


def _is_pattern(nodes: Sequence[str], before: str) -> bool:
    """Whether an arm of a match begins here, or its pattern goes on."""
    if before.endswith("=>"):
        return False
    if nodes[:1] == ["statement"]:
        nodes = nodes[1:]  # what cannot be read, as an arm without its arrow
    if nodes[:2] == ["block", "match"]:
        return before.endswith(("{", ",")) or _PATTERN_PART.search(before) is not None
    return "clause_head" in nodes[:3]
