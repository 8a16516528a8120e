"""Passes as the command line takes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..pass_calls import PassCall, PassCallError, parse_pipeline
from .problems import CommandError

__all__ = ["read_calls"]

_OPTIONS_AFTER_EQUALS = re.compile(r"\s*(?P<name>\w+)\s*=(?P<options>.*)\Z", re.DOTALL)


def read_calls(texts: Iterable[str]) -> tuple[PassCall, ...]:
    """The passes that ``texts`` name: ``Name``, ``Name[option=value, …]``, or ``Name=option=value,…``.

    The last needs no quotes in a shell. The others may be several, with commas between.

    Raises:
        CommandError: one of them is none of these.
    """
    return tuple(call for text in texts for call in _read(text))


def _read(text: str) -> Sequence[PassCall]:
    match = _OPTIONS_AFTER_EQUALS.match(text)
    try:
        return parse_pipeline([f"{match['name']}[{match['options']}]"] if match else text)
    except PassCallError as error:
        raise CommandError(str(error)) from None
