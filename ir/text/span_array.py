"""Where one name stands in a text, thousands of times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast, overload

from ..lazy_numpy import np
from .text_span import TextSpan

__all__ = ["SpanArray"]


class SpanArray(Sequence[TextSpan]):
    """Ranges of one length in the order of the text. No object is made for one until it is asked for.

    ``starts`` is an array of the offsets at which they begin; ``length`` is counted in code points.
    """

    __slots__ = ("length", "starts")

    def __init__(self, starts: Any, length: int) -> None:
        self.starts: Final = starts
        self.length: Final = length

    @staticmethod
    def of(parts: Iterable[tuple[int, Any]], length: int) -> SpanArray:
        """Those of parts of a text, each with its own offset and an array of offsets that count from there."""
        arrays = [starts + base for base, starts in parts]
        return SpanArray(np.concatenate(arrays) if arrays else np.empty(0, np.int64), length)

    def merged(self, others: Sequence[TextSpan]) -> Sequence[TextSpan]:
        """These and others, in the order of the text."""
        if any(span.end - span.start != self.length for span in others):
            return sorted([*self, *others])
        starts = np.array([span.start for span in others], np.int64)
        return SpanArray(np.sort(np.append(self.starts, starts)), self.length)

    def with_start(self, start: int) -> SpanArray:
        """These, and a range that begins at an offset where none of these does."""
        return SpanArray(np.insert(self.starts, np.searchsorted(self.starts, start), start), self.length)

    def without_start(self, start: int) -> SpanArray:
        """These but one that begins at an offset, if there is one."""
        return SpanArray(self.starts[self.starts != start], self.length)

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[TextSpan]:
        return map(TextSpan._make, zip(self.starts.tolist(), (self.starts + self.length).tolist(), strict=True))

    @overload
    def __getitem__(self, index: int) -> TextSpan: ...

    @overload
    def __getitem__(self, index: slice) -> SpanArray: ...

    def __getitem__(self, index: int | slice) -> TextSpan | SpanArray:
        if isinstance(index, slice):
            return SpanArray(self.starts[index], self.length)
        start = int(self.starts[index])
        return TextSpan(start, start + self.length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(cast("Sequence[object]", other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]
