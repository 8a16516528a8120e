"""What is read in slices is what is read at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.server.transport.long_messages import LongTexts, reading

URI = "file:///model.relay"
PIECE = 1 << 16
LINES = [
    "%1 = nn.relu(%0);\n",
    "\\\\\\",
    '"quoted"',
    "卷积 🎈\r\n",
    "\r",
    "\ud83d",
    "\ude00",
    "\x00\t",
    "x" * 70_000,
    "\n",
]


def opening(text: str, **others: Any) -> dict[str, Any]:
    item = {"uri": URI, "languageId": "relay", "version": 1, "text": text, **others}
    return {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}


def written(message: object, ascii_only: bool = True) -> bytes:
    return json.dumps(message, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")


def read(body: bytes, cut: int = PIECE) -> tuple[Any, LongTexts]:
    """A message that arrives in pieces of so many bytes, and its long texts."""
    texts = LongTexts()
    work = reading([body[at : at + cut] for at in range(0, len(body), cut)], texts)
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value, texts


def opened(body: bytes, cut: int = PIECE) -> LineIndex:
    """The text of the document that a message opens."""
    message, texts = read(body, cut)
    return texts.lines_of(message["params"]["textDocument"]["text"])


@given(
    st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from((1, 5, 20_000))), min_size=1, max_size=4),
    st.booleans(),
    st.sampled_from((PIECE, 40_001, 1 << 20)),
)
def test_a_text_is_that_of_the_message_wherever_it_is_cut(
    parts: list[tuple[str, int]], ascii_only: bool, cut: int
) -> None:
    text = "".join(line * min(count, 400_000 // len(line)) for line, count in parts)
    body = written(opening(text), ascii_only)
    expected = json.loads(body)["params"]["textDocument"]["text"]
    lines = opened(body, cut)
    assert ascii(lines.text) == ascii(expected)  # so that a failure can be printed
    assert lines.line_starts == LineIndex(expected).line_starts


def test_two_halves_of_a_character_that_were_not_joined_stay_two() -> None:
    body = written(opening("\\" * 60_000 + "\ud83d\ude00"), ascii_only=False)
    for cut in (PIECE, 1 << 20):
        assert ascii(opened(body, cut).text[-2:]) == r"'\ud83d\ude00'"


@pytest.mark.parametrize("character", ["🎈", "卷", "\ud83d", "\\", '"', "\n", "\x00"], ids=ascii)
def test_no_escape_and_no_character_is_cut_in_two(character: str) -> None:
    for shift in range(13):
        text = "x" * shift + character * 40_000 + "\n"
        for body in (written(opening(text)), written(opening(text), ascii_only=False)):
            assert ascii(opened(body).text) == ascii(json.loads(body)["params"]["textDocument"]["text"])


def test_what_stands_around_a_text_is_read_too_in_any_order() -> None:
    item = {"text": "x\n" * 100_000, "version": 3, "uri": URI, "languageId": "relay"}
    message, texts = read(written({"params": {"textDocument": item}, "method": "textDocument/didOpen"}))
    read_item = message["params"]["textDocument"]
    assert (read_item["version"], read_item["uri"]) == (3, URI)
    assert texts.lines_of(read_item["text"]).length == 200_000


def test_a_short_string_across_two_pieces_is_no_long_one() -> None:
    message, _ = read(written(opening("x" * 5000, languageId="relay" * 10)), cut=7)
    assert message == opening("x" * 5000, languageId="relay" * 10)


def test_each_whole_text_of_a_change_is_kept_and_any_other_long_string_is_put_back() -> None:
    long = "y\n" * 100_000
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    changes: list[Any] = [{"text": long}, {"text": long, "range": span}]
    message, texts = read(written({"method": "textDocument/didChange", "params": {"contentChanges": changes}}))
    first, second = message["params"]["contentChanges"]
    assert first["text"] != long
    assert texts.lines_of(first["text"]).text == long
    assert second["text"] == long
    command = {"method": "workspace/executeCommand", "params": {"arguments": [{"text": long}, [long]]}}
    assert read(written(command))[0] == command


@pytest.mark.parametrize(
    "body",
    [
        written(opening("x" * 200_000))[:-40],
        written(opening("x" * 200_000)) + b"}",
        written(opening("x" * 200_000)).replace(b"xxx", b"x\\q", 1),
        written(opening("x" * 200_000)).replace(b"xxx", b"x\nx", 1),
        written(opening("x" * 200_000)).replace(b"xxx", b"\\u12", 1),
        b'{"text": "' + b"x" * 200_000,
        b'{"text": "' + b"x" * 200_000 + b"\\",
        b'"' * 200_000,
    ],
    ids=["cut off", "too much", "escape", "control", "short escape", "open", "open escape", "quotes"],
)
def test_what_is_no_json_is_none_in_slices_either(body: bytes) -> None:
    with pytest.raises(json.JSONDecodeError):
        json.loads(body)
    with pytest.raises(json.JSONDecodeError):
        read(body)


def test_a_long_key_and_a_message_of_many_strings_are_read_at_once() -> None:
    for message in ({"k" * 200_000: 1}, ["word"] * 50_000, {"name": "x" * 200_000, "k" * 200_000: 2}):
        assert read(written(message))[0] == message


def test_another_encoding_is_read_as_it_would_be_if_it_were_short() -> None:
    body = json.dumps(opening("x" * 200_000)).encode("utf-16")
    assert opened(body).text == "x" * 200_000
