"""Where a word that no definition binds stands again: an operator, a dtype, an attribute or one with its value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relay_lsp.ir.lazy_numpy import np
from relay_lsp.ir.semantic.snapshot import Snapshot, SyntaxNode, Token, TokenRole
from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["occurrences"]

_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s=,\[\]()"]+|\S')


def occurrences(snapshot: Snapshot, offset: int, *, nearest: bool = False) -> Sequence[TextSpan]:
    """The places of what is meant at ``offset``, in the order of the text; empty where it is none of these.

    At an attribute's name all attributes of the name are meant; at its value, those with an equal value. Where only the
    ``nearest`` are wanted, those of :data:`.NEAREST_WORDS` places are given.
    """
    token = snapshot.token_at(offset)
    if token is None or token.role in (TokenRole.COMMENT, TokenRole.DIRECTIVE):
        return []
    near = token.span.start if nearest else None
    if token.role in _PLAIN:
        starts = [start for start, role in snapshot.tokens_written(token.text, near) if role is token.role]
        return SpanArray(np.array(starts, np.int64), len(token.text))
    attribute = _attribute_around(snapshot, token)
    if attribute is None:
        return []
    name, _, value = snapshot.lines.part(attribute.span.start, attribute.span.end).partition("=")
    wanted = re.compile(rf"{re.escape(name.strip())}\s*=\s*{_spaced(value.strip())}(?![\w.])")
    starts = (start for start, role in snapshot.tokens_written(name.strip(), near) if role is TokenRole.ATTRIBUTE)
    matches = (wanted.match(snapshot.text, start) for start in starts)
    return [TextSpan(match.start(), match.end()) for match in matches if match is not None]


_PLAIN = (TokenRole.OP_NAME, TokenRole.DTYPE, TokenRole.ATTRIBUTE)


def _attribute_around(snapshot: Snapshot, token: Token) -> SyntaxNode | None:
    """The attribute whose value a token is part of."""
    for node in snapshot.node_at(token.span.start):
        if node.kind == "attribute":
            return node
        if node.kind in ("call", "function", "statement"):
            return None
    return None


def _spaced(value: str) -> str:
    """A pattern for a value with blanks wherever they may stand between words and signs."""
    return r"\s*".join(map(re.escape, _WORDS.findall(value)))
