"""The records of the trace format: what each line of a written trace holds. The schema is made from these.

A trace is a text of lines (JSON Lines): each line is an object, and its field ``record`` names its kind. What comes
later speaks of what came before, so a reader can show a trace that is still being written, and one that was cut off.
Texts, types and layers that recur are written once, in the ``strings`` of the record that needs them first; all other
records give their number, which counts through the whole trace. Columns (arrays of one length) stand for tables.
Offsets count the code points of a text from 0. ``-1`` stands for "none".

A change that an older reader would misunderstand raises :data:`TRACE_VERSION`; a new optional field does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

__all__ = [
    "TRACE_FORMAT",
    "TRACE_VERSION",
    "ConstantRecord",
    "EndRecord",
    "FailureRecord",
    "FunctionAttributes",
    "HeaderRecord",
    "ModelText",
    "NewExpressions",
    "OverlayFile",
    "PassRecord",
    "RemarkRecord",
    "SkippedRecord",
    "SourceColumns",
    "StageRecord",
    "TraceFormatError",
    "TraceRecord",
    "read_records",
    "trace_schema",
]

TRACE_FORMAT = "relay-lsp-trace"
TRACE_VERSION = 1


class ModelText(msgspec.Struct, frozen=True):
    """The nodes of the model that the first text was imported from, as a text to look at."""

    name: str
    """The model's file."""
    text: str
    lines: dict[str, int]
    """The line of the text, from 0, at which the node of each layer begins. It ends before the next empty line."""


class OverlayFile(msgspec.Struct, frozen=True):
    """What another program wrote about the module, as it is: TIR, the graph executor's JSON, a tuning log, times."""

    name: str
    text: str


class HeaderRecord(msgspec.Struct, frozen=True, tag_field="record", tag="trace"):
    """The first line: which format this is, who wrote it, and the name of the file that the pipeline began with."""

    format: str
    version: int
    producer: str = ""
    source: str = ""
    pipeline: list[str] = []
    """The passes that were asked for, as the command line writes them: ``Name[option=value]``."""
    model: ModelText | None = None
    by_name: dict[str, str] = {}
    """Those of the passes that the context alone would not have admitted, each with why: they ran because they were
    asked for by name. Older traces do not have it."""
    overlays: list[OverlayFile] = []


class NewExpressions(msgspec.Struct, frozen=True):
    """The expressions that no earlier stage has, as columns. Their numbers go on from ``first``."""

    first: int
    kind: list[int]
    """The number of a string: ``Call``, ``Var``, ``Constant``, ``Function``, ``Let`` …"""
    label: list[int]
    """The number of a string: an operator's name, the name of a variable or of what is called, a scalar."""
    type: list[int]
    """The number of a string: the type as Relay writes it; -1 where it is not inferred."""
    layers: list[int]
    """The number of a string that holds a JSON array: the names of the layers that the expression comes from."""
    operands: list[int | list[int]] | None = None
    """What each is made of, in the order of evaluation: what is called and its arguments, the parameters and the body
    of a function, the variable, value and body of a ``let``. -1 is an operator or constructor, which has no number. A
    single one stands by itself, none is an empty list. Older traces do not have it."""
    flops: list[int] | None = None
    """The floating-point operations of each call of an operator, by :mod:`relay_lsp.ir.ops.costs`; 0 for what is no
    such call, -1 where they are not known. Older traces do not have it."""
    forms: list[int] | None = None
    """The number of a string: what each is besides its kind, label and operands, as Relay writes it (see
    :mod:`.trace_forms`). Null where the text of the stage alone says it. Older traces do not have it."""


class FunctionAttributes(msgspec.Struct, frozen=True):
    """The attributes of a function, such as ``Compiler`` and ``Composite``, each value as a text."""

    expression: int
    attributes: dict[str, str]


class StageRecord(msgspec.Struct, frozen=True, tag_field="record", tag="stage"):
    """A module: the text of it, and where its expressions stand there."""

    stage: int
    strings: list[str]
    text: str | None
    """The module as Relay text without its metadata section; null where it reads as that of stage ``same_text``."""
    new: NewExpressions
    order: list[int]
    """Every expression of the module: children before parents, from function to function by name. Where the text
    writes a scalar constant again, it is here again."""
    start: list[int]
    """For each entry of ``order`` its offset in the text, -1 for one that is not written out; empty where those of
    stage ``same_text``, entry by entry, hold."""
    length: list[int]
    operators: dict[str, int]
    """How many calls of each operator there are."""
    same_text: int = -1
    constants: list[int] = []
    """The expressions that ``meta[relay.Constant][0]``, ``[1]``, … of the text stand for."""
    metadata: str = ""
    """The other objects of the metadata section, as Relay writes the section; empty where there are none."""
    functions: list[FunctionAttributes] = []
    """The functions of this stage, among the new expressions, that have attributes."""
    definitions: list[tuple[int, int]] = []
    """The names of the module's functions, each with its function. Older traces do not have it."""


class ConstantRecord(msgspec.Struct, frozen=True, tag_field="record", tag="constant"):
    """A constant tensor, behind the stage that has it first. ``data`` is a metadata section that holds it alone, and
    null where the trace was written without weights."""

    expression: int
    dtype: str
    shape: list[int]
    data: str | None = None


class SourceColumns(msgspec.Struct, frozen=True):
    """Expressions, each with those that it was made from or that were joined to it; a single one stands by itself."""

    expression: list[int]
    sources: list[int | list[int]]


class RemarkRecord(msgspec.Struct, frozen=True):
    """A decision of a pass about an expression of the stage before it, and why."""

    kind: Literal["passed", "missed"]
    rule: str
    expression: int
    message: str
    """The decision in words, with ``{}`` for each of ``others``."""
    others: list[int] = []
    """What it was done with, or what stood in the way. What has no number is named in the words."""


class PassRecord(msgspec.Struct, frozen=True, tag_field="record", tag="step"):
    """One run of a pass; ``before`` and ``after`` are stages that stand above it in the trace."""

    step: int
    name: str
    options: dict[str, str]
    pipeline: list[str]
    """The pipelines that it ran in, outermost first."""
    is_requirement: bool
    opt_level: int
    required: list[str]
    seconds: float
    before: int
    after: int
    has_effect: bool
    """Whether the text after it differs from the text before it, types aside that another pass needed."""
    made: SourceColumns
    """Every expression of ``after`` that ``before`` does not have."""
    joined: SourceColumns
    rebuilt: list[int]
    """Those of ``made`` that are what they were made from, but for what they are applied to."""
    removed: list[int]
    """Every expression of ``before`` from which nothing in ``after`` comes."""
    unexplained: list[int]
    """Those of ``made`` whose pass did not say where they come from: their function stands in."""
    remarks: list[RemarkRecord] = []
    """What the pass did and left alone, and why, where remarks were asked for. Older traces do not have it."""


class SkippedRecord(msgspec.Struct, frozen=True, tag_field="record", tag="skipped"):
    """A pass of the pipeline that did not run, ``before_step``, and why: ``disabled`` or ``level``."""

    name: str
    pipeline: list[str]
    before_step: int
    opt_level: int
    reason: str


class FailureRecord(msgspec.Struct, frozen=True, tag_field="record", tag="failure"):
    """A pass refused or failed; what stands above holds. The place is in the text of the stage, -1 without one."""

    name: str
    message: str
    stage: int = -1
    start: int = -1
    length: int = 0


class EndRecord(msgspec.Struct, frozen=True, tag_field="record", tag="end"):
    """The last line of a whole trace."""

    stages: int
    steps: int


TraceRecord: TypeAlias = (
    HeaderRecord | StageRecord | ConstantRecord | PassRecord | SkippedRecord | FailureRecord | EndRecord
)

_decoder = msgspec.json.Decoder(TraceRecord)


class TraceFormatError(ValueError):
    """What is read is no trace, or one of another version, or contradicts itself."""


def read_records(lines: Iterable[str]) -> Iterator[tuple[int, TraceRecord]]:
    """The records of a trace, each with the number of its line; empty lines are passed over.

    Raises:
        TraceFormatError: a line is no record, the first one is no header of a trace, or the version is another one.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = _decoder.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise TraceFormatError(f"line {number}: {error}") from error
        if number == 1 and not isinstance(record, HeaderRecord):
            raise TraceFormatError(f"line 1: the first line is no header of a {TRACE_FORMAT}")
        if isinstance(record, HeaderRecord):
            _require_readable(record, number)
        yield number, record


def _require_readable(header: HeaderRecord, number: int) -> None:
    """Raises TraceFormatError: the header is of another format, or of another version."""
    if header.format != TRACE_FORMAT:
        raise TraceFormatError(f"line {number}: this is a {header.format!r}, not a {TRACE_FORMAT}")
    if header.version != TRACE_VERSION:
        raise TraceFormatError(
            f"line {number}: this is version {header.version} of the format, and version {TRACE_VERSION} is read; "
            f"it was written by {header.producer or 'an unknown program'}"
        )


def trace_schema() -> str:
    """The JSON schema of a line of a trace."""
    schema = msgspec.json.schema(TraceRecord)
    return json.dumps({"title": f"{TRACE_FORMAT}, version {TRACE_VERSION}: one line", **schema}, indent=2) + "\n"
