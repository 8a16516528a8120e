"""An outline that is put together from recorded parts is that of the text as it is."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.documents.positions import Encoding
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.structures import OutlineEntry
from relay_lsp.server.lsp.whole_text import outline_entries
from tests.ir.semantic.editing.modules import texts
from tests.ir.semantic.editing.scripts import edited, small_blocks


def outlined(snapshot: Snapshot, encoding: Encoding) -> list[OutlineEntry]:
    converter = ProtocolConverter("file:///example.relay", snapshot.lines, encoding)
    return asyncio.run(outline_entries(snapshot, converter))


@pytest.mark.parametrize("seed", range(40))
def test_the_outline_of_an_edited_text_is_that_of_the_text_opened_afresh(seed: int):
    chance = random.Random(seed)
    encoding = chance.choice(list(Encoding))
    with small_blocks():
        text = chance.choice(texts())
        text = text.replace("/* ty", "/* 𝒯é ty", 3) if chance.random() < 0.5 else text
        for snapshot in edited(chance, text, 5):
            assert outlined(snapshot, encoding) == outlined(Snapshot.open(snapshot.text, "example.relay"), encoding)


TWICE = """#[version = "0.0.5"]
type Option[A] { Some(A), None_ }
def @half(%x: float32) { let %h = divide(%x, 2f); %h }
type Option[A] { Some(A), Nothing }
def @half(%y: float32) { multiply(%y, 0.5f) }
def @main() { 1 }
"""


def test_what_is_defined_twice_is_shown_with_what_stands_inside_it():
    snapshot = Snapshot.open(TWICE, "example.relay")
    definitions = outlined(snapshot, Encoding.UTF_16)
    assert [(item.name, [child.name for child in item.children]) for item in definitions] == [
        ("Option", ["Some", "None_"]),
        ("@half", ["%x", "%h = divide"]),
        ("Option", ["Some", "Nothing"]),
        ("@half", ["%y"]),
        ("@main", []),
    ]
    lines = [(item.range.start.line, item.range.end.line) for item in definitions]
    assert all(end <= following for (_, end), (following, _) in pairwise(lines)), lines


def test_an_outline_of_a_head_of_thousands_leaves_the_loop_to_others_in_between():
    parameters = ", ".join(f"%p{number}: float32" for number in range(4_000))
    text = f'#[version = "0.0.5"]\ndef @main({parameters}) {{\n  %p0\n}}\n'
    snapshot = Snapshot.open(text, "model.relay")
    converter = ProtocolConverter("file:///model.relay", snapshot.lines, Encoding.UTF_16)

    async def turns_of_others() -> int:
        outline = asyncio.create_task(outline_entries(snapshot, converter))
        turns = 0
        while not outline.done():
            turns += 1
            await asyncio.sleep(0)
        assert len(outline.result()[0].children) == 4_000
        return turns

    assert asyncio.run(turns_of_others()) > 5
