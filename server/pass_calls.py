"""A pass with its options as users write it: ``FoldConstant`` or ``FoldConstant[fold_qnn=False]``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

__all__ = ["PassCall", "PassCallError", "option_parts", "option_value", "parse_pipeline"]

_CALL = re.compile(r"\s*(?P<name>[\w.]+)\s*(?:\[(?P<options>.*)\])?\s*\Z", re.DOTALL)
_OPTION = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>.+?)\s*\Z", re.DOTALL)
_WORDS: Mapping[str, object] = {"true": True, "false": False, "none": None}


class PassCallError(ValueError):
    """A text that names no pass; the message says how one is written."""


class PassCall(msgspec.Struct, frozen=True):
    """The name of a pass and the options that differ from its defaults."""

    name: str
    options: Mapping[str, object] = msgspec.field(default_factory=dict[str, object])
    function: str = ""
    """The one function, such as ``@main``, that it may change; empty for all. No part of how a call is written."""

    @staticmethod
    def parse(text: str) -> PassCall:
        """Read ``Name[option=value, …]``. A value is a Python literal, or a bare word, which is a string.

        Raises:
            PassCallError: the text is something else.
        """
        match = _CALL.match(text)
        if match is None:
            raise PassCallError(f"{text!r} is not a pass; write Name or Name[option=value, …]")
        options: dict[str, object] = {}
        for part in option_parts(match["options"] or ""):
            option = _OPTION.match(part)
            if option is None:
                raise PassCallError(f"{part.strip()!r} in {text!r} is not an option; write option=value")
            options[option["name"]] = option_value(option["value"])
        return PassCall(match["name"], options)

    def __str__(self) -> str:
        if not self.options:
            return self.name
        return f"{self.name}[{', '.join(f'{name}={value!r}' for name, value in self.options.items())}]"


def parse_pipeline(steps: Sequence[str] | str) -> tuple[PassCall, ...]:
    """Read several passes: a list of them, or one text with commas between.

    Raises:
        PassCallError: one of them cannot be read.
    """
    parts = list(option_parts(steps)) if isinstance(steps, str) else list(steps)
    return tuple(PassCall.parse(part) for part in parts)


def option_parts(text: str, separator: str = ",") -> Iterator[str]:
    """The parts between the commas, or other separators, that stand outside brackets and strings."""
    depth, start, quote = 0, 0, ""
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == separator and depth == 0:
            yield text[start:index]
            start = index + 1
    if text[start:].strip():
        yield text[start:]


def option_value(text: str) -> object:
    """The value of an option: a Python literal, or else the text itself."""
    lowered = text.lower()
    if lowered in _WORDS:
        return _WORDS[lowered]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
