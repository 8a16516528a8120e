"""A pipeline in the forms in which it can be kept: a command line, and the comment that gives a file its pipeline."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Sequence

from ...pass_calls import PassCall

__all__ = ["command_line", "pipeline_comment_line"]

_OPT_LEVEL = 3
"""The level that the command line has by default."""


def command_line(calls: Sequence[PassCall], opt_level: int | Sequence[int], file: str) -> str:
    """What to type in a POSIX shell to do to ``file`` what ``calls`` do; empty where there are none.

    One command runs one pipeline, on all functions or on one. Where that changes on the way, several are piped.
    """
    levels = [opt_level] * len(calls) if isinstance(opt_level, int) else list(opt_level)
    groups = itertools.groupby(zip(calls, levels, strict=True), key=lambda item: (item[0].function, item[1]))
    commands: list[str] = []
    for (function, level), group in groups:
        words = ["relay-lsp", "opt"]
        ran = [call for call, _ in group]
        for call in ran:
            words += ("--pass", str(call))
        if function:
            words += ("--function", function)
        if level != _OPT_LEVEL:
            words += ("--opt-level", str(level))
            # A level skips passes above it; these ran, whatever theirs is.
            names = dict.fromkeys(call.name for call in ran)
            words += (word for name in names for word in ("--require", name))
        commands.append(shlex.join([*words, "-" if commands else file]))
    return " | ".join(commands)


def pipeline_comment_line(calls: Sequence[PassCall]) -> str:
    """The comment that makes these passes the pipeline of the file that it stands in; empty where there are none."""
    return f"// relay-lsp: {', '.join(map(str, calls))}" if calls else ""
