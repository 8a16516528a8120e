"""What is published after edits: once for a burst, and what stands around an edit that reaches far before the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from benchmarks import inputs
from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.server.documents.documents import Change, Document, Documents
from relay_lsp.server.documents.positions import Position, Range
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.session.background_analysis import BackgroundAnalysis, Publisher

_URI = "file:///a.relay"
_STATEMENTS = 10_000
"""So many that it takes far longer to follow an edit of all of them than to wait for the end of a burst."""


async def test_a_request_in_a_burst_leaves_what_is_around_the_edit_to_be_published_first() -> None:
    analysis, documents = BackgroundAnalysis(), Documents()
    versions: asyncio.Queue[int] = asyncio.Queue()

    def send(document: Document, findings: Sequence[Diagnostic]) -> None:
        versions.put_nowait(document.version)

    publisher = Publisher(documents, analysis, lambda _, snapshot: diagnostics(snapshot), send)
    text = inputs.plain(_STATEMENTS)
    document = documents.open(_URI, text, 1)
    await analysis.snapshot(document)
    before = text[: text.index("float32")]
    line, column = before.count("\n"), len(before) - before.rindex("\n") - 1
    for version, dtype in enumerate(("float16", "float64"), 2):
        place = Range(Position(line, column), Position(line, column + len(dtype)))
        documents.change(_URI, [Change(dtype, place)], version)
        analysis.superseded(document)
        publisher.schedule(document)
    await analysis.snapshot(document)  # as where a client asks for the colours of what is seen
    assert [await asyncio.wait_for(versions.get(), 20) for _ in range(2)] == [3, 3]
    assert versions.empty()
    analysis.shut_down()


async def test_what_comes_late_of_a_closed_document_keeps_nothing_from_the_one_that_is_open_at_its_place() -> None:
    analysis, documents = BackgroundAnalysis(), Documents()
    published: asyncio.Queue[Document] = asyncio.Queue()
    publisher = Publisher(
        documents,
        analysis,
        lambda _, snapshot: diagnostics(snapshot),
        lambda document, _: published.put_nowait(document),
    )
    closed = documents.open(_URI, inputs.chain(5), 1)
    documents.close(_URI)
    publisher.forget(_URI)
    document = documents.open(_URI, inputs.chain(5), 2)
    publisher.schedule(document)
    publisher.schedule(closed)  # as where a pass that ran when it was saved fails
    assert await asyncio.wait_for(published.get(), 20) is document
    analysis.shut_down()
