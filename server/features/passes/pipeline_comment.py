"""The pipeline that a file names for itself: ``// relay-lsp: SimplifyInference, FoldConstant``.

Behind a semicolon may stand the context that it runs in: ``// relay-lsp: FoldConstant; opt_level=1, require=FastMath``.
"""

from __future__ import annotations

import re

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

from ...pass_calls import option_parts

__all__ = ["pipeline_beginning", "pipeline_comment", "pipeline_context", "pipeline_place"]

_COMMENT = re.compile(r"^[ \t]*//[ \t]*relay-lsp:[ \t]*(?P<passes>[^\r\n]*)", re.MULTILINE)
_HEAD = 4000
"""The comment belongs at the beginning of a file; code points further on are not examined."""


def pipeline_beginning(lines: LineIndex) -> str:
    """A text up to the end of its comment; empty where it has none. While this stays, so does all about the comment."""
    beginning = lines.part(0, min(lines.length, _HEAD))
    match = _COMMENT.search(beginning)
    return "" if match is None else beginning[: match.end()]


def pipeline_comment(text: str) -> str | None:
    """The passes that the text names, as they are written; ``None`` where it names none."""
    return _parts(text)[0].strip() or None


def pipeline_context(text: str) -> str:
    """What the comment says of the context; empty where it says nothing."""
    return _parts(text)[1].strip()


def pipeline_place(text: str, message: str, number: int | None = None) -> TextSpan:
    """Where the comment has what a message is about: the word that it names first of those that the comment has, or
    else all that the comment says; with a ``number``, of that pass of the comment, from 0.

    A text without such a comment has its beginning for it.
    """
    match = _COMMENT.search(text, 0, _HEAD)
    if match is None:
        return TextSpan(0, 0)
    start, said = match.start("passes"), match["passes"]
    if number is not None:
        parts = list(option_parts(said))
        start += sum(len(part) + 1 for part in parts[:number])
        said = parts[number]
    named = re.findall(r"\w+", message)
    words = [word for word in re.finditer(r"\w+", said) if word[0] in named]
    if not words:
        return TextSpan(start, start + len(said.rstrip()))
    first = min(words, key=lambda word: named.index(word[0]))
    return TextSpan(start + first.start(), start + first.end())


def _parts(text: str) -> tuple[str, str]:
    match = _COMMENT.search(text, 0, _HEAD)
    if match is None:
        return "", ""
    parts = list(option_parts(match["passes"], ";"))
    return parts[0] if parts else "", ";".join(parts[1:])
