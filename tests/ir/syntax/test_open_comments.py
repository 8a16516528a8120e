"""Behind a comment that is never closed, the tokens of a head and a data type are those of the text opened afresh."""

from __future__ import annotations

import random

import pytest

from relay_lsp.ir.syntax.splitting import Split, split_text
from relay_lsp.ir.syntax.tokens import OPEN_COMMENT
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

_TYPED = ("/*", "*/", "/", "*", " ", "x", "%y", ",", ", %y: int32", "(", ")", "/* c */", "//", "\n", "{", '"', "meta[")
_TYPES = ("int32", "Tensor[(8, 8), float32]", "Tensor[(8, 8), float32] /* ty=Tensor[(8, 8), float32] */")


def _text(chosen: random.Random) -> str:
    count = chosen.choice((2, 5, 40, 200))
    parameters = ", ".join(f"%p{number}: {chosen.choice(_TYPES)}" for number in range(count))
    data_type = "type L[A] {\n  Cons(A, L[A]),\n  Nil,\n}\n"
    return f'#[version = "0.0.5"]\n{data_type}def @main({parameters}) -> int32 {{\n  %p0\n}}\n{data_type}'


def _edited(split: Split, start: int, end: int, text: str) -> Split:
    span = TextSpan(start, end)
    return split.edited(split.lines.edited(span, text), span, len(text))[0]


@pytest.mark.parametrize("seed", range(60))
def test_tokens_around_an_open_comment_follow_edits(seed: int):
    chosen = random.Random(seed)
    split = split_text(LineIndex(_text(chosen)))
    place = chosen.randrange(split.lines.length)
    for _ in range(14):
        place = place if chosen.random() < 0.7 else chosen.randrange(split.lines.length + 1)
        for segment in split.segments:
            _ = segment.tokens
        end = min(split.lines.length, place + chosen.choice((0, 0, 0, 1, 2, 3)))
        text = chosen.choice(_TYPED) if end == place or chosen.random() < 0.3 else ""
        split = _edited(split, place, end, text)
        place += len(text)
        afresh = split_text(LineIndex(split.lines.text))
        assert [(each.role, each.text, each.tokens) for each in split.segments] == [
            (each.role, each.text, each.tokens) for each in afresh.segments
        ]


@pytest.mark.parametrize("mark", ["/* x ", "/* x */"])
@pytest.mark.parametrize("parameter", [0, 1, 100, 199])
def test_a_comment_typed_in_the_head_of_a_network_leaves_its_other_tokens(parameter: int, mark: str):
    parameters = ", ".join(f"%p{number}: Tensor[(8, 8), float32]" for number in range(200))
    split = split_text(LineIndex(f"def @main({parameters}) {{\n  %p0\n}}\n"))
    expected = split.segments[0].tokens[1]
    at = split.lines.text.index(f"%p{parameter}:")
    for number, key in enumerate(mark):
        split = _edited(split, at + number, at + number, key)
        header = split.segments[0]
        assert (OPEN_COMMENT in header.kinds) == (number >= 1 and not mark[: number + 1].endswith("*/"))
        typed = [text for text in mark[2 : number + 1].split() if number >= 1 and OPEN_COMMENT in header.kinds]
        assert len(header.tokens[1]) == len(expected) + (len(typed) if number else 1)
