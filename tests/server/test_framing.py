"""Messages are found in a stream, whatever the chunks that it is read in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from relay_lsp.server.transport.framing import Frames


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@given(st.lists(st.binary(min_size=1, max_size=40)), st.lists(st.integers(1, 60), min_size=1))
def test_messages_are_the_same_in_any_chunks(bodies: list[bytes], sizes: list[int]) -> None:
    stream = b"".join(map(framed, bodies))
    frames = Frames()
    found: list[bytes] = []
    at = number = 0
    while at < len(stream):
        chunk = stream[at : at + sizes[number % len(sizes)]]
        found += [body if isinstance(body, bytes) else b"".join(body) for body in frames.take(chunk)]
        at, number = at + len(chunk), number + 1
    assert found == bodies


def test_what_comes_in_one_chunk_is_in_one_piece_and_a_longer_message_is_left_in_several() -> None:
    frames = Frames()
    assert frames.take(framed(b"one") + framed(b"two") + framed(b"three")[:-2]) == [b"one", b"two"]
    assert frames.take(b"ee" + framed(b"four")) == [[b"thr", b"ee"], b"four"]


def test_a_message_without_a_length_is_left_out() -> None:
    assert Frames().take(b"Content-Type: text\r\n\r\n" + framed(b"one")) == [b"one"]
