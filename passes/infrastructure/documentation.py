"""The examples in a pass's documentation: what the module is before and after.

They are written as two literal blocks, ``Before::`` and ``After::``; where the pass needs options to show what it does,
they stand with the one or the other: ``Before (name=value, …)::``, or "After, with" and the options as code. They run
as tests, and appear in hover, in completion and in the generated documentation.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Example", "examples_in"]

_OPTIONS = r"(?:,? \((?P<in_parentheses>.*)\)|,? with ``(?P<as_code>.*)``)?::$"
_BEFORE = re.compile(r"^Before" + _OPTIONS, re.MULTILINE)
_AFTER = re.compile(r"^After" + _OPTIONS, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """The texts of a module before and after a pass, without version line, and the options of the pass."""

    options: Mapping[str, object]
    before: str
    after: str


def examples_in(documentation: str) -> Sequence[Example]:
    """Every example in a documentation without indentation.

    Raises:
        ValueError: an example has no ``After::``, or its options are not literals.
    """
    examples: list[Example] = []
    for before in _BEFORE.finditer(documentation):
        after = _AFTER.search(documentation, before.end())
        if after is None:
            raise ValueError("an example has a Before:: and no After::")
        examples.append(
            Example(
                {**_options(before), **_options(after)},
                _literal_block(documentation[before.end() : after.start()]),
                _literal_block(documentation[after.end() :]),
            )
        )
    return tuple(examples)


def _literal_block(text: str) -> str:
    """The indented lines that ``text`` begins with."""
    lines: list[str] = []
    for line in text.lstrip("\n").splitlines():
        if line and not line.startswith(" "):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines)).strip("\n") + "\n"


def _options(heading: re.Match[str]) -> Mapping[str, object]:
    text = heading["in_parentheses"] or heading["as_code"] or ""
    call = ast.parse(f"f({text})", mode="eval").body
    if not isinstance(call, ast.Call) or call.args:
        raise ValueError(f"{text!r} is not a list of options")
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg is not None}
