"""Text, offsets and lines. Offsets (in code points) are the one currency inside; lines appear only at the edge."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Final

from ..cancellation import check_cancelled
from .text_span import TextSpan

__all__ = ["LineIndex", "closes_each_comment", "line_end_of"]

_LINE_END: Final = re.compile(r"\r\n?|\n")
_COMMENT_MARK: Final = re.compile(r"/\*|\*/")

_BLOCK: Final = 16_384
"""How many code points of whole lines a block of text has; a longer line is a block of its own."""


class _Block:
    """Some whole lines of a text, and what is cached of them, which holds wherever they stand."""

    __slots__ = ("_comments", "_marks", "_starts", "is_ascii", "line_ends", "text")

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self.is_ascii: Final = text.isascii()
        self.line_ends: Final = text.count("\n") if "\r" not in text else len(_LINE_END.findall(text))
        self._starts: list[int] | None = None
        self._comments: tuple[int, int] | None = None
        self._marks: _CommentMarks | None = None

    @property
    def starts(self) -> list[int]:
        """Where its lines begin; after a line end at its end, one more begins there."""
        if self._starts is None:
            self._starts = [0, *_starts_after_line_ends(self.text)]
        return self._starts

    @property
    def comments(self) -> tuple[int, int]:
        """By how much it changes the number of open comments, and the lowest change on the way."""
        if self._comments is None:
            change = lowest = 0
            for mark in () if closes_each_comment(self.text) else _COMMENT_MARK.findall(self.text):
                change += 1 if mark == "/*" else -1
                lowest = min(lowest, change)
            self._comments = (change, lowest)
        return self._comments

    @property
    def marks(self) -> _CommentMarks:
        """Which marks of comments belong together."""
        if self._marks is None:
            self._marks = _CommentMarks(self.text)
        return self._marks


def line_end_of(text: str) -> str:
    """What ends most lines of a text: a carriage return and a line feed, or the line feed alone."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def closes_each_comment(text: str) -> bool:
    """Whether each mark that opens a comment is closed by the next mark, as in what TVM prints.

    The first key that opens a comment asks that of the whole text: this takes a quarter of what going over marks does.
    """
    if "/*/" in text or "*/*" in text:
        return False  # which of the two marks it is depends on what is before it
    opened = [part.count("/*") for part in text.split("*/")]
    return not opened.pop() and opened.count(1) == len(opened)


class _CommentMarks:
    """Which marks of comments in a text belong together: of each comment that opens, where it ends.

    ``ends`` has those that end in the text; ``depths`` has for the others how many are open at its end, counted from
    that one on; ``closing`` are the ends of the marks that close what was opened before the text.
    """

    __slots__ = ("closing", "depths", "ends")

    def __init__(self, text: str) -> None:
        self.ends: Final[dict[int, int]] = {}
        self.closing: Final[list[int]] = []
        opened: list[int] = []
        for mark in _COMMENT_MARK.finditer(text):
            if mark[0] == "/*":
                opened.append(mark.start())
            elif opened:
                self.ends[opened.pop()] = mark.end()
            else:
                self.closing.append(mark.end())
        self.depths: Final[dict[int, int]] = {start: len(opened) - place for place, start in enumerate(opened)}


class LineIndex:
    r"""A text and where its lines start; a line ends at ``\n``, ``\r\n`` or ``\r`` (LSP 3.17, *Text Documents*).

    Immutable. The text is kept in blocks of whole lines, which :meth:`edited` shares but for those it touches; so an
    edit costs a block, and :attr:`text` is put together on demand.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def _of(cls, blocks: Sequence[_Block]) -> LineIndex:
        index = cls.__new__(cls)
        index._blocks = blocks
        return index

    @classmethod
    def of_pieces(cls, pieces: Iterable[str]) -> LineIndex:
        r"""The index of a text in pieces, each of which but the last ends after a ``\n``."""
        blocks = tuple([_Block(piece) for piece in pieces if piece])
        return cls._of(blocks or (_Block(""),))

    @cached_property
    def text(self) -> str:
        """The whole text."""
        return "".join([block.text for block in self._blocks])

    # Cut when it is first asked for, which is not on the event loop: 10 MB take 10 ms.
    @cached_property
    def _blocks(self) -> Sequence[_Block]:
        return _blocks_of(self.text)

    @cached_property
    def _offsets(self) -> list[int]:
        return list(accumulate([len(block.text) for block in self._blocks], initial=0))

    @cached_property
    def _lines(self) -> list[int]:
        return list(accumulate([block.line_ends for block in self._blocks], initial=0))

    @property
    def length(self) -> int:
        """How many code points the text has."""
        return len(self.text) if "text" in self.__dict__ else self._offsets[-1]

    @cached_property
    def is_ascii(self) -> bool:
        """Whether every code point is one of ASCII."""
        return all(block.is_ascii for block in self._blocks)

    @property
    def line_count(self) -> int:
        """How many lines there are; an empty text has one, and so has what follows the last line end."""
        return self._lines[-1] + 1

    @cached_property
    def line_starts(self) -> Sequence[int]:
        """The offset at which each line begins."""
        starts = array("q", (0,))
        for block, offset in zip(self._blocks, self._offsets, strict=False):
            starts.extend([offset + start for start in block.starts[1:]])
        return starts

    @property
    def block_texts(self) -> Sequence[str]:
        """The text in pieces of whole lines. Those that an edit does not touch are the same objects after it."""
        return [block.text for block in self._blocks]

    def edited(self, span: TextSpan, new_text: str) -> LineIndex:
        """The index of the text in which ``new_text`` replaces ``span``."""
        blocks, offsets = self._blocks, self._offsets
        # The block before an edit at a block's start is rebuilt, too: a "\n" put after its "\r" is one line end.
        first = self._block_at(max(span.start - 1, 0))
        last = self._block_at(span.end)
        head = blocks[first].text[: span.start - offsets[first]]
        region = head + new_text + blocks[last].text[span.end - offsets[last] :]
        if len(region) < _BLOCK // 4 and last + 1 < len(blocks):
            last += 1
            region += blocks[last].text
        return LineIndex._of((*blocks[:first], *_blocks_of(region), *blocks[last + 1 :]))

    def _block_at(self, offset: int) -> int:
        return max(0, min(bisect_right(self._offsets, offset) - 1, len(self._blocks) - 1))

    def part(self, start: int, end: int) -> str:
        """The text between two offsets, as far as there is any, without putting together all of it."""
        start, end = max(start, 0), min(end, self.length)
        if "text" in self.__dict__:
            return self.text[start:end]
        if start >= end:
            return ""
        number = self._block_at(start)
        base, block = self._offsets[number], self._blocks[number].text
        if end <= base + len(block):  # what is asked for most
            return block[start - base : end - base]
        return "".join([text for _, text in self.pieces(start, end)])

    def pieces(self, start: int, end: int) -> list[tuple[int, str]]:
        """The text between two offsets in pieces, each with where it begins: what an edit does not touch is the same
        string after it, but for what is cut off at both ends."""
        start, end = max(start, 0), min(end, self.length)
        if start >= end:
            return []
        blocks, offsets = self._blocks, self._offsets
        first, last = self._block_at(start), self._block_at(end - 1)
        pieces = [(offsets[number], blocks[number].text) for number in range(first, last + 1)]
        pieces[-1] = (offsets[last], blocks[last].text[: end - offsets[last]])
        pieces[0] = (start, pieces[0][1][start - offsets[first] :])
        return pieces

    def count_comments(self) -> None:
        """Count the comments of every block before that is asked for."""
        for block in self._blocks:
            check_cancelled()
            _ = block.comments

    def comment_end(self, start: int) -> int | None:
        """Where the comment that opens at ``start`` ends, comments inside it counted; ``None`` if it never does."""
        blocks, offsets = self._blocks, self._offsets
        index = self._block_at(start)
        position = start - offsets[index]
        marks = blocks[index].marks
        if position not in marks.ends and position not in marks.depths:
            # Read from the start of the block, this mark is a part of another one, as in ``*/*``.
            position, marks = 0, _CommentMarks(blocks[index].text[position:])
            if position in marks.ends:
                return start + marks.ends[position]
        elif position in marks.ends:
            return offsets[index] + marks.ends[position]
        depth = marks.depths[position]
        for following in range(index + 1, len(blocks)):
            block = blocks[following]
            if depth + block.comments[1] <= 0:
                return offsets[following] + block.marks.closing[depth - 1]
            depth += block.comments[0]
        return None

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The 0-based line and column (in code points) of ``offset``."""
        offsets, blocks = self._offsets, self._blocks
        if not 0 <= offset < offsets[-1]:
            offset = max(0, min(offset, self.length))
        index = min(bisect_right(offsets, offset), len(blocks)) - 1
        starts = blocks[index].starts
        within = offset - offsets[index]
        line = bisect_right(starts, within) - 1
        return self._lines[index] + line, within - starts[line]

    def lines_and_columns(self, span: TextSpan) -> tuple[int, int, int, int]:
        """The 0-based line and column of the start of a span, and those of its end."""
        line, column = self.line_and_column(span.start)
        index = min(bisect_right(self._lines, line), len(self._blocks)) - 1
        starts, following = self._blocks[index].starts, line - self._lines[index] + 1
        if following < len(starts) and span.end < self._offsets[index] + starts[following]:
            return line, column, line, column + span.end - span.start  # most spans lie on one line
        return line, column, *self.line_and_column(span.end)

    def line_start(self, line: int) -> int:
        """The offset at which a 0-based line begins; that of the end for one past the last.

        Raises:
            IndexError: the line is negative.
        """
        if line < 0:
            raise IndexError(line)
        if line > self._lines[-1]:
            return self.length
        index = min(bisect_right(self._lines, line), len(self._blocks)) - 1
        return self._offsets[index] + self._blocks[index].starts[line - self._lines[index]]

    def offset(self, line: int, column: int) -> int:
        """The offset of a 0-based line and column, clamped to the text and to the end of the line."""
        if line < 0:
            return 0
        if line >= self.line_count:
            return self.length
        return self.line_start(line) + max(0, min(column, len(self.line(line))))

    def line(self, line: int) -> str:
        """The text of a 0-based line, without its line end."""
        return self.part(self.line_start(line), self.line_start(line + 1)).rstrip("\r\n")


def _blocks_of(text: str) -> tuple[_Block, ...]:
    """A text cut after line ends; there is always a block, and only the last may end otherwise."""
    if len(text) <= 2 * _BLOCK:
        return (_Block(text),)
    blocks: list[_Block] = []
    start = 0
    while len(text) - start > 2 * _BLOCK:
        end = _line_end(text, start + _BLOCK)
        if end < 0:
            break
        blocks.append(_Block(text[start:end]))
        start = end
    if start < len(text) or not blocks:
        blocks.append(_Block(text[start:]))
    return tuple(blocks)


def _line_end(text: str, start: int) -> int:
    """Where the line ends that ``start`` is in, its line end included; -1 where none does.

    It may be as long as the head of a network, through which a regular expression takes longer than all else.
    """
    end = text.find("\n", start) + 1
    carriage_return = text.find("\r", start, end or len(text)) + 1
    if not carriage_return:
        return end or -1
    return carriage_return + text.startswith("\n", carriage_return)


def _starts_after_line_ends(text: str) -> list[int]:
    """The offset after each line end of ``text``."""
    if "\r" in text:
        return [match.end() for match in _LINE_END.finditer(text)]
    return list(accumulate([len(line) + 1 for line in text.split("\n")[:-1]]))
