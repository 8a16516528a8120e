"""What the rows of the history hold: the run of a pass, and where values came from, packed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from ..worker.pass_changes import SpanLayers, SpanOrigins

__all__ = [
    "STEP_COLUMNS",
    "StepDetails",
    "StepRecord",
    "packed_details",
    "packed_layers",
    "packed_origins",
    "step_of_row",
    "unpacked_layers",
]

STEP_COLUMNS = "id, pass, before, after, seconds, time, origins, details"
"""The columns of the table of steps that :func:`step_of_row` reads, in their order."""

StepRow: TypeAlias = tuple[int, str, str, str, float, float, bytes, str]
"""A row with these columns."""


@dataclass(frozen=True)
class StepDetails:
    """How a pass was run, so that it can be run again. Steps recorded by older versions lack some of it."""

    call: str = ""
    """The pass with its options, as a pipeline has it."""
    function: str = ""
    """The one function that it was allowed to change; empty for all."""
    opt_level: int = 3
    """The level of the context that it ran in."""
    run: str = ""
    """The same for all steps that one command made."""
    operators: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many calls of each operator there were more or fewer after it."""
    by_hand: bool = False
    """Whether it was no pass, but an edit by hand between two of them."""
    removed: Sequence[tuple[int, int]] = ()
    """Where in the text before it stand the values that it removed."""
    skipped: Mapping[str, str] = field(default_factory=dict[str, str])
    """The passes of the same command that the context did not admit, and why."""
    by_name: str = ""
    """Why the context alone would not have admitted the pass, which ran because it was asked for by name."""
    edited: Sequence[tuple[int, int]] = ()
    """For an edit by hand, where in the text after it stand the values that it touched."""


@dataclass(frozen=True)
class StepRecord:
    """One run of a pass that changed a text. ``time`` is in seconds since the epoch.

    Where its values came from is unpacked when it is asked for: most look-ups do without.
    """

    id: int
    pass_name: str
    before: str
    after: str
    seconds: float
    time: float
    packed_origins: bytes = b""
    details: StepDetails = StepDetails()

    @property
    def origins(self) -> SpanOrigins:
        """For ranges of the text after the step those of the text before that they came from."""
        return _unpacked(self.packed_origins) if self.packed_origins else ()

    @property
    def call(self) -> str:
        """The pass with its options, as far as they are known."""
        return self.details.call or self.pass_name


def step_of_row(row: StepRow) -> StepRecord:
    """The step of a row with the columns of :data:`STEP_COLUMNS`. Details of a newer version are left out."""
    known = {entry.name for entry in fields(StepDetails)}
    details = {name: value for name, value in json.loads(row[7]).items() if name in known}
    return StepRecord(*row[:6], packed_origins=row[6], details=StepDetails(**details))


def packed_details(details: StepDetails) -> str:
    """How a pass was run, as its column holds it."""
    return json.dumps(asdict(details))


def packed_origins(origins: Sequence[tuple[int, int, Sequence[tuple[int, int]]]]) -> bytes:
    """Origins as :attr:`StepRecord.origins` gives them, as their column holds them."""
    return zlib.compress(json.dumps(origins, separators=(",", ":")).encode(), 1)


def _unpacked(body: bytes) -> SpanOrigins:
    return tuple(
        (start, end, tuple((old_start, old_end) for old_start, old_end in old))
        for start, end, old in json.loads(zlib.decompress(body))
    )


def packed_layers(layers: SpanLayers) -> bytes:
    """The layers of a text's values, as their column holds them: each once, however many values came from it."""
    numbers: dict[tuple[tuple[str, int, int], ...], int] = {}
    values = [(start, end, numbers.setdefault(sources, len(numbers))) for start, end, sources in layers]
    return zlib.compress(json.dumps([list(numbers), values], separators=(",", ":")).encode(), 1)


def unpacked_layers(body: bytes) -> SpanLayers:
    """What :func:`packed_layers` packed."""
    groups, values = json.loads(zlib.decompress(body))
    sources: list[tuple[tuple[str, int, int], ...]] = [
        tuple((name, line, column) for name, line, column in group) for group in groups
    ]
    places: list[tuple[int, int, int]] = values
    return tuple((start, end, sources[number]) for start, end, number in places)
