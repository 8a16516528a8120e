"""Documentation as declarations have it, in reStructuredText, for editors, which show Markdown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

__all__ = ["code_span", "markdown", "plain"]

_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)
_ROLE = re.compile(r":\w+:`~?\.?([^`]+)`")
_INDENT = "    "


_LONGEST_CODE = 200


def code_span(text: str) -> str:
    """A text as code in a line, whatever characters it has; a very long one is shortened."""
    line = " ".join(text.split()) if text.strip() else text.encode("unicode_escape").decode()
    if len(line) > _LONGEST_CODE:
        line = line[:_LONGEST_CODE] + " …"
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}" if len(fence) > 1 or not line.strip() else f"{fence}{line}{fence}"


_MEANS_SOMETHING = re.compile(r"([\\`*_\[\]<>#|!&~]|:(?=//)|(?<=www)\.|(?<=\w)@(?=\w))")


def plain(text: str) -> str:
    """A text from a file as it stands: nothing in it is a link, an image, a command, HTML or any other mark."""
    return _MEANS_SOMETHING.sub(r"\\\1", text)


def markdown(docstring: str) -> str:
    """The text with its literals, and with the blocks after ``::`` as code of Relay."""
    return "\n".join(_lines(inspect.cleandoc(docstring).split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    is_code = announced = False
    for index, line in enumerate(lines):
        indented = line.startswith(_INDENT)
        if announced and indented:
            announced, is_code = False, True
            yield "```relay"
        elif is_code and line and not indented:
            is_code = False
            yield "```\n"
        if is_code:
            if line or any(_is_code_further_on(lines, index)):
                yield line.removeprefix(_INDENT)
            continue
        if line.endswith("::"):
            announced = True
            line = line[:-1]
        yield _ROLE.sub(r"`\1`", _LITERAL.sub(r"`\1`", line))
    if is_code:
        yield "```"


def _is_code_further_on(lines: list[str], index: int) -> Iterator[bool]:
    """Whether the next line that is not empty is indented: then an empty one before it belongs to the code."""
    for line in lines[index + 1 :]:
        if line:
            yield line.startswith(_INDENT)
            return
