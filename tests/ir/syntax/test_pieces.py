"""The pieces of a text are the same, whether they are read at once or in parts, however long its lines are."""

from __future__ import annotations

import random
import time

import pytest

from relay_lsp.ir.syntax.lexer import Lexed, PieceReader, lex
from relay_lsp.ir.text.line_index import LineIndex
from tests.fuzz.mutations import mutated, seeds
from tests.hostile_texts import HOSTILE_TEXTS


def in_parts(text: str, size: int) -> Lexed:
    reader = PieceReader(LineIndex(text), 0)
    parts: list[Lexed] = []
    while reader.position < len(text):
        parts.append(reader.read(min(reader.position + size, len(text))))
    return Lexed("".join([part.kinds for part in parts]), [piece for part in parts for piece in part.pieces])


@pytest.mark.parametrize("size", [1, 7, 100, 5_000])
@pytest.mark.parametrize("is_one_line", [False, True])
def test_the_pieces_of_any_text_are_the_same_in_parts(size: int, is_one_line: bool) -> None:
    generator, texts = random.Random(size), seeds()
    for _ in range(40):
        text = mutated(generator, texts)
        if is_one_line:
            text = text.replace("\n", " ").replace("\r", " ")
        assert in_parts(text, size) == lex(text)


@pytest.mark.parametrize("size", [1, 5, 100])
def test_definitions_behind_names_and_comments_are_the_same_in_parts(size: int) -> None:
    text = "%x /* a /* b */ c */ %ydef @f() /* /* */ */ { %zdef @g /* a /* b */ */ @adef @h() def @" * 9
    assert in_parts(text, size) == lex(text)
    assert "%y" in lex(text).pieces


@pytest.mark.parametrize("name", ["comments in comments on a line", "statements on a line", "parameters"])
def test_a_long_line_is_looked_at_once(name: str) -> None:
    seconds: list[float] = []
    for count in (1_000, 8_000):
        text = HOSTILE_TEXTS[name](count)
        in_parts(text, 1_000)
        started = time.process_time()
        in_parts(text, 1_000)
        seconds.append(time.process_time() - started)
    assert seconds[1] < 30 * seconds[0] + 0.1  # eight times as long; it was 64 times as much, and more


class _Counting(LineIndex):
    """A text that counts the characters that are taken from it."""

    taken = 0

    def part(self, start: int, end: int) -> str:
        self.taken += end - start
        return super().part(start, end)


@pytest.mark.parametrize("line", [f'"{"A" * 400_000}"', '"type_key": "Map",\n' * 20_000])
def test_a_metadata_section_is_looked_at_once(line: str) -> None:
    text = f'#[version = "0.0.5"]\ndef @main() {{ 1 }}\n#[metadata]\n{{"b64ndarrays": [{line}]}}\n'
    counting = _Counting(text)
    reader = PieceReader(counting, 0)
    pieces = reader.read(len(text)).pieces
    assert pieces == lex(text).pieces
    assert pieces[-1].startswith("#[metadata]")
    assert counting.taken < 1.1 * len(text)


@pytest.mark.parametrize("before", ["/* ", "/* /* */ ", "// a\n", '"a\n', "%x "])
def test_a_metadata_section_behind_anything_is_the_same_in_parts(before: str) -> None:
    text = f'def @f() {{\n{before}#[metadata]\n{{"root": 1}}\n/* */ 1 }}\n' * 3
    assert in_parts(text, 3) == lex(text) == in_parts(text, 1_000)
