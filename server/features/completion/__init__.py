"""What can be written at the cursor: one kind of item one file, brought together in :mod:`.completions`."""

from __future__ import annotations

from .completions import completions, documentation
from .items import Completion, CompletionKind, Completions
from .operators import count_operators, look_operators_up

__all__ = [
    "Completion",
    "CompletionKind",
    "Completions",
    "completions",
    "count_operators",
    "documentation",
    "look_operators_up",
]
