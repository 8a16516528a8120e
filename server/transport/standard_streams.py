"""The client's end of standard input and output.

The event loop reads the input itself where it can: a message that has to be handed on by another thread comes a fifth
of a millisecond later, and a whole one or more on a busy machine. What has to be taken care of then is a client that
reads nothing as long as it writes: while an answer does not fit into the pipe, nobody would take what it writes, and
both would wait for ever. So another thread reads until the answer is gone.
"""

from __future__ import annotations

import os
import select
import threading
from typing import TYPE_CHECKING, Final

from . import turns
from .framing import Frames

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from .message_queue import Body

__all__ = ["StandardInput", "StandardOutput"]

_CHUNK: Final = 1 << 16
_PIPE: Final = 1 << 20


class StandardInput:
    """The messages of a descriptor, read from the descriptor itself.

    A thread that waits there may still do so when the process ends; on one of Python's buffered streams it would hold
    a lock that the interpreter wants then.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._frames = Frames()
        self._arrived: list[Body] = []
        self._deliver: Callable[[Sequence[Body | None]], object] = lambda bodies: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread = 0

    def first(self) -> Body | None:
        """The first message; ``None`` at the end of the stream."""
        while not self._arrived:
            chunk = self._read()
            if not chunk:
                return None
            self._arrived += self._frames.take(chunk)
        return self._arrived.pop(0)

    def start(self, deliver: Callable[[Sequence[Body | None]], object]) -> None:
        """From now on, call ``deliver`` in the event loop with what comes, the messages of a burst together.

        The last of them is ``None`` at the end of the stream.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        self._deliver = deliver
        if self._arrived:
            deliver(self._arrived)
        try:
            loop.add_reader(self._descriptor, self._read_what_is_there)
            self._loop, self._loop_thread = loop, threading.get_ident()
        except (NotImplementedError, OSError):  # a file, or another system's event loop
            threading.Thread(target=self._read_on, args=(loop,), name="relay-input", daemon=True).start()

    @property
    def is_read_by_loop(self) -> bool:
        """Whether the event loop of this thread reads it, and nobody does while it is busy."""
        return self._loop is not None and self._loop_thread == threading.get_ident()

    def _read(self) -> bytes:
        """What comes next; nothing at the end."""
        try:
            return os.read(self._descriptor, _CHUNK)
        except ConnectionError:
            return b""

    def _read_what_is_there(self) -> None:
        # What the loop has seen may have been read since, see below.
        there = select.poll()
        there.register(self._descriptor, select.POLLIN)
        turns.waiting()
        chunk = self._read() if there.poll(0) else None
        turns.at_work()
        if chunk is not None:
            self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        if chunk:
            self._deliver(self._frames.take(chunk))
        else:
            self._end()

    def _end(self) -> None:
        assert self._loop is not None
        self._loop.remove_reader(self._descriptor)
        self._loop = None
        self._deliver([None])

    def _read_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read to the end, on a thread of its own."""
        chunk = b"\0"
        while chunk:
            chunk = self._read()
            found = self._frames.take(chunk) if chunk else [None]
            try:
                loop.call_soon_threadsafe(self._deliver, found)
            except RuntimeError:  # the loop is closed: we are about to end
                return

    def read_during(self, action: Callable[[], object]) -> None:
        """Do something that holds up the event loop, while another thread reads; it is delivered at the end."""
        chunks: list[bytes] = []
        stopped, stop = os.pipe()

        def read() -> None:
            ready = select.poll()
            ready.register(self._descriptor, select.POLLIN)
            ready.register(stopped, select.POLLIN)
            while not any(descriptor == stopped for descriptor, _ in ready.poll()):
                chunks.append(self._read())
                if not chunks[-1]:
                    return

        thread = threading.Thread(target=read, name="relay-input", daemon=True)
        thread.start()
        try:
            action()
        finally:
            os.write(stop, b"\0")
            thread.join()
            os.close(stop)
            os.close(stopped)
            for chunk in chunks:
                self._take(chunk)


class StandardOutput:
    """Where answers are written, while ``source`` goes on being read."""

    def __init__(self, descriptor: int, source: StandardInput) -> None:
        self._descriptor = descriptor
        self._source = source
        self._is_closed = False
        _widen(descriptor)

    def write(self, data: bytes) -> None:
        """Write all of a message; nothing, once it is closed: that was the end.

        Raises:
            BrokenPipeError: the client does not listen any more.
        """
        left = memoryview(b"" if self._is_closed else data)
        if not self._source.is_read_by_loop:
            self._write_all(left)
            return
        turns.waiting()
        try:
            ready = select.poll()
            ready.register(self._descriptor, select.POLLOUT)
            while left and ready.poll(0):  # then so much can be written without waiting
                left = left[os.write(self._descriptor, left[: select.PIPE_BUF]) :]
            if left:
                self._source.read_during(lambda: self._write_all(left))
        finally:
            turns.at_work()

    def _write_all(self, left: memoryview) -> None:
        while left:
            left = left[os.write(self._descriptor, left) :]

    def close(self) -> None:
        """Close it; this may be done again."""
        if not self._is_closed:
            self._is_closed = True
            os.close(self._descriptor)


def _widen(descriptor: int) -> None:
    """Let a pipe take a long answer at once, where that can be wished for: else writer and reader wait in turns."""
    try:
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE)
    except (ImportError, AttributeError, OSError):  # another system, no pipe, or more than a user may have
        pass
