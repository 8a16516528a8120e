"""Where an expression comes from: TVM's ``SourceName``, ``Span`` and ``SequentialSpan``.

These are the positions that Relay text carries and prints (``/* span=model.relay:4:16 */``): 1-based lines
and columns in a named source. The place of a node in the buffer that an editor shows is a :class:`TextSpan`
of offsets (see :mod:`.source`), and never mixes with these.

Source of the rule: ``include/tvm/ir/source_map.h``, ``src/ir/source_map.cc``.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class SourceName(msgspec.Struct, frozen=True):
    """The name of a fragment of source, such as a file or a framework layer."""

    name: str

    def __str__(self) -> str:
        return self.name


class Span(msgspec.Struct, frozen=True):
    """A range in a named source; lines and columns are 1-based, as TVM prints them."""

    source_name: SourceName
    line: int = 0
    end_line: int = 0
    column: int = 0
    end_column: int = 0

    def merge(self, other: Span) -> Span:
        """The smallest span that covers both.

        Raises:
            ValueError: the two lie in different sources.
        """
        if self.source_name != other.source_name:
            raise ValueError(f"cannot merge spans of {self.source_name} and {other.source_name}")
        return Span(
            self.source_name,
            min(self.line, other.line),
            max(self.end_line, other.end_line),
            min(self.column, other.column),
            max(self.end_column, other.end_column),
        )

    def __str__(self) -> str:
        return f"{self.source_name}:{self.line}:{self.column}"


class SequentialSpan(msgspec.Struct, frozen=True):
    """Several spans in order: the origin of an expression that was made from several others."""

    spans: tuple[Span, ...]

    @staticmethod
    def of(parts: Iterable[Span | SequentialSpan | None]) -> Span | SequentialSpan | None:
        """Flatten and de-duplicate ``parts``, keeping the order; one span stands for itself, none for ``None``."""
        flat: dict[Span, None] = {}
        for part in parts:
            if isinstance(part, SequentialSpan):
                flat.update(dict.fromkeys(part.spans))
            elif part is not None:
                flat[part] = None
        spans = tuple(flat)
        if len(spans) > 1:
            return SequentialSpan(spans)
        return spans[0] if spans else None

    def __str__(self) -> str:
        return ", ".join(map(str, self.spans))


AnySpan = Span | SequentialSpan
