"""What is wrong with the user's settings: shown where they are written, or else in a message.

That a pass is not known turns out later than all else: the user's own passes have to be loaded before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence

from relay_lsp.ir.diagnostics import Severity

from ..pass_calls import parse_pipeline
from ..pass_contexts import unknown_passes
from ..settings import Settings
from .client import Client
from .folders import Folders
from .settings_files import settings_files

__all__ = ["SettingsProblems"]


class SettingsProblems:
    """What is wrong with the settings of one client, as it is shown."""

    def __init__(self, client: Client, folders: Folders) -> None:
        self._client = client
        self._folders = folders
        self._settings: tuple[Settings, ...] = ()
        self._of_values: list[str] = []
        self._said: set[str] = set()
        self._files_at_fault: set[str] = set()
        """The settings files, by their URIs, that findings are shown in."""

    def take(self, problems: Sequence[str], settings: Collection[Settings]) -> None:
        """Show what is wrong with the values of these settings, and no longer what was wrong with earlier ones."""
        self._of_values, self._settings = list(problems), tuple(settings)
        self._show(self._of_values)

    async def check_passes(self, of_extensions: Collection[str]) -> None:
        """Show the passes that settings name and that there are none of, neither of ours nor ``of_extensions``."""
        settings = self._settings
        unknown = await asyncio.to_thread(lambda: list(dict.fromkeys(_unknown_passes(settings, of_extensions))))
        if settings == self._settings:
            self._show([*self._of_values, *unknown])

    def _show(self, problems: Sequence[str]) -> None:
        placed: set[str] = set()
        at_fault: set[str] = set()
        for file in settings_files(self._folders.paths) if problems else ():
            if findings := file.findings(problems):
                at_fault.add(file.uri)
                placed.update(finding.message for finding in findings)
                self._client.show_in_file(file.uri, file.text, findings)
        for uri in self._files_at_fault - at_fault:  # it is well again, or gone
            self._client.show_in_file(uri, "", ())
        self._files_at_fault = at_fault
        unplaced = {problem: None for problem in problems if problem not in placed}
        for problem in unplaced:
            if problem not in self._said:
                self._client.say(problem, Severity.WARNING)
        self._said = set(unplaced)


def _unknown_passes(settings: Collection[Settings], of_extensions: Collection[str]) -> Iterator[str]:
    named = dict.fromkeys(item for each in settings for item in _named_passes(each))
    hints = {unknown.name: unknown.hint for unknown in unknown_passes((name for _, name in named), of_extensions)}
    for path, name in named:
        if name in hints:
            yield f"the setting relay.{path} names {name}, which is no pass{hints[name]}"


def _named_passes(settings: Settings) -> Iterator[tuple[str, str]]:
    """The passes that settings name otherwise than by default, each with the setting."""
    if settings.pipeline != Settings().pipeline:
        yield from (("pipeline", call.name) for call in parse_pipeline(settings.pipeline))
    for steps in settings.pipelines.values():
        yield from (("pipelines", call.name) for call in parse_pipeline(steps))
    yield from (("requiredPasses", name) for name in settings.required_passes)
    yield from (("disabledPasses", name) for name in settings.disabled_passes)
