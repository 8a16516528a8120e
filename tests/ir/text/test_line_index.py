"""A text in blocks answers as the text itself does."""

import random
import re
from unittest import mock

import pytest

from relay_lsp.ir.text import line_index as source
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan

_PARTS = ["a", "/*", "*/", "\n", "\r", "\r\n", "bcd efg", "𝒯\n"]


def comment_end(text: str, start: int) -> int | None:
    """Where a comment ends, found mark by mark."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return start + mark.end()
    return None


@pytest.mark.parametrize("seed", range(150))
def test_lines_and_parts_after_edits(seed: int):
    chance = random.Random(seed)

    def some(count: int) -> str:
        return "".join(chance.choice(_PARTS) for _ in range(count))

    with mock.patch.object(source, "_BLOCK", 20):
        text = some(60)
        lines = LineIndex(text)
        for _ in range(8):
            start = chance.randint(0, len(text))
            end = min(len(text), start + chance.choice([0, 3, 30]))
            new = some(chance.choice([0, 1, 20]))
            text = text[:start] + new + text[end:]
            lines = lines.edited(TextSpan(start, end), new)
            starts = [0, *(mark.end() for mark in re.finditer(r"\r\n?|\n", text))]
            assert list(lines.line_starts) == starts
            assert lines.line_count == len(starts)
            assert [lines.line_start(line) for line in range(len(starts) + 1)] == [*starts, len(text)]
            for offset in range(0, len(text) + 1, 7):
                line = max(number for number, start in enumerate(starts) if start <= offset)
                assert lines.line_and_column(offset) == (line, offset - starts[line])
                assert lines.part(offset, offset + 25) == text[offset : offset + 25]
                pieces = lines.pieces(offset, offset + 2_500)
                assert "".join(piece for _, piece in pieces) == text[offset : offset + 2_500]
                assert all(text.startswith(piece, start) for start, piece in pieces)
            opened = text.find("/*")
            if opened >= 0:
                assert lines.comment_end(opened) == comment_end(text, opened)
            assert lines.text == text
