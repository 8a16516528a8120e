r"""Reading a very long message in slices, so that nobody waits for it.

What is long in a message is a text: that of a document that is opened or replaced. To read 13 MB of JSON at once takes
a tenth of a second, and so do the copies of the text and its table of lines. So the string is read 64 kB at a time
(RFC 8259, *Strings*), never cut inside an escape or between the two escapes of one character, and becomes the lines of
a document without ever being in one piece. The rest of the message is read as any other.

A message that is long for another reason, or that cannot be read so (it is no JSON, or not in UTF-8), is read at once;
so it means, or lacks, what it would if it were short. So does a single line of such a length.
"""

from __future__ import annotations

import codecs
import json
import re
import uuid
from collections.abc import Container, Generator, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from relay_lsp.ir.text.line_index import LineIndex

__all__ = ["DID_CHANGE", "DID_OPEN", "LONG_MESSAGE", "LongTexts", "Slices", "reading"]

Result = TypeVar("Result")
Slices = Generator[None, None, Result]
"""Work that can be left and taken up again after each slice of it."""

LONG_MESSAGE: Final = 1 << 18
"""From so many bytes on, a message is read in slices."""

_PIECE: Final = 1 << 16
"""How many bytes are read in one go; so it takes well below a millisecond."""

_MOST_SHORT_STRINGS: Final = 1000
"""A message with more strings than this before a long one is not long because of a text."""

_CUT: Final = re.compile(r"[^\\]{6}(?=[^\\])|(?<!\\)(?<!\\u[dD][89abAB]..)(?=\\)")
"""Ends where a string can be cut: where no escape has begun for as long as the longest takes, or before one that is not
the second half of a pair (RFC 8259, *Strings*)."""

_CUT_WITHIN: Final = 256
"""Among the last so many characters of what has arrived there is such a place, but in strings made to have none."""

DID_OPEN: Final = "textDocument/didOpen"
DID_CHANGE: Final = "textDocument/didChange"

_scan: Final = json.JSONDecoder().raw_decode


class LongTexts:
    """Texts that have arrived in slices, each under a name that stands in its message instead of it."""

    def __init__(self) -> None:
        self._lines: dict[str, LineIndex] = {}

    def keep(self, name: str, lines: LineIndex) -> None:
        """Keep a text until its message is handled."""
        self._lines[name] = lines

    def lines_of(self, text: str) -> LineIndex:
        """The lines of a text of a message, or of the one that it is the name of; that can be had once."""
        return self._lines.pop(text, None) or LineIndex(text)

    def clear(self) -> None:
        """Drop what the message, being handled, had no use for."""
        self._lines.clear()


def reading(pieces: Sequence[bytes], texts: LongTexts) -> Slices[Any]:
    """Read a message that has arrived in pieces. Long texts of documents are kept in ``texts``.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return (yield from _reading(pieces, texts))
    except ValueError:
        texts.clear()
        return json.loads(b"".join(pieces))


def _reading(body: Sequence[bytes], texts: LongTexts) -> Slices[Any]:
    skeleton = _Skeleton()
    decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
    for piece in _small(body):
        skeleton.feed(decoder.decode(piece))
        yield
    message, strings = skeleton.finish(decoder.decode(b"", True))
    for holder, key in _places(message, strings):
        string = strings.pop(holder[key])
        if _is_text_of_document(message, holder, key):
            texts.keep(holder[key], (yield from _lines_of(string)))
        else:
            holder[key] = "".join(string)
            yield
    if strings:
        raise ValueError("a long string that is no value")
    return message


def _small(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, none of the pieces too long."""
    for piece in pieces:
        for at in range(0, len(piece), _PIECE):
            yield piece[at : at + _PIECE]


class _Skeleton:
    """A message as it arrives, with a name in the place of each long string."""

    def __init__(self) -> None:
        self._written: list[str] = []
        self._strings: dict[str, list[str]] = {}
        self._string: list[str] | None = None
        """The pieces of the string that is being read."""
        self._rest = ""
        """What has arrived and is not read yet."""
        self._short = 0

    def feed(self, arrived: str, at_end: bool = False) -> None:
        """Read on.

        Raises:
            ValueError: it is no JSON, or better read at once.
        """
        self._rest += arrived
        while self._rest and (self._read_between() if self._string is None else self._read_string(at_end)):
            pass

    def finish(self, arrived: str) -> tuple[Any, dict[str, list[str]]]:
        """The message, and the pieces of its long strings by the names that it has for them.

        Raises:
            ValueError: it is no JSON.
        """
        self.feed(arrived, at_end=True)
        if self._string is not None:
            raise ValueError("a string without an end")
        return json.loads("".join(self._written)), self._strings

    def _read_between(self) -> bool:
        """Read up to the first string that does not end in what has arrived; tells whether there is one."""
        rest, at = self._rest, 0
        while (quote := rest.find('"', at)) >= 0:
            try:
                at = _scan(rest, quote)[1]
            except ValueError:
                break
            self._short += 1
            if self._short > _MOST_SHORT_STRINGS:
                raise ValueError("a message that is not long because of a text")
        self._written.append(rest if quote < 0 else rest[:quote])
        self._rest = "" if quote < 0 else rest[quote + 1 :]
        self._string = None if quote < 0 else []
        return quote >= 0

    def _read_string(self, at_end: bool) -> bool:
        """Read as much of the string as can be; tells whether it has ended."""
        rest, string = self._rest, self._string
        assert string is not None
        found = _CUT.search(rest, max(len(rest) - _CUT_WITHIN, 0))
        cut = len(rest) if at_end else found.end() if found is not None else 0
        if not cut:
            return False
        text, end = _scan(f'"{rest[:cut]}"')
        string.append(text)
        has_ended = end < cut + 2  # at a quote of its own, not at ours
        self._rest = rest[end - 1 :] if has_ended else rest[cut:]
        if has_ended:
            self._string = None
            # Not in ASCII: two escapes beside each other would be read as one character.
            self._written.append(json.dumps(self._named(string), ensure_ascii=False))
        return has_ended

    def _named(self, string: list[str]) -> str:
        """The name for a string; the string itself where it is short, and only happened to lie across two pieces."""
        if sum(map(len, string)) < _PIECE:
            return "".join(string)
        name = f"relay-lsp:{uuid.uuid4().hex}"
        self._strings[name] = string
        return name


def _places(message: Any, names: Container[str]) -> Iterator[tuple[Any, Any]]:
    """The objects and lists that have one of these names as a value, with its key or index."""
    stack: list[Any] = [message]
    while stack:
        holder = stack.pop()
        for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, dict | list):
                stack.append(value)
            elif isinstance(value, str) and value in names:
                yield holder, key


def _is_text_of_document(message: Any, holder: Any, key: Any) -> bool:
    """Whether a value is all the text that a document is to have (LSP 3.17, *Text Document Synchronization*)."""
    params = message.get("params") if isinstance(message, dict) else None
    if key != "text" or not isinstance(params, dict):
        return False
    if message.get("method") == DID_OPEN:
        return holder is params.get("textDocument")
    changes = params.get("contentChanges") if message.get("method") == DID_CHANGE else None
    return isinstance(changes, list) and "range" not in holder and any(holder is change for change in changes)


def _lines_of(pieces: Sequence[str]) -> Slices[LineIndex]:
    """The lines of a text that is there in pieces."""
    parts: list[LineIndex] = []
    begun: list[str] = []
    for piece in pieces:
        end = piece.rfind("\n") + 1
        if end:
            parts.append(LineIndex("".join([*begun, piece[:end]])))
            begun = []
        begun.append(piece[end:])
        yield
    parts.append(LineIndex("".join(begun)))
    return LineIndex.joined(parts)
