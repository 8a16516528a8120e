"""While a long text is being read, an editor gets what it shows first."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest
from lsprotocol import types

from tests.server.protocol.conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

_TYPE = "Tensor[(8), float32]"
_STATEMENTS = "".join(
    f"  %{number} = nn.relu(%{number - 1 if number else 'x'}) /* ty={_TYPE} */;\n" for number in range(12_000)
)
LONG = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) -> {_TYPE} {{\n{_STATEMENTS}  %11999\n}}\n'
SCREEN = types.Range(types.Position(0, 0), types.Position(60, 0))


async def test_faults_at_the_beginning_come_before_the_others_at_the_same_version(editor: Editor) -> None:
    editor.open(LONG.replace("nn.relu(%9)", "nn.rely(%9)").replace("nn.relu(%11000)", "nn.rely(%11000)"))
    await editor.diagnostics(lambda diagnostics: len(diagnostics) == 2)
    ours = [params for params in editor.every_publication if params.version == editor.version]
    assert [len(params.diagnostics) for params in ours] == [1, 2]
    assert ours[0].diagnostics[0] in ours[1].diagnostics


async def test_an_opening_that_is_read_in_pieces_is_read_to_its_end(editor: Editor) -> None:
    lines = "// a comment\n" * 100_000
    editor.open(f'{lines}#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n  nn.rely(%x)\n}}\n')
    (fault,) = await editor.diagnostics(lambda diagnostics: len(diagnostics) == 1)
    assert fault.range.start == types.Position(100_002, 2)


async def test_requests_about_the_first_screen_are_answered_before_all_is_read(editor: Editor) -> None:
    client, order = editor.client, list[str]()
    refreshed = asyncio.Event()

    @client.feature(types.WORKSPACE_SEMANTIC_TOKENS_REFRESH)
    def on_refresh(params: None) -> None:
        refreshed.set()

    @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
    def on_hints_refresh(params: None) -> None:
        pass

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def on_lens_refresh(params: None) -> None:
        pass

    editor.open(LONG)
    place = types.Position(10, 3)

    async def named(name: str, answer: object) -> object:
        result = await answer  # type: ignore[misc]
        order.append(name)
        return result

    everything = named(
        "symbols", client.text_document_document_symbol_async(types.DocumentSymbolParams(editor.document))
    )
    tokens, hints, hover, highlights, _ = await asyncio.gather(
        named(
            "tokens",
            client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(editor.document, SCREEN)),
        ),
        named("hints", client.text_document_inlay_hint_async(types.InlayHintParams(editor.document, SCREEN))),
        named("hover", client.text_document_hover_async(types.HoverParams(editor.document, place))),
        named(
            "highlights",
            client.text_document_document_highlight_async(types.DocumentHighlightParams(editor.document, place)),
        ),
        everything,
    )
    assert order[-1] == "symbols"
    assert isinstance(hover, types.Hover)
    assert _TYPE in str(hover.contents)
    assert isinstance(highlights, Sequence)
    assert [highlight.range.start.line for highlight in highlights] == [10, 11]
    await asyncio.wait_for(refreshed.wait(), 20)
    again = await client.text_document_semantic_tokens_range_async(
        types.SemanticTokensRangeParams(editor.document, SCREEN)
    )
    assert tokens == again
    assert hints == await client.text_document_inlay_hint_async(types.InlayHintParams(editor.document, SCREEN))


async def test_an_edit_while_a_text_is_being_read_is_not_lost(editor: Editor) -> None:
    editor.open(LONG)
    hover = types.HoverParams(editor.document, types.Position(10, 3))
    assert await editor.client.text_document_hover_async(hover) is not None
    editor.change("nn.rely", (12, 8), (12, 15))
    (diagnostic,) = await editor.diagnostics(lambda diagnostic: len(diagnostic) == 1)
    assert "nn.rely" in diagnostic.message
    editor.change("nn.relu", (12, 8), (12, 15))
    assert await editor.diagnostics(lambda diagnostics: not diagnostics) == []


PLAIN = re.sub(r" /\* ty=.*? \*/|-> Tensor\S+ float32\] ", "", LONG)


async def test_an_edit_that_reaches_far_is_shown_where_it_was_made_before_the_rest(editor: Editor) -> None:
    """Another dtype of the parameter gives every value another type, and ``add`` at the end two that disagree."""
    text = PLAIN.replace("  %11999\n", "  add(%11999, meta_free)\n").replace("meta_free", 'cast(%11999, dtype="int8")')
    editor.open(text.replace("  %5 = nn.relu(%4)", '  %5 = add(%4, cast(%4, dtype="float32"))'))
    disagree = await editor.diagnostics(lambda diagnostics: len(diagnostics) == 1)
    assert disagree[0].range.start.line == 12_002
    dtype = PLAIN.splitlines()[1].index("float32")
    editor.change("int8", (1, dtype), (1, dtype + 7))
    hover = types.HoverParams(editor.document, types.Position(10, 3))
    early, whole = await asyncio.gather(
        editor.client.text_document_hover_async(hover),
        editor.client.text_document_hover_async(types.HoverParams(editor.document, types.Position(11_900, 3))),
    )
    await editor.diagnostics(lambda diagnostics: [each.range.start.line for each in diagnostics] == [7])
    assert "float32" not in str(early and early.contents)
    assert "float32" not in str(whole and whole.contents)
    ours = [params for params in editor.every_publication if params.version == editor.version]
    assert [[each.range.start.line for each in params.diagnostics] for params in ours] == [[7], [7]]


async def test_an_edit_while_another_is_followed_takes_its_place(editor: Editor) -> None:
    editor.open(PLAIN)
    await editor.diagnostics(lambda diagnostics: not diagnostics)
    start = PLAIN.splitlines()[1].index("float32")
    written = "float32"
    for dtype in ("float3", "float", "float16", "int8"):
        editor.change(dtype, (1, start), (1, start + len(written)))
        written = dtype
        await asyncio.sleep(0.005)
    hover = types.HoverParams(editor.document, types.Position(11_900, 3))
    answer = await editor.client.text_document_hover_async(hover)
    assert "int8" in str(answer and answer.contents)
