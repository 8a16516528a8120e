"""What a workspace asks of its client, whatever protocol that speaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.internal_errors import Fault

from ..documents.documents import Document
from ..pass_calls import PassCall

if TYPE_CHECKING:
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault

__all__ = ["Client"]


class Client(Protocol):
    """What a workspace asks of its client."""

    def publish(self, document: Document, diagnostics: Sequence[Diagnostic]) -> None:
        """Show these diagnostics, and no others, for the document at its version."""
        ...

    def show_faults(self, path: str, faults: Sequence[ExtensionFault]) -> None:
        """Show these faults, and no others, in a user's Python file."""
        ...

    def show_in_file(self, uri: str, text: str, diagnostics: Sequence[Diagnostic]) -> None:
        """Show these diagnostics, and no others, in a file that is no Relay text, such as one of settings."""
        ...

    def report_pass_fault(
        self, document: Document, text: str, calls: Sequence[PassCall], met: Fault, extensions: Sequence[str]
    ) -> None:
        """Keep what is needed to meet a fault again that passes ran into on this text of the document.

        ``extensions`` names the files, without their folders, and the packages of users' passes that were there.
        """
        ...

    def say(self, message: str, severity: Severity) -> None:
        """Show a message to the user."""
        ...

    def log(self, message: str) -> None:
        """Write to the log that the user may look at."""
        ...

    def refresh_early_answers(self) -> None:
        """Ask for tokens, hints and diagnostics anew: they were given while but a part of a text was known."""
        ...

    def refresh_views(self) -> None:
        """Ask for what is shown beside the text anew: settings or the history have changed."""
        ...

    def status(self, state: str, message: str) -> None:
        """Tell whether we are at work: ``ready``, ``working`` or ``stopped``."""
        ...
