"""Comments of statements that passes replaced, put to what came of those statements.

A comment belongs to the statement behind which it stands on a line, or else to the next one. Comments that say what is
known of a value (its type, its layers, its span) are written anew for new values, and are none of these.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.span_comments import is_layer_name
from relay_lsp.ir.syntax.cuts import Role
from relay_lsp.ir.syntax.lexer import WHITE_SPACE, lex
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.syntax.tokens import COMMENT
from relay_lsp.ir.text.text_span import TextSpan

__all__ = ["carried_comments", "lost_comments"]

_INDENTATION = re.compile(r"[ \t]*")
_ANNOTATION = re.compile(r"/\*\s*(?:ty|si|span)\s*=")
_USERS_COMMENT = re.compile(rf"//|(?!{_ANNOTATION.pattern})/\*")
"""Where a comment may begin that is no annotation."""


def lost_comments(text: str, edits: Sequence[TextEdit]) -> Sequence[TextSpan]:
    """Where in ``text`` the comments of the user stand that ``edits`` take away."""
    lost: list[TextSpan] = []
    for edit in edits:
        if _may_have_comment(text, edit.span):
            kept = _comments(edit.new_text) if _USERS_COMMENT.search(edit.new_text) else ()
            kept_words = {comment for _, comment in kept}
            lost += (
                TextSpan(edit.span.start + start, edit.span.start + start + len(comment))
                for start, comment in _comments(text[edit.span.start : edit.span.end])
                if comment not in kept_words
            )
    return lost


def _may_have_comment(text: str, span: TextSpan) -> bool:
    return _USERS_COMMENT.search(text, span.start, span.end) is not None


def _comments(text: str) -> Iterator[tuple[int, str]]:
    lexed = lex(text)
    starts = accumulate(map(len, lexed.pieces), initial=0)
    for kind, piece, start in zip(lexed.kinds, lexed.pieces, starts, strict=False):
        comment = piece.rstrip(WHITE_SPACE)
        # White space before the first token is read as an empty comment.
        if kind == COMMENT and comment and not _ANNOTATION.match(comment):
            yield start, comment


def carried_comments(
    text: str, lost: Sequence[TextSpan], new_text: str, origins: Iterable[tuple[TextSpan, Sequence[TextSpan]]]
) -> tuple[TextEdit, ...]:
    """The edits of ``new_text`` that put comments of ``text`` to what came of their statements.

    ``origins`` has for values of ``new_text`` where in ``text`` they came from. The comment of a statement goes to the
    first value that came from it alone, and goes with the statement where nothing came of it.
    """
    statements = list(_statements(text))
    became: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for span, sources in origins:
        places = (_statement_at(statements, source.start) for source in sources)
        owners = {place for place in places if place is not None}
        for owner in owners:
            became[owner].append((len(owners), span.start, span.end))
    edits: dict[int, list[str]] = defaultdict(list)
    for comment in lost:
        words = text[comment.start : comment.end]
        before = text.rfind("\n", 0, comment.start) + 1
        is_behind = bool(text[before : comment.start].strip())
        owner = _owner(statements, comment, is_behind=is_behind)
        if owner is None or not became[owner]:
            continue
        _, start, end = min(became[owner])
        # A word that stood behind no value, as behind a brace, must not be taken for the name of a value's layer.
        if is_behind and not is_layer_name(words):
            place = new_text.find("\n", end)
            edits[len(new_text) if place < 0 else place].append(f" {words}")
        else:
            line = new_text.rfind("\n", 0, start) + 1
            indentation = _INDENTATION.match(new_text, line)
            edits[line].append(f"{indentation[0] if indentation else ''}{words}\n")
    return tuple(TextEdit(TextSpan(place, place), "".join(edits[place])) for place in sorted(edits))


def _statements(text: str) -> Iterator[TextSpan]:
    """The statements of a text, from their first word to their last."""
    offset = 0
    for segment in split(text):
        if segment.role is Role.STATEMENT:
            words = _without_comments(segment.text)
            if words is not None:
                yield TextSpan(offset + words.start, offset + words.end)
        offset += len(segment.text)


def _without_comments(text: str) -> TextSpan | None:
    lexed = lex(text)
    starts = list(accumulate(map(len, lexed.pieces), initial=0))
    words = [
        (start, start + len(piece.rstrip(WHITE_SPACE)))
        for kind, piece, start in zip(lexed.kinds, lexed.pieces, starts, strict=False)
        if kind != COMMENT and piece.strip(WHITE_SPACE)
    ]
    return TextSpan(words[0][0], words[-1][1]) if words else None


def _statement_at(statements: Sequence[TextSpan], offset: int) -> int | None:
    """The number of the statement around an offset."""
    number = bisect_right(statements, offset, key=lambda statement: statement.start) - 1
    return number if number >= 0 and offset < statements[number].end else None


def _owner(statements: Sequence[TextSpan], comment: TextSpan, *, is_behind: bool) -> int | None:
    """The number of the statement that a comment belongs to; ``None`` where there is none."""
    inside = _statement_at(statements, comment.start)
    if inside is not None:
        return inside
    number = bisect_right(statements, comment.start, key=lambda statement: statement.start)
    if is_behind:
        return number - 1 if number else None
    return number if number < len(statements) else None
