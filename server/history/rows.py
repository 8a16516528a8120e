"""What the rows of the history hold: the run of a pass, and where values came from, packed."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec

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

_PackedOrigins: TypeAlias = tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]
_PackedLayers: TypeAlias = tuple[tuple[tuple[tuple[str, int, int], ...], ...], tuple[tuple[int, int, int], ...]]
_Unpacked = TypeVar("_Unpacked")


class StepDetails(msgspec.Struct, frozen=True):
    """How a pass was run, so that it can be run again. Steps recorded by older versions lack some of it."""

    call: str = ""
    """The pass with its options, as a pipeline has it."""
    function: str = ""
    """The one function that it was allowed to change; empty for all."""
    opt_level: int = 3
    """The level of the context that it ran in."""
    run: str = ""
    """The same for all steps that one command made."""
    operators: Mapping[str, int] = msgspec.field(default_factory=dict[str, int])
    """How many calls of each operator there were more or fewer after it."""
    by_hand: bool = False
    """Whether it was no pass, but an edit by hand between two of them."""
    removed: Sequence[tuple[int, int]] = ()
    """Where in the text before it stand the values that it removed."""
    skipped: Mapping[str, str] = msgspec.field(default_factory=dict[str, str])
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
    packed_origins: bytes
    details: StepDetails

    @property
    def origins(self) -> SpanOrigins:
        """For ranges of the text after the step those of the text before that they came from; none where they are
        damaged."""
        try:
            return _unpacked(self.packed_origins, _PackedOrigins) if self.packed_origins else ()
        except (zlib.error, ValueError):
            return ()

    @property
    def call(self) -> str:
        """The pass with its options, as far as they are known."""
        return self.details.call or self.pass_name


def step_of_row(row: Sequence[object]) -> StepRecord:
    """The step of a row with the columns of :data:`STEP_COLUMNS`. Details of a newer version are left out.

    Raises:
        ValueError: a value has another type than its column, which a damaged file can hold.
    """
    checked = msgspec.convert(row, StepRow)
    details = msgspec.json.decode(checked[7], type=StepDetails)
    return StepRecord(*checked[:6], packed_origins=checked[6], details=details)


def packed_details(details: StepDetails) -> str:
    """How a pass was run, as its column holds it."""
    return msgspec.json.encode(details).decode()


def packed_origins(origins: Sequence[tuple[int, int, Sequence[tuple[int, int]]]]) -> bytes:
    """Origins as :attr:`StepRecord.origins` gives them, as their column holds them."""
    return zlib.compress(msgspec.json.encode(origins), 1)


def packed_layers(layers: SpanLayers) -> bytes:
    """The layers of a text's values, as their column holds them: each once, however many values came from it."""
    numbers: dict[tuple[tuple[str, int, int], ...], int] = {}
    values = [(start, end, numbers.setdefault(sources, len(numbers))) for start, end, sources in layers]
    return zlib.compress(msgspec.json.encode([list(numbers), values]), 1)


def unpacked_layers(body: bytes) -> SpanLayers:
    """What :func:`packed_layers` packed.

    Raises:
        ValueError, zlib.error: it did not pack this.
    """
    groups, values = _unpacked(body, _PackedLayers)
    if any(number >= len(groups) for _, _, number in values):
        raise ValueError("a layer that is not there")
    return tuple((start, end, groups[number]) for start, end, number in values)


def _unpacked(body: bytes, kind: type[_Unpacked]) -> _Unpacked:
    return msgspec.json.decode(zlib.decompress(body), type=kind)
