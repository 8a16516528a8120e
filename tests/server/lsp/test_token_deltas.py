"""Tokens that are sent part by part, and as edits, are those of the text as it is."""

import random
from contextlib import nullcontext

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents.positions import Encoding, position_of, range_of
from relay_lsp.server.lsp.capabilities import TOKEN_MODIFIERS, TOKEN_TYPES
from relay_lsp.server.lsp.token_deltas import TokenBlock, TokenMemory, join, token_blocks, tokens_in_range
from tests.ir.semantic.editing.modules import texts
from tests.ir.semantic.editing.scripts import random_edit, small_blocks
from tests.whole_texts import semantic_tokens


def numbers_of(snapshot: Snapshot, encoding: Encoding) -> list[int]:
    """The numbers that the protocol wants, one token after the other."""
    numbers: list[int] = []
    last_line = last_character = 0
    for token in semantic_tokens(snapshot):
        place = range_of(snapshot.lines, token.span, encoding)
        line, character = place.start.line, place.start.character
        delta = character - last_character if line == last_line else character
        modifiers = sum(1 << TOKEN_MODIFIERS.index(name) for name in token.modifiers)
        length = place.end.character - character
        numbers += [line - last_line, delta, length, TOKEN_TYPES.index(token.type), modifiers]
        last_line, last_character = line, character
    return numbers


def blocks_of(snapshot: Snapshot, encoding: Encoding = Encoding.UTF_16) -> list[TokenBlock]:
    return list(token_blocks(snapshot, encoding))


@pytest.mark.parametrize("seed", range(60))
def test_edits_of_tokens_give_the_tokens_of_the_edited_text(seed: int):
    with small_blocks() if seed % 2 else nullcontext():
        _edit_at_random(seed)


def _edit_at_random(seed: int):
    chance = random.Random(seed)
    encoding = chance.choice(list(Encoding))
    text = chance.choice(texts()[:40])
    snapshot = Snapshot.open(text.replace("/* ty", "/* 𝒯é ty", 3) if chance.random() < 0.5 else text, "example.relay")
    memory = TokenMemory()
    blocks = blocks_of(snapshot, encoding)
    identity = memory.keep("a", blocks)
    client = list(join(blocks).numbers)
    history = [text]
    for _ in range(8):
        snapshot = snapshot.edit(*random_edit(chance, snapshot.text, history))
        history.append(snapshot.text)
        blocks = blocks_of(snapshot, encoding)
        edit = memory.edit_since("a", identity, blocks)
        assert edit is not None
        identity = memory.keep("a", blocks)
        client[edit.start : edit.start + edit.delete_count] = edit.data
        assert client == join(blocks).numbers == numbers_of(snapshot, encoding)


def test_statements_that_are_written_alike_have_their_own_tokens():
    """Their names are as long as each other, and yet each differs from all others in what an editor shows of it."""
    statements = (
        "let %aa = nn.relu(%xx); // line",
        "let %ab = nn.relu(%aa); // line",
        "let %ac =\nnn.relu(%ab); // line",
        "let %ad\n= nn.relu(%ac); // line",
        "let %ae = nn.relu(%ad); /* line */",
        "let %af = nn.relu(%ae); /* span=ab:1:2 */",
        "let %ag = nn.relu(%af); /* span=abc:1:2*/",
        "let %ah = nn.relu(%ag); /* spam=abc:1:2*/",
        "let %ai = nn.relu(%ah); /* line\n    */",
        "let %é = nn.relu(%ai); // line",
        "let %aj = nn.relu(%xx); /* 𝒯é */",
    )
    body = "\n".join(statements)
    snapshot = Snapshot.open(f"def @main(%xx: Tensor[(2), float32]) {{\n{body}\n%aj\n}}\n", "example.relay")
    for encoding in Encoding:
        assert join(blocks_of(snapshot, encoding)).numbers == numbers_of(snapshot, encoding)


def test_a_range_has_the_tokens_of_the_parts_that_it_touches():
    snapshot = Snapshot.open(texts()[0], "example.relay")
    encoding = Encoding.UTF_16
    whole = join(blocks_of(snapshot)).numbers
    start = snapshot.text.index("%5 =")
    first = snapshot.token_groups_start(start)
    begin = position_of(snapshot.lines, first, encoding)
    part = tokens_in_range(snapshot, encoding, start, start + 10, (begin.line, begin.character))
    assert part[:2] == [begin.line, begin.character]
    assert any(whole[at + 2 : at + len(part)] == part[2:] for at in range(0, len(whole), 5))


def test_nothing_is_sent_where_nothing_changed():
    snapshot = Snapshot.open(texts()[0], "example.relay")
    memory = TokenMemory()
    identity = memory.keep("a", blocks_of(snapshot))
    edit = memory.edit_since("a", identity, blocks_of(snapshot))
    assert edit is not None
    assert not edit.changes


def test_an_edit_of_one_statement_sends_the_tokens_of_one_statement():
    snapshot = Snapshot.open(texts()[0], "example.relay")
    memory = TokenMemory()
    identity = memory.keep("a", blocks_of(snapshot))
    at = snapshot.text.index("units", snapshot.text.index("%6 ="))
    edited = snapshot.edit(TextSpan(at, at), " ")
    edit = memory.edit_since("a", identity, blocks_of(edited))
    assert edit is not None
    assert len(edit.data) <= 2 * 5 * 12
