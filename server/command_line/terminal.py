"""Documentation and lists laid out for a terminal of a certain width."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import TextIO

from ..features.documentation.markdown import markdown

__all__ = ["columns_of", "definitions", "documentation", "wrapped"]

_COLUMNS_ELSEWHERE = 100
"""The width where the output is a file or a pipe."""
_FEWEST_COLUMNS = 40
_WIDEST_TERM = 28
_INDENT = "  "
_CODE_INDENT = "    "
_FENCE = "```"
_ITEM = re.compile(r"(\s*(?:[-*]|\d+\.) )\S")
_TOGETHER = re.compile(r"`[^`]*`|\[[^\[\]]*\]")
_LONGEST_TOGETHER = 40
_NO_BREAK_SPACE = "\u00a0"


def columns_of(stream: TextIO) -> int:
    """How many columns a text on ``stream`` may take: those of the terminal, 100 where it is none, never below 40."""
    if not stream.isatty():
        return _COLUMNS_ELSEWHERE
    return max(shutil.get_terminal_size((_COLUMNS_ELSEWHERE, 24)).columns, _FEWEST_COLUMNS)


def wrapped(text: str, columns: int, indent: str = "", hanging: str | None = None) -> Iterator[str]:
    """The lines of a paragraph; short code and lists in brackets stay in one line.

    ``indent`` begins the first line and ``hanging`` the others (``indent`` where it is not given). A word that is
    longer than a line stays whole.
    """
    hanging = indent if hanging is None else hanging
    longest = min(_LONGEST_TOGETHER, columns - len(hanging))
    together = _TOGETHER.sub(lambda match: _kept_together(match[0], longest), " ".join(text.split()))
    lines = textwrap.wrap(
        together,
        columns,
        initial_indent=indent,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return (line.replace(_NO_BREAK_SPACE, " ") for line in lines)


def _kept_together(text: str, longest: int) -> str:
    return text.replace(" ", _NO_BREAK_SPACE) if len(text) <= longest else text


def documentation(docstring: str, columns: int) -> Iterator[str]:
    """The lines of a declaration's documentation: paragraphs and items wrapped, code indented as it stands."""
    paragraph: list[str] = []
    is_code = False
    for line in markdown(docstring).split("\n"):
        is_fence = line.startswith(_FENCE)
        if is_code and not is_fence:
            yield f"{_CODE_INDENT}{line}".rstrip()
            continue
        if is_fence or not line.strip() or _ITEM.match(line):
            yield from _paragraph(paragraph, columns)
            paragraph = []
        if is_fence:
            is_code = not is_code
        elif line.strip():
            paragraph.append(line)
        else:
            yield ""
    yield from _paragraph(paragraph, columns)


def _paragraph(lines: list[str], columns: int) -> Iterator[str]:
    item = _ITEM.match(lines[0]) if lines else None
    return wrapped(" ".join(lines), columns, hanging=" " * len(item[1].lstrip()) if item else "")


def definitions(rows: Iterable[tuple[str, str]], columns: int) -> Iterator[str]:
    """The lines of a list of terms, each with its description in a column beside it, or below where a term is long."""
    rows = list(rows)
    widest = min(_WIDEST_TERM, columns // 3)
    column = max((len(term) for term, _ in rows if len(term) <= widest), default=widest)
    hanging = " " * (len(_INDENT) * 2 + column)
    for term, description in rows:
        if not description:
            yield f"{_INDENT}{term}"
        elif len(term) <= column:
            yield from wrapped(description, columns, f"{_INDENT}{term:<{column}}{_INDENT}", hanging)
        else:
            yield f"{_INDENT}{term}"
            yield from wrapped(description, columns, hanging)
