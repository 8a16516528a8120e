"""What passes did to a text, as the worker answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..pass_calls import PassCall
from .pass_changes import PassChanges, SpanLayers, SpanOrigins

if TYPE_CHECKING:
    from relay_lsp.ir.diagnostics import Diagnostic, TextEdit
    from relay_lsp.ir.internal_errors import Fault
    from relay_lsp.passes.infrastructure.extensions import ExtensionFault

    from .remarks import PlacedRemark

__all__ = ["PassesOutcome", "StepOutcome"]


@dataclass(frozen=True)
class StepOutcome:
    """What one pass did. ``operators`` says how many calls of each operator there are more or fewer."""

    name: str
    call: PassCall
    """How it was run: what was asked for, or the bare pass where another one required it."""
    changed: bool
    seconds: float
    operators: Mapping[str, int] = field(default_factory=dict[str, int])
    text: str = ""
    """The text after a step that changed something."""
    origins: SpanOrigins = ()
    removed: tuple[tuple[int, int], ...] = ()
    """Where in the text before it stand the values that it removed."""
    layers: SpanLayers = ()
    """The layers that the values of the text after it came from."""
    skipped: str = ""
    """Why the context did not let it run."""


@dataclass(frozen=True)
class PassesOutcome:
    """What a pipeline did to a text. Where a pass failed, ``failed`` says why, and nothing is changed."""

    text: str
    edits: tuple[TextEdit, ...] = ()
    steps: tuple[StepOutcome, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    failed: str | None = None
    fault: ExtensionFault | None = None
    """Where in a user's file a pass of theirs failed."""
    crash: Fault | None = None
    """The exception that a pass failed with, which it should have met itself."""
    reports: tuple[str, ...] = ()
    """What the instruments printed and measured, in order."""
    changes: PassChanges = field(default_factory=PassChanges)
    """What of the old text became what of the new."""
    remarks: tuple[PlacedRemark, ...] = ()
    """What the passes said about their decisions, where that was asked for."""
    by_name: Mapping[str, str] = field(default_factory=dict[str, str])
    """The passes that ran because they were asked for by name, with why the context alone would not admit them."""

    @property
    def changed(self) -> bool:
        """Whether the text becomes another."""
        return bool(self.edits)
