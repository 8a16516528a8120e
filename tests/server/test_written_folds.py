"""Foldable ranges that are put together from remembered parts are those of the text as it is."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.documents.encoding import Encoding
from relay_lsp.server.features.folding import folds, inline_folds
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.encoded_folds import written_folds
from tests.ir.semantic.editing.scripts import edited, small_blocks, texts


def folded_afresh(text: str, encoding: Encoding, lines_only: bool) -> list[Any]:
    snapshot = Snapshot.open(text, "example.relay")
    converter = ProtocolConverter("file:///example.relay", snapshot.lines, encoding)
    found = [*folds(snapshot), *(() if lines_only else inline_folds(snapshot))]
    return [plain for fold in found if (plain := converter.fold(fold, lines_only)) is not None]


@pytest.mark.parametrize("seed", range(40))
def test_the_folds_of_an_edited_text_are_those_of_the_text_opened_afresh(seed: int) -> None:
    chance = random.Random(seed)
    encoding = chance.choice(list(Encoding))
    lines_only = chance.random() < 0.3
    with small_blocks():
        text = chance.choice(texts())
        text = text.replace("/* ty", "// one\n  // 𝒯wo\n  /* 𝒯é\n ty", 3) if chance.random() < 0.5 else text
        for snapshot in edited(chance, text, 5):
            converter = ProtocolConverter("file:///example.relay", snapshot.lines, encoding)
            written = json.loads(f"[{''.join(written_folds(snapshot, converter, lines_only))}]")
            assert written == folded_afresh(snapshot.text, encoding, lines_only)
