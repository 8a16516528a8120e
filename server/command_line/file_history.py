"""The history of a file that ``relay-lsp opt`` rewrites: the one that editors look at, so that nothing is lost."""

from __future__ import annotations

import argparse
import sys

from relay_lsp.ir.text.line_index import LineIndex

from ..history.followed_buffer import FollowedText
from ..history.recording import look_up, record_run
from ..history.store import HistoryStore, default_folder
from ..worker.pass_outcomes import PassesOutcome

__all__ = ["FileHistory"]


class FileHistory:
    """What is known of a text before passes run over it, and a place for what they do.

    A history that cannot be used is no fault of the command: it is mentioned where ``--verbose`` asks for details.
    """

    def __init__(self, options: argparse.Namespace, text: str) -> None:
        verbose = bool(getattr(options, "verbose", False))

        def report(problem: str) -> None:
            if verbose:
                print(f"relay-lsp: {problem}", file=sys.stderr)

        self._store = HistoryStore(default_folder(), report=report)
        lines = LineIndex(text)
        self.known: FollowedText = look_up(self._store, lines).at(lines)
        """The text with what is known of its values."""

    def record(self, outcome: PassesOutcome, opt_level: int) -> None:
        """Keep the steps that led from the text to the one that was written."""
        record_run(self._store, self.known, self.known.map.new.text, outcome, opt_level)

    def close(self) -> None:
        """Let go of the file of the history."""
        self._store.close()
