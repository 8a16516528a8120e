"""What is not wanted any more is not gone on with: an analysis ends at its next step."""

from __future__ import annotations

import asyncio
import time

import pytest

from relay_lsp.ir.cancellation import Cancellation, WorkCancelled, check_cancelled
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.documents.documents import Change, Document
from relay_lsp.server.documents.positions import Encoding, Position, Range
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.session.background_analysis import BackgroundAnalysis

_HEAD = '#[version = "0.0.5"]\n'


def _unlike(count: int) -> str:
    """Statements none of which is like another, with type comments and faults."""
    lines = "".join(
        f"  %{number} = add({'(' * (number % 97)}%x{')' * (number % 97)}, {number}f) /* ty=int{number % 9 + 1} */;\n"
        for number in range(count)
    )
    return f"{_HEAD}def @main(%x: float32) {{\n{lines}  %{count - 1}\n}}\n"


def test_work_ends_at_its_next_step_and_leaves_what_is_true() -> None:
    text = _unlike(300)
    expected = diagnostics(Snapshot.open(text, "a"))
    for steps in (1, 2, 5, 50, 200):
        cancellation = _CancelledAfter(steps)
        with pytest.raises(WorkCancelled):
            cancellation.run(lambda: diagnostics(Snapshot.open(text, "a")))
        assert [each.message for each in diagnostics(Snapshot.open(text, "a"))] == [each.message for each in expected]


class _CancelledAfter(Cancellation):
    """One that is cancelled at so many steps."""

    def __init__(self, steps: int) -> None:
        super().__init__(self._count)
        self._left = steps

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.cancel()


def test_work_that_nothing_cancels_is_not_disturbed() -> None:
    assert Cancellation().run(lambda: 7) == 7
    check_cancelled()


@pytest.mark.parametrize("is_beginning_known", [False, True])
async def test_the_analysis_of_a_closed_document_ends(is_beginning_known: bool) -> None:
    analysis = BackgroundAnalysis()
    document = Document("file:///a.relay", _unlike(20_000))
    waiting = asyncio.ensure_future(analysis.snapshot(document))
    await (_analysis_begins(analysis, document) if is_beginning_known else asyncio.sleep(0))
    started = time.perf_counter()
    analysis.abandon(document)
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert time.perf_counter() - started < 2.0
    # The thread is free for the next document.
    await asyncio.wait_for(analysis.snapshot(Document("file:///b.relay", _unlike(10))), 5)
    analysis.shut_down()


async def test_the_first_reading_of_a_text_that_is_replaced_ends() -> None:
    analysis = BackgroundAnalysis()
    document = Document("file:///a.relay", _unlike(20_000))
    waiting = asyncio.ensure_future(analysis.snapshot(document))
    await _analysis_begins(analysis, document)
    started = time.process_time()
    document.apply([Change(_unlike(10), None)], 2, Encoding.UTF_8)
    analysis.superseded(document)
    assert (await waiting).text == document.text
    assert time.process_time() - started < 2.0
    analysis.shut_down()


async def test_the_first_reading_of_a_text_that_is_edited_goes_on() -> None:
    analysis = BackgroundAnalysis()
    document = Document("file:///a.relay", _unlike(4_000))
    waiting = asyncio.ensure_future(analysis.snapshot(document))
    await _analysis_begins(analysis, document)
    _replace(document, "float32", "float64", 2)
    analysis.superseded(document)
    await waiting
    assert document.has_snapshot
    assert document.ready is None  # the edit builds on what was read
    assert (await analysis.snapshot(document)).text == document.text
    analysis.shut_down()


def test_edits_far_from_each_other_do_not_rewrite_a_text() -> None:
    document = Document("file:///a.relay", _unlike(100))
    reading = document.advance()
    assert reading is not None
    _replace(document, "float32", "float64", 2)
    last = Position(document.text.count("\n") - 1, 0)
    document.apply([Change(" ", Range(last, last))], 3, Encoding.UTF_8)
    assert not document.is_rewritten_since(reading)
    document.apply([Change("", None)], 4, Encoding.UTF_8)
    assert document.is_rewritten_since(reading)


@pytest.mark.parametrize("is_closed", [False, True])
async def test_the_beginning_of_a_text_that_is_closed_or_edited_is_not_read_on(is_closed: bool) -> None:
    analysis = BackgroundAnalysis()
    document = Document("file:///a.relay", _unlike(20_000))
    preview = asyncio.ensure_future(analysis.preview(document))
    await asyncio.sleep(0)
    if is_closed:
        analysis.abandon(document)
    else:
        _replace(document, "float32", "float64", 2)
        analysis.superseded(document)
    assert await preview is None
    other = Document("file:///b.relay", _unlike(20_000))
    await asyncio.wait_for(analysis.preview(other), 5)
    analysis.shut_down()


async def test_an_edit_cancels_an_analysis_that_the_next_cannot_build_on() -> None:
    analysis = BackgroundAnalysis()
    document = Document("file:///a.relay", _unlike(1_600))
    await analysis.snapshot(document)
    _replace(document, "float32", "float64", 2)  # all statements use the parameter
    first = asyncio.ensure_future(analysis.snapshot(document))
    await asyncio.sleep(0)  # it has begun
    analysis.superseded(document)
    _replace(document, "float64", "float16", 3)
    snapshot = await first
    assert snapshot.text == document.text
    analysis.shut_down()


async def _analysis_begins(analysis: BackgroundAnalysis, document: Document) -> None:
    """Wait until the beginning of a text is known, and the whole is being read."""
    await analysis.preview(document)
    for _ in range(5):
        await asyncio.sleep(0)


def _replace(document: Document, old: str, new: str, version: int) -> None:
    """Replace what stands on the second line."""
    at = document.text.splitlines()[1].index(old)
    span = Range(Position(1, at), Position(1, at + len(old)))
    document.apply([Change(new, span)], version, Encoding.UTF_8)
