"""The answers to requests and commands of our own, as the client reads them; ``docs/protocol.md`` says what each means.

Lines and characters in ranges are in the client's units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from ..documents.positions import Range

__all__ = [
    "AlignedAnswer",
    "ColourGroupEntry",
    "ColoursAnswer",
    "DifferenceAnswer",
    "ExploreAnswer",
    "FateAnswer",
    "HistoryAnswer",
    "HistoryStepEntry",
    "HistoryTextAnswer",
    "ImportAnswer",
    "LayerEntry",
    "LayersAnswer",
    "LineColumn",
    "NeighbourAnswer",
    "OperatorCountEntry",
    "OriginEntry",
    "PassRunEntry",
    "PipelineAnswer",
    "PreviewAnswer",
    "PreviewChanges",
    "ProvenanceAnswer",
    "ReductionAnswer",
    "RemarkEntry",
    "RemarksAnswer",
    "RemovedEntry",
    "RunAnswer",
    "ValueEventEntry",
    "VerificationAnswer",
]


# Passes


class _SkippedNames(TypedDict, total=False):
    skipped: str
    byName: str


_PassRun = TypedDict(
    "_PassRun",
    {"pass": str, "call": str, "changed": bool, "milliseconds": float, "operators": "Mapping[str, int]"},
)


class PassRunEntry(_PassRun, _SkippedNames):
    """What one pass did. ``skipped`` says why the context did not admit it, ``byName`` why it would not have."""


class PreviewStepEntry(PassRunEntry):
    """What one pass would do, with the text after it."""

    text: str


class LineColumn(TypedDict):
    """A position, in the client's units."""

    line: int
    character: int


class FailedAt(TypedDict, total=False):
    """Where passes failed, for a client that shows errors by itself."""

    errorAt: Range


class _Run(FailedAt):
    changed: bool
    applied: bool
    message: str


class RunAnswer(_Run, total=False):
    """What came of running passes, or of going to a step, in a buffer."""

    steps: Sequence[PassRunEntry]
    position: LineColumn
    outdated: bool


class OperatorCountEntry(TypedDict):
    """How many calls of an operator two texts have."""

    name: str
    before: int
    after: int


MadeEntry = TypedDict("MadeEntry", {"range": Range, "from": "Sequence[Range]", "passes": "Sequence[str]"})
"""A new value, and where the values stood that it came from."""

GoneEntry = TypedDict("GoneEntry", {"range": Range, "pass": str})
"""A value that a pass removed."""


class PreviewChanges(TypedDict):
    """What became of what; ranges of new values are in the text after, all others in the text before."""

    operators: Sequence[OperatorCountEntry]
    values: Sequence[MadeEntry]
    removed: Sequence[GoneEntry]


class AlignedEntry(TypedDict):
    """Two texts laid out side by side."""

    before: str
    after: str
    beforeLines: Sequence[int]
    afterLines: Sequence[int]
    functions: Sequence[str]


class AlignedAnswer(TypedDict, total=False):
    """The part of a preview that is there where a client asks for it."""

    aligned: AlignedEntry


class PreviewDiagnosticEntry(TypedDict):
    """What is wrong with the text that passes were to run on."""

    message: str
    code: str
    range: Range | None


class PreviewAnswer(PreviewChanges, AlignedAnswer):
    """What passes would make of a document."""

    version: int
    changed: bool
    before: str
    after: str
    failed: str | None
    passes: Sequence[str]
    command: str
    steps: Sequence[PreviewStepEntry]
    diagnostics: Sequence[PreviewDiagnosticEntry]


VerificationStepEntry = TypedDict("VerificationStepEntry", {"pass": str, "difference": "float | None", "reason": str})
"""How far the results before and after a pass are apart; ``reason`` says why they were not compared."""


class VerificationAnswer(FailedAt):
    """Whether passes keep what the text computes."""

    agrees: bool
    message: str
    culprit: str | None
    kind: str
    reduced: bool
    steps: Sequence[VerificationStepEntry]


class ReductionAnswer(FailedAt):
    """The smallest text on which passes go wrong, and how many values there were and are."""

    message: str
    text: str | None
    before: int
    after: int


RemarkEntry = TypedDict(
    "RemarkEntry",
    {"pass": str, "kind": str, "rule": str, "subject": str, "message": str, "range": "Range | None"},
)
"""What a pass decides on a value, and why."""


class RemarksAnswer(FailedAt):
    """What passes decide on values."""

    message: str
    remarks: Sequence[RemarkEntry]


# History


_HistoryStep = TypedDict(
    "_HistoryStep",
    {
        "id": int,
        "kind": Literal["edit", "pass"],
        "pass": str,
        "call": str,
        "function": str,
        "run": str,
        "changed": bool,
        "applied": bool,
        "milliseconds": float,
        "time": str,
        "operators": "Mapping[str, int]",
    },
)


class _HistorySkipped(TypedDict, total=False):
    skipped: Mapping[str, str]
    byName: str


class HistoryStepEntry(_HistoryStep, _HistorySkipped):
    """A step of the history of a buffer."""


class HistoryAnswer(TypedDict):
    """The history of a buffer."""

    version: int
    edited: bool
    current: int
    steps: Sequence[HistoryStepEntry]
    command: str


class HistoryTextAnswer(TypedDict):
    """The text before or after a step."""

    text: str


class DifferenceAnswer(TypedDict):
    """Two texts, and which operators one has more of than the other."""

    before: str
    after: str
    operators: Sequence[OperatorCountEntry]


class PipelineAnswer(TypedDict):
    """Passes as a command line, as the comment of a file, and as a list for the settings."""

    command: str
    comment: str
    passes: Sequence[str]


# Provenance


class _Origin(TypedDict):
    name: str
    line: int
    column: int


class OriginEntry(_Origin, total=False):
    """A layer, or a place in a file, with its address where there is such a file."""

    target: str


_ValueEvent = TypedDict("_ValueEvent", {"pass": str, "id": int, "before": "Sequence[str]", "ranges": "Sequence[Range]"})


class ValueEventEntry(_ValueEvent, total=False):
    """What a step did to a value; the ranges lie in the text before the step."""

    kind: Literal["edit"]


RemovedEntry = TypedDict("RemovedEntry", {"pass": str, "id": int, "text": str, "range": Range})
"""A value that a step took out of a function, where it stood in the text before the step."""


class _Provenance(TypedDict):
    range: Range
    text: str
    origins: Sequence[OriginEntry]
    events: Sequence[ValueEventEntry]


class ProvenanceAnswer(_Provenance, total=False):
    """Where a value comes from, and of a function also what was taken out of it."""

    removed: Sequence[RemovedEntry]


class FateAnswer(TypedDict):
    """Where a value of an earlier text went."""

    range: Range
    text: str
    places: Sequence[Range]
    events: Sequence[ValueEventEntry]
    removedBy: str | None


class ColourGroupEntry(TypedDict):
    """The values that have a colour."""

    name: str
    background: str
    solid: str
    ruler: str
    text: str
    ranges: Sequence[Range]


class ColoursAnswer(TypedDict):
    """A colour for each group of values."""

    version: int
    groups: Sequence[ColourGroupEntry]


class LayerEntry(TypedDict):
    """A layer, and what it consists of."""

    name: str
    ranges: Sequence[Range]
    operators: Mapping[str, int]
    inputs: Sequence[str]
    outputs: Sequence[str]
    bytes: int
    flops: int
    uncounted: Sequence[str]


class LayersAnswer(TypedDict):
    """The layers of a text."""

    version: int
    layers: Sequence[LayerEntry]


class NeighbourAnswer(TypedDict):
    """A layer, the value of it that comes first, and all of its values."""

    layers: Sequence[str]
    range: Range
    ranges: Sequence[Range]


# Models and the explorer


class ImportProblemEntry(TypedDict):
    """What could not be converted."""

    severity: str
    message: str


class ImportAnswer(TypedDict):
    """The Relay text of a model."""

    text: str
    framework: str
    problems: Sequence[ImportProblemEntry]


class _Explore(TypedDict):
    version: int
    failed: str | None


class ExploreAnswer(_Explore, total=False):
    """A trace, or the page of the explorer with the trace in it."""

    trace: str
    page: str
