"""The outcomes of the last few runs of passes: a preview that is applied is not worked out twice."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .pass_outcomes import PassesOutcome
    from .worker_process import Job

__all__ = ["OutcomeMemory"]

_KEPT = 4


class OutcomeMemory:
    """Outcomes by job, which says everything that they depend on: text, passes, level, and the state of extensions."""

    def __init__(self) -> None:
        self._kept: deque[tuple[Job[PassesOutcome], PassesOutcome]] = deque(maxlen=_KEPT)

    def find(self, job: Job[PassesOutcome]) -> PassesOutcome | None:
        """The outcome of a job that is equal to this one, if it is kept."""
        return next((outcome for kept, outcome in self._kept if kept == job), None)

    def keep(self, job: Job[PassesOutcome], outcome: PassesOutcome) -> None:
        """Keep an outcome. One that failed may go better the next time."""
        if outcome.failed is None:
            self._kept.append((job, outcome))
