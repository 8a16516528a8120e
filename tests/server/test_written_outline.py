"""An outline that is put together from remembered parts is that of the text as it is."""

from __future__ import annotations

import json
import random
from itertools import pairwise

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.server.documents.encoding import Encoding
from relay_lsp.server.features.outline import outline
from relay_lsp.server.lsp.conversion import ProtocolConverter
from relay_lsp.server.lsp.encoded_outline import written_outline
from tests.ir.semantic.editing.scripts import edited, small_blocks, texts


@pytest.mark.parametrize("seed", range(40))
def test_the_outline_of_an_edited_text_is_that_of_the_text_opened_afresh(seed: int):
    chance = random.Random(seed)
    encoding = chance.choice(list(Encoding))
    with small_blocks():
        text = chance.choice(texts())
        text = text.replace("/* ty", "/* 𝒯é ty", 3) if chance.random() < 0.5 else text
        for snapshot in edited(chance, text, 5):
            converter = ProtocolConverter("file:///example.relay", snapshot.lines, encoding)
            written = json.loads(f"[{''.join(written_outline(snapshot, converter))}]")
            assert written == converter.outline(outline(Snapshot.open(snapshot.text, "example.relay")))


TWICE = """#[version = "0.0.5"]
type Option[A] { Some(A), None_ }
def @half(%x: float32) { let %h = divide(%x, 2f); %h }
type Option[A] { Some(A), Nothing }
def @half(%y: float32) { multiply(%y, 0.5f) }
def @main() { 1 }
"""


def test_what_is_defined_twice_is_shown_with_what_stands_inside_it():
    snapshot = Snapshot.open(TWICE, "example.relay")
    converter = ProtocolConverter("file:///example.relay", snapshot.lines, Encoding.UTF_16)
    written = json.loads(f"[{''.join(written_outline(snapshot, converter))}]")
    assert [(item["name"], [child["name"] for child in item["children"]]) for item in written] == [
        ("Option", ["Some", "None_"]),
        ("@half", ["%x", "%h"]),
        ("Option", ["Some", "Nothing"]),
        ("@half", ["%y"]),
        ("@main", []),
    ]
    assert written == converter.outline(outline(snapshot))
    lines = [(item["range"]["start"]["line"], item["range"]["end"]["line"]) for item in written]
    assert all(end <= following for (_, end), (following, _) in pairwise(lines)), lines
