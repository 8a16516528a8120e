"""Where in a folder's settings file what is wrong with a setting stands, for editors that keep them in one.

VS Code has ``.vscode/settings.json``, JSON with comments. A setting is looked for by its name as the editor writes it,
``"relay.passTimeout"``; settings of the user, or of editors that have no such file, are in none of the folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.text.text_span import TextSpan

from .regular_files import read_regular

__all__ = ["INVALID_SETTING", "SettingsFile", "settings_files"]

INVALID_SETTING: Final = "invalid-setting"

_LARGEST: Final = 1 << 20
_SETTING: Final = re.compile(r"relay\.[\w.-]*\w")
_STRING_OR_COMMENT: Final = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)


class SettingsFile(msgspec.Struct, frozen=True):
    """A settings file of a folder."""

    uri: str
    text: str

    def findings(self, problems: Iterable[str]) -> tuple[Diagnostic, ...]:
        """Those of some problems whose setting is in this file, each at the name and the value of the setting."""
        findings: list[Diagnostic] = []
        text = _STRING_OR_COMMENT.sub(_without_comment, self.text)
        for problem in problems:
            name = _SETTING.search(problem)
            place = re.search(rf'"{re.escape(name[0])}"\s*:[^\n]*', text) if name is not None else None
            if place is not None:
                span = TextSpan(place.start(), place.start() + len(place[0].rstrip(" \t\r,")))
                findings.append(Diagnostic(INVALID_SETTING, Severity.ERROR, problem, span))
        return tuple(findings)


def _without_comment(match: re.Match[str]) -> str:
    """A string as it is, and spaces for a comment, so that what stands behind it keeps its place."""
    return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])


def settings_files(folders: Iterable[Path]) -> Sequence[SettingsFile]:
    """The settings files of some folders: regular ones of at most a megabyte, in folders and not behind links."""
    files: list[SettingsFile] = []
    for folder in folders:
        path = folder / ".vscode" / "settings.json"
        try:
            if path.resolve() != folder.resolve() / ".vscode" / "settings.json":
                continue
            text = read_regular(path, _LARGEST).decode("utf-8")
        except (OSError, ValueError):
            continue
        files.append(SettingsFile(path.as_uri(), text))
    return files
