"""Type comments that contradict the types that are inferred: ``/* ty=Tensor[(1, 64), float32] */`` behind a value that
has become a ``Tensor[(1, 32), float32]``.

TVM prints the comments and its parser passes over them, so nothing keeps them true while the text is edited. One cause
mostly makes all that follows from it differ as well: there is one warning for the first value that differs, and the
comments that differ because of it are related to it. A comment behind something that is at fault says what it was and
will be, and is left alone; so is one that is no type.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple, cast

import msgspec

from ...cancellation import check_cancelled
from ...diagnostics import Diagnostic, Fix, LazyFixes, Related, Severity, TextEdit
from ...internal_errors import internal_error
from ...printing.types import type_to_text
from ...syntax.lexer import WHITE_SPACE
from ...text.text_span import TextSpan
from ...type_visitor import has_error, known_type
from ...types import TensorType, Type
from ..cache_regions import CacheBlock
from ..snapshot import Snapshot
from ..type_comments import TYPE_COMMENT, type_of_comment

__all__ = ["STALE_TYPE_COMMENT", "stale_type_comments", "trust_type_comments", "type_comment_updates"]

STALE_TYPE_COMMENT: Final = "stale-type-comment"

_DOING: Final = "comparing type comments"
_WARNINGS: Final = 100
"""So many causes are reported; the last report counts the comments that differ for other causes."""
_RELATED: Final = 20
"""So many of the comments that follow from a cause are named; the message counts them all."""
_MOST_ALIKE: Final = 64
"""So many of the comments that statements of one kind may have are kept in mind at most."""

_NAME: Final = re.compile(r"%[A-Za-z_0-9][\w.:/]*")
_PROJECTION: Final = re.compile(r"\.\d+\Z")
_BINDING: Final = re.compile(r"\s*(?:let\s+)?(%[A-Za-z_0-9][\w.:/]*)\s*(?::[^=]*)?=")
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_OF_LET: Final = re.compile(r"(?:\s|//[^\n]*\n|/\*[^*]*\*/)*let\s+%[^=/]*/\* ty=[^*\n]*\*/\s*=")
"""A ``let`` with a type comment behind its name or its annotation."""
_END: Final = re.compile(r"[^*\n]*\*/(?:\s|;|/\*[^*\n]*\*/)*\Z")
"""What may stand behind the type in the comment of all of a statement."""
_ENDING: Final = f"{WHITE_SPACE};"
_REPEATED: Final = re.compile(r": ([^:*/\n]*) /\* ty=\1(?= \*/| span=)")
"""An annotation, and a comment behind it that says the same."""


class _StaleComment(msgspec.Struct, frozen=True):
    """A comment whose type, at ``span`` of its segment, says ``written``, where the value is ``inferred``.

    The value is bound as ``bound`` and made from those called ``used``.
    """

    span: TextSpan
    written: str
    inferred: str
    bound: str
    used: tuple[str, ...]

    def update(self, base: int) -> TextEdit:
        """The edit that makes it true, where its segment begins at ``base``."""
        return TextEdit(self.place(base), self.inferred)

    def place(self, base: int) -> TextSpan:
        """Where the type stands, where its segment begins at ``base``."""
        return TextSpan(base + self.span.start, base + self.span.end)


_Numbered = tuple[int, _StaleComment]
"""A stale comment and its segment, which is counted from the beginning of its block."""


class _Run(msgspec.Struct):
    """The stale comments of the statements of one function that lie in one block.

    Those that differ because of another one here are grouped with it; ``names`` tells in which group a name is bound.
    """

    head: int | None
    """The segment of the function's head, counted from the beginning of the block, where it lies in the block."""
    has_comments: bool = False
    """Whether there are type comments in that head that may be stale."""
    groups: list[list[_Numbered]] = msgspec.field(default_factory=list[list[_Numbered]])
    names: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    faults: list[tuple[int, Diagnostic]] = msgspec.field(default_factory=list[tuple[int, Diagnostic]])
    """Faults of ours at statements, with their segments, from whose beginning the places count."""

    def add(self, number: int, comment: _StaleComment) -> None:
        """Add the next comment, which is in the given segment."""
        group = next((self.names[name] for name in comment.used if name in self.names), None)
        if group is None:
            group = len(self.groups)
            self.groups.append([])
        self.groups[group].append((number, comment))
        if comment.bound:
            self.names[comment.bound] = group


class _BlockRuns(NamedTuple):
    """The runs of a block. Most blocks have no stale comment: then all that matters is the last head in them."""

    runs: Sequence[_Run]
    last_head: int | None
    is_silent: bool
    """Whether there are neither stale comments nor faults, nor comments in heads, which have to be asked for them."""

    @staticmethod
    def of(runs: Sequence[_Run]) -> _BlockRuns:
        last_head = next((run.head for run in reversed(runs) if run.head is not None), None)
        return _BlockRuns(runs, last_head, not any(run.has_comments or run.groups or run.faults for run in runs))


class _Cause(msgspec.Struct):
    """A comment, and those that differ because of it; each with where its segment begins."""

    function: int
    comments: list[tuple[int, _StaleComment]]


def _position(placed: tuple[int, _StaleComment]) -> int:
    base, comment = placed
    return base + comment.span.start


def stale_type_comments(snapshot: Snapshot) -> list[Diagnostic]:
    """A warning for each cause. What an edit did not touch is cached."""
    causes, faults = _causes(snapshot)
    for cause in causes[:_WARNINGS]:
        # They were collected block by block, and in which blocks the statements are depends on the edits before.
        cause.comments.sort(key=_position)
    warnings = [_warning(causes, cause) for cause in causes[:_WARNINGS]]
    if len(causes) > _WARNINGS:
        left = sum(len(cause.comments) for cause in causes[_WARNINGS:])
        last = warnings[-1]
        last = Diagnostic(last.code, last.severity, f"{last.message}; {left} more differ elsewhere", last.span)
        warnings[-1] = last
    return [*warnings, *faults]


def type_comment_updates(snapshot: Snapshot, within: TextSpan | None = None) -> list[TextEdit]:
    """The edits that make every type comment, or those in a range, say the type that is inferred; in order."""
    edits = _updates(_causes(snapshot)[0])
    return [edit for edit in edits if within is None or within.contains(edit.span.start)]


def trust_type_comments(snapshot: Snapshot, written: Sequence[TextSpan]) -> None:
    """Take the comments of the statements in these places, which are in order and apart, for true.

    They were printed from the types that would be inferred again to compare them with.
    """
    ends = [span.end for span in written]
    for block in snapshot.cache_blocks:
        for index, text, type in snapshot.heads_and_statements(block, "ty="):
            start = snapshot.segment_start(index)
            place = bisect_left(ends, start + len(text.rstrip()))
            if type is not None and place < len(written) and written[place].start <= start + _indent(text):
                snapshot.statement_memo(index)[_in_statement] = ()


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _updates(causes: Sequence[_Cause]) -> list[TextEdit]:
    edits = [comment.update(base) for cause in causes for base, comment in cause.comments]
    return sorted(edits, key=lambda edit: edit.span)


# Why comments differ


def _causes(snapshot: Snapshot) -> tuple[list[_Cause], list[Diagnostic]]:
    """The causes, mostly in the order of the text, with the comments that differ because of each; faults of ours."""
    causes: list[_Cause] = []
    faults: list[Diagnostic] = []
    of_heads: dict[int, dict[str, _Cause]] = {}
    cause_of: dict[str, _Cause] = {}
    function = 0

    def add_faults(met: Iterable[tuple[int, Diagnostic]], first: int) -> None:
        for number, fault in met:
            start = snapshot.segment_start(first + number)
            faults.append(fault.moved(partial(TextSpan.shifted, by=start)))

    for block in snapshot.cache_blocks:
        block_runs = cast("_BlockRuns | None", block.memo.get(_runs)) or _runs(snapshot, block)
        if block_runs.is_silent:
            if block_runs.last_head is not None:
                function, cause_of = block.first + block_runs.last_head, {}
            continue
        for run in block_runs.runs:
            add_faults(run.faults, block.first)
            if run.head is not None:
                function = block.first + run.head
                if function not in of_heads:  # that of a function that is read as a whole comes twice
                    start = snapshot.segment_start(function)
                    stale, met = _in_head(snapshot, function) if run.has_comments else ((), ())
                    add_faults([(0, fault) for fault in met], function)
                    of_heads[function] = {comment.bound: _Cause(function, [(start, comment)]) for comment in stale}
                    causes += of_heads[function].values()
                cause_of = dict(of_heads[function])
            of_groups: list[_Cause] = []
            for group in run.groups:
                cause = next((cause_of[name] for name in group[0][1].used if name in cause_of), None)
                if cause is None:
                    cause = _Cause(function, [])
                    causes.append(cause)
                of_groups.append(cause)
                cause.comments += ((snapshot.segment_start(block.first + number), comment) for number, comment in group)
            cause_of.update((name, of_groups[group]) for name, group in run.names.items())
    return causes, faults


def _runs(snapshot: Snapshot, block: CacheBlock) -> _BlockRuns:
    """The runs of a block, which are kept with it; with its words, where there are no type comments among them."""
    without_comments = cast("_BlockRuns | None", block.words_memo.get(_runs))
    if without_comments is not None:
        block.memo[_runs] = without_comments
        return without_comments
    check_cancelled()
    runs = [_Run(None)]
    for index, text, type in snapshot.heads_and_statements(block, "ty=", _is_surely_true):
        if type is None:
            runs.append(_Run(index - block.first, not _head_repeats_annotations(snapshot, index, text)))
            continue
        try:
            for comment in _in_statement(snapshot, index, text):
                runs[-1].add(index - block.first, comment)
        except Exception as error:
            span = TextSpan(0, len(text.rstrip()))
            runs[-1].faults.append((index - block.first, internal_error(error, _DOING, span)))
    block_runs = block.memo[_runs] = _BlockRuns.of(runs)
    if block_runs.is_silent and not snapshot.has_word(block, "ty="):
        block.words_memo[_runs] = block_runs
    return block_runs


# Which comments are stale


def _is_surely_true(text: str, type: Type) -> bool:
    """Whether a statement of this type has no type comment, or one, behind all of it, that says this type.

    That is so for almost every statement that TVM prints, and seen without looking at what the statement is made of.
    """
    if "ty=" not in text:
        return True
    comment, _, behind = text.partition("/* ty=")[2].partition(" */")
    return not behind.strip(_ENDING) and _is_true(comment.partition(" span=")[0], type)


@lru_cache(maxsize=4096)
def _is_true(written: str, inferred: Type) -> bool:
    return not has_error(inferred) and not _differs(written, inferred)


def _in_statement(snapshot: Snapshot, index: int, text: str) -> Sequence[_StaleComment]:
    memo = snapshot.statement_memo(index)
    stale = cast("Sequence[_StaleComment] | None", memo.get(_in_statement))
    if stale is None:
        stale = memo[_in_statement] = _read_unless_alike(snapshot, index, text)
    return stale


def _read_unless_alike(snapshot: Snapshot, index: int, text: str) -> Sequence[_StaleComment]:
    """The stale comments of a statement: none, where one before it of the same types has the same comments, all true.

    A text that was fused has ten thousand functions of a few kinds.
    """
    template, types = snapshot.template(index), snapshot.parts_typed(index)
    if template is None or template.functions or types is None:
        return tuple(_read_statement(snapshot, index, text))
    comments = (snapshot.segment_kinds(index), *TYPE_COMMENT.findall(text))
    known = cast("tuple[object, set[Sequence[str]]] | None", template.memo.get(_read_statement))
    if known is None or known[0] is not types or len(known[1]) >= _MOST_ALIKE:
        known = template.memo[_read_statement] = types, set[Sequence[str]]()
    if comments in known[1]:
        return ()
    stale = tuple(_read_statement(snapshot, index, text))
    if not stale:
        known[1].add(comments)
    return stale


def _read_statement(snapshot: Snapshot, index: int, text: str) -> Iterator[_StaleComment]:
    comments = list(TYPE_COMMENT.finditer(text))
    for number, comment in enumerate(comments):
        is_last = number == len(comments) - 1
        is_of_statement = _END.match(text, comment.end()) if is_last else not number and _OF_LET.match(text)
        inferred = snapshot.statement_type(index) if is_of_statement else None
        if inferred is None:
            inferred = snapshot.type_before(index, comment.start())
        if inferred is None or not _differs(comment[1], inferred):
            continue
        before = _COMMENT.sub(lambda mark: " " * len(mark[0]), text[: comment.start()])
        begin = 0 if is_last else max(before.rfind(";"), before.rfind("{")) + 1  # of a statement inside this one
        names = _NAME.findall(before, begin)
        binding = _BINDING.match(before, begin)
        bound = binding[1] if binding is not None else ""
        yield _stale_comment(comment, inferred, bound, names)


def _head_repeats_annotations(snapshot: Snapshot, index: int, text: str) -> bool:
    """What :func:`_repeats_annotations` tells of a head, kept with it: an edit behind it does not read it again."""
    if "ty=" not in text:
        return True  # nothing is kept with each of ten thousand heads
    memo = snapshot.statement_memo(index)
    known = cast("bool | None", memo.get(_repeats_annotations))
    if known is None:
        known = memo[_repeats_annotations] = _repeats_annotations(text)
    return known


def _repeats_annotations(text: str) -> bool:
    """Whether every type comment in a head stands behind an annotation that is written as it is, as TVM prints them.

    Such a comment is true, whatever the annotation means: it need not be read, which a module of a thousand heads would
    pay for with each key.
    """
    return all(map(_repeats_annotation, text.split("%")))


@lru_cache(maxsize=8192)
def _repeats_annotation(text: str) -> bool:
    """The same of one parameter, from its name on: a key changes one of a thousand."""
    return len(_REPEATED.findall(text)) == text.count("/* ty=")


def _in_head(snapshot: Snapshot, index: int) -> tuple[Sequence[_StaleComment], Sequence[Diagnostic]]:
    """The stale comments behind the parameters of a function, whose head is the segment ``index``; a fault of ours."""
    memo = snapshot.statement_memo(index)
    known = cast("tuple[Sequence[_StaleComment], Sequence[Diagnostic]] | None", memo.get(_in_head))
    if known is None:
        text = snapshot.segment_text(index)
        try:
            known = tuple(_read_head(snapshot, index, text)), ()
        except Exception as error:
            known = (), (internal_error(error, _DOING, TextSpan(0, len(text.rstrip()))),)
        memo[_in_head] = known
    return known


def _read_head(snapshot: Snapshot, index: int, text: str) -> Iterator[_StaleComment]:
    start = 0
    for part in text.split("%"):
        first, start = start, start + len(part) + 1
        if _repeats_annotation(part):
            continue
        for comment in TYPE_COMMENT.finditer(text, first, start):
            before = list(snapshot.parameters(index, TextSpan(first - 1, comment.start())))
            before = before or list(snapshot.parameters(index, TextSpan(0, comment.start())))
            _, name, inferred = before[-1] if before else (0, "", None)
            if inferred is not None and _differs(comment[1], inferred):
                yield _stale_comment(comment, inferred, name, ())


def _stale_comment(comment: re.Match[str], inferred: Type, bound: str, names: Sequence[str]) -> _StaleComment:
    # ``%3.0`` is a field of ``%3``; ``%x.0`` may be a name.
    spelled = dict.fromkeys((*names, *(_PROJECTION.sub("", name) for name in names)))
    used = tuple(name for name in spelled if name != bound)
    return _StaleComment(TextSpan(*comment.span(1)), comment[1], type_to_text(inferred), bound, used)


def _differs(written: str, inferred: Type) -> bool:
    if isinstance(inferred, TensorType) and written == type_to_text(inferred):
        return False  # it is written as TVM prints it, as almost all are: none of them need be read
    type = type_of_comment(written)
    if type is None or type == inferred or known_type(inferred) is None:
        return False
    # Written differently, two types may still be the same: that is seen where both are printed. The type variable of a
    # function stands for itself in a comment, which by itself reads it as a type without arguments, ``A[]``.
    return type_to_text(type).replace("[]", "") != type_to_text(inferred).replace("[]", "")


# What is said about them


def _warning(causes: Sequence[_Cause], cause: _Cause) -> Diagnostic:
    (base, first), *others = cause.comments
    message = f"the type comment says {first.written}, and the type is {first.inferred}"
    if others:
        count = len(others)
        message += f"; {count} more comment{'s differ' if count > 1 else ' differs'} because of it"
    related = [
        Related(f"{other.bound or 'this'} is {other.inferred}", other.place(base)) for base, other in others[:_RELATED]
    ]
    fixes = LazyFixes(partial(_fixes, causes, cause))
    return Diagnostic(
        STALE_TYPE_COMMENT, Severity.WARNING, message, first.place(base), related=tuple(related), fixes=fixes
    )


def _fixes(causes: Sequence[_Cause], cause: _Cause) -> Iterator[Fix]:
    base, first = cause.comments[0]
    yield Fix("Update this type comment", (first.update(base),))
    if len(cause.comments) > 1:
        yield Fix("Update this type comment and those that differ because of it", tuple(_updates([cause])))
    of_function = [other for other in causes if other.function == cause.function]
    if len(of_function) > 1:
        yield Fix("Update the type comments of this function", tuple(_updates(of_function)))
    if len(causes) > len(of_function):
        yield Fix("Update all type comments", tuple(_updates(causes)))
