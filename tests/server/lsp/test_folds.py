"""Foldable ranges that are put together from cached parts are those of the text as it is."""

from __future__ import annotations

import asyncio
import random

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.documents.positions import Encoding
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.structures import FoldEntry
from relay_lsp.server.lsp.whole_text import fold_entries
from tests.ir.semantic.editing.modules import texts
from tests.ir.semantic.editing.scripts import edited, small_blocks


def folded(snapshot: Snapshot, encoding: Encoding, lines_only: bool) -> list[FoldEntry]:
    converter = ProtocolConverter("file:///example.relay", snapshot.lines, encoding)
    return asyncio.run(fold_entries(snapshot, converter, lines_only))


@pytest.mark.parametrize("seed", range(40))
def test_the_folds_of_an_edited_text_are_those_of_the_text_opened_afresh(seed: int) -> None:
    chance = random.Random(seed)
    encoding = chance.choice(list(Encoding))
    lines_only = chance.random() < 0.3
    with small_blocks():
        text = chance.choice(texts())
        text = text.replace("/* ty", "// one\n  // 𝒯wo\n  /* 𝒯é\n ty", 3) if chance.random() < 0.5 else text
        for snapshot in edited(chance, text, 5):
            afresh = Snapshot.open(snapshot.text, "example.relay")
            assert folded(snapshot, encoding, lines_only) == folded(afresh, encoding, lines_only)
