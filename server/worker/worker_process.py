"""The process that runs passes: reads jobs from its standard input, one at a time, and writes what became of them.

Started by :mod:`.worker`. A frame is a length (four bytes, big-endian) and a pickle. What a job prints goes to standard
error, so that it cannot disturb the frames.
"""

from __future__ import annotations

import _thread
import contextlib
import enum
import io
import os
import pickle
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from types import FrameType
from typing import Any, BinaryIO, Final, Protocol, TypeVar, cast

import msgspec

from relay_lsp.ir.cancellation import Cancellation, WorkCancelled

from .parent import end_with_parent

__all__ = [
    "Cancel",
    "Done",
    "Job",
    "Progress",
    "Reported",
    "Run",
    "TaskFailed",
    "read_data",
    "read_frame",
    "write_frame",
]

_LENGTH = 4
_NICENESS = 10
_SECONDS_BETWEEN_INTERRUPTS = 0.01
_OURS = f"{__name__.partition('.')[0]}."
_OURS_OF_DATA = f"{_OURS}ir."
"""Its classes are those of types, dimensions, attributes and findings; none of them does anything to the system."""
_READING = (f"{_OURS}ir.semantic.", f"{_OURS}ir.syntax.")
"""The packages of what reads and analyzes a text."""


Result_co = TypeVar("Result_co", covariant=True)


class Job(Protocol[Result_co]):
    """Something that a worker can do: picklable, needs nothing but itself."""

    def run(self, progress: Progress) -> Result_co:
        """Do it. ``progress`` may be called at any time with what is being done, in a few words."""
        ...


Progress = Callable[[str], None]


class Run(msgspec.Struct, frozen=True):
    """To the worker: do this."""

    id: int
    job: Job[object]


class Cancel(msgspec.Struct, frozen=True):
    """To the worker: stop doing this."""

    id: int


class Reported(msgspec.Struct, frozen=True):
    """From the worker: what it is doing."""

    id: int
    message: str


class Done(msgspec.Struct, frozen=True):
    """From the worker: the result."""

    id: int
    result: Any


class TaskFailed(msgspec.Struct, frozen=True):
    """From the worker: the job raised, or was cancelled."""

    id: int
    message: str
    details: str = ""
    cancelled: bool = False


_PLAIN: Final = frozenset(
    (
        *(
            ("builtins", name)
            for name in ("Ellipsis", "bool", "bytes", "dict", "float", "int", "list", "object", "str")
        ),
        *(("builtins", name) for name in ("bytearray", "complex", "frozenset", "range", "set", "slice", "tuple")),
        *(("collections", name) for name in ("OrderedDict", "defaultdict", "deque")),
        *(("array", name) for name in ("array", "_array_reconstructor")),
        # The types of attributes, such as ``int | None`` or ``Literal["NCHW"]``.
        *(("typing", name) for name in ("Any", "Literal", "Optional", "Union")),
        *(("types", name) for name in ("GenericAlias", "NoneType", "UnionType")),
        *(("collections.abc", name) for name in ("Mapping", "Sequence")),
        *((module, name) for module in ("operator", "_operator") for name in ("getitem", "or_")),
        *((module, "reduce") for module in ("functools", "_functools")),
        (f"{_OURS_OF_DATA}ops.operator", "get"),  # an operator, by its name
        (f"{_OURS_OF_DATA}attributes", "_rebuild"),
        (f"{_OURS_OF_DATA}dimensions", "ANY"),
        *(("pathlib", name) for name in ("Path", "PosixPath", "PurePosixPath", "PureWindowsPath", "WindowsPath")),
    )
)


_NONE_TYPE: Final[dict[None, type[None]]] = {None: type(None)}


class _DataUnpickler(pickle.Unpickler):
    """Reads data alone: of what the worker writes, which may run the code of users, nothing is called.

    The values are plain ones and those of our own data classes, enumerations and named tuples.
    """

    def find_class(self, module: str, name: str) -> Any:
        """The class of a value.

        Raises:
            pickle.UnpicklingError: it is something else than data.
        """
        if (module, name) == ("builtins", "type"):  # the type of ``None`` is written so
            return _NONE_TYPE.get
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        if module.startswith(_OURS) and "." not in name:
            kind = super().find_class(module, name)
            if isinstance(kind, type) and (
                module.startswith(_OURS_OF_DATA)
                or is_dataclass(cast("object", kind))
                or issubclass(kind, msgspec.Struct)
                or issubclass(kind, (enum.Enum, tuple))
            ):
                return cast("Any", kind)
        raise pickle.UnpicklingError(f"{module}.{name} is no data")


def read_data(body: bytes) -> Any:
    """The message of a worker, whose code is not to be trusted.

    Raises:
        pickle.UnpicklingError: it is something else than data.
    """
    return _DataUnpickler(io.BytesIO(body)).load()


def read_frame(stream: BinaryIO) -> Any:
    """The next message of a stream.

    Raises:
        EOFError: the other side is gone.
    """
    header = stream.read(_LENGTH)
    if len(header) < _LENGTH:
        raise EOFError
    length = int.from_bytes(header, "big")
    body = stream.read(length)
    if len(body) < length:
        raise EOFError
    return pickle.loads(body)


def write_frame(message: object) -> bytes:
    """The bytes of a message."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(body).to_bytes(_LENGTH, "big") + body


class _Worker:
    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._write_lock = threading.Lock()
        self._jobs: queue.SimpleQueue[Run] = queue.SimpleQueue()
        self._current: int | None = None
        self._cancelled: set[int] = set()
        self._cancellation = Cancellation()
        self._process_id = os.getpid()

    def serve(self) -> None:
        signal.signal(signal.SIGINT, self._on_interrupt)
        if hasattr(os, "register_at_fork"):  # not on Windows
            os.register_at_fork(after_in_child=self._let_go)
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            message = self._jobs.get()
            outcome = self._run(message)
            if os.getpid() != self._process_id:
                os._exit(0)  # a copy that a job has made has come to the end of the job
            self._send(outcome)

    def _let_go(self) -> None:
        """In a copy of this process that a job has made: leave the streams to the original, whose end they tell."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (self._stdin, self._stdout):
            os.dup2(nowhere, stream.fileno())
        os.close(nowhere)

    def _listen(self) -> None:
        """Take messages while a job runs. The end of the input is the end of the process, whatever it is doing."""
        try:
            while True:
                message = read_frame(self._stdin)
                if isinstance(message, Cancel):
                    self._cancelled.add(message.id)
                    threading.Thread(target=self._interrupt, args=(message.id,), daemon=True).start()
                else:
                    self._jobs.put(message)
        finally:
            os._exit(0)

    def _interrupt(self, job: int) -> None:
        """Interrupt a job until it heeds that."""
        while self._current == job and job in self._cancelled:
            _thread.interrupt_main()
            time.sleep(_SECONDS_BETWEEN_INTERRUPTS)

    def _on_interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise in the job that runs, if it is the one to stop. Ctrl-C in a terminal reaches us too, and is ignored."""
        if self._current is not None and self._current in self._cancelled:
            self._cancellation.cancel()
            if _is_reading(frame):
                # What is read by half would stay so with the parts of the text that later readings share: the next job
                # would find variables undefined. The reading ends at its next step.
                return
            if _is_importing(frame):
                # What is imported by half stays so: names are missing, operators are there already. No other job shall
                # meet that, so the process goes, and the next job has another.
                os._exit(0)
            self._cancelled.discard(self._current)
            raise WorkCancelled

    def _run(self, message: Run) -> Done | TaskFailed:
        folder, depth = _current_folder(), sys.getrecursionlimit()
        try:
            return self._outcome(message)
        except WorkCancelled:
            return TaskFailed(message.id, "cancelled", cancelled=True)
        finally:
            _restore(folder, depth)

    def _outcome(self, message: Run) -> Done | TaskFailed:
        cancellation = self._cancellation = Cancellation()
        try:
            self._current = message.id
            if message.id in self._cancelled:
                raise WorkCancelled
            result = cancellation.run(lambda: message.job.run(lambda text: self._send(Reported(message.id, text))))
            self._current = None
            return Done(message.id, result)
        except MemoryError:
            return TaskFailed(message.id, "out of memory: the limit is relay.worker.memoryLimit")
        except WorkCancelled:
            raise
        except BaseException as error:
            from relay_lsp.ir.printing import TypeTooLongError  # a worker that starts does not wait for it

            words = str(error) or type(error).__name__
            if isinstance(error, TypeTooLongError):
                return TaskFailed(message.id, words)
            return TaskFailed(message.id, words, traceback.format_exc())
        finally:
            self._cancelled.discard(message.id)
            self._current = None

    def _send(self, message: Done | TaskFailed | Reported) -> None:
        try:
            frame = write_frame(message)
        except Exception as error:
            frame = write_frame(TaskFailed(message.id, f"the result cannot be sent: {error}", traceback.format_exc()))
        with self._write_lock:
            self._stdout.write(frame)
            self._stdout.flush()


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it is there no longer
        return os.sep


def _restore(folder: str, depth: int) -> None:
    """Take back what a job may have changed of the process: the current folder, and the limit of recursion."""
    with contextlib.suppress(OSError, RecursionError):
        sys.setrecursionlimit(depth)
        os.chdir(folder)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _is_reading(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(_READING):
            return True
        frame = frame.f_back
    return False


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
    with contextlib.suppress(ValueError, OSError, OverflowError):  # more than the system can count: no limit then
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _give_way() -> None:
    """Yield to the editor: on a busy machine the server's answers do not wait for a pass."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(_NICENESS)


def main(memory_limit: int, writable: Sequence[str]) -> None:
    """Serve until the other side closes our input.

    Args:
        memory_limit: how many bytes the process may take; 0 for no limit.
        writable: the folders that files may be written in, where the system can see to that.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches us, too: we are not the one to end
    end_with_parent()  # The end of our input ends us, too, but only where some line of Python runs now and then.
    _give_way()
    frames_out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if memory_limit:
        _limit_memory(memory_limit)
    from .confinement import confine
    from .file_confinement import confine_files

    if reason := confine_files(writable):
        print(f"relay-lsp: passes are not kept from files outside the workspace: {reason}", file=sys.stderr, flush=True)
    if reason := confine():
        print(f"relay-lsp: passes are not kept from the network: {reason}", file=sys.stderr, flush=True)
    _Worker(sys.stdin.buffer, frames_out).serve()
