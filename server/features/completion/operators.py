"""Operators in the order in which they are likely to be wanted: those of the file, common ones, internal ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Final

from relay_lsp.ir import ops
from relay_lsp.ir.ops import Op
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.cached_blocks import cached_by_text
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import TensorType

from ..matching import has_in_order
from .items import Completion, CompletionKind
from .snippets import operator_snippet
from .statement import StatementPlace

__all__ = ["count_operators", "is_internal", "look_operators_up", "operator_completions"]

_CALLED: Final = re.compile(r"[=(,;{] ?\s*([A-Za-z_][\w.]*)\(")
_INTERNAL: Final = frozenset(
    ("annotation", "call_lowered", "debug", "device_copy", "memory", "on_device", "parser", "relay", "vm")
)
"""Families of operators that passes put in."""

_MOST_VALUES: Final = 20
"""Among so many of the nearest values one is looked for whose type is known."""


def operator_completions(snapshot: Snapshot, place: StatementPlace, span: TextSpan, word: str) -> Iterator[Completion]:
    """The operators that have the letters of ``word``: those that the file calls most, then by TVM's support level.

    Before those, the ones whose layout has as many axes as the nearest value: for images, two-dimensional pooling.
    """
    uses = _operator_uses(snapshot.lines)
    used = sorted((name for name in uses if ops.find(name) is not None), key=lambda name: (-uses[name], name))
    seen = set(used)
    others = (op for op in _by_kind(tuple(ops.registered()), _rank_in_reach(snapshot, place)) if op.name not in seen)
    for op in chain(map(ops.get, used), others):
        if has_in_order(op.name, word):
            yield _completion(op, span)


def look_operators_up() -> Iterator[str]:
    """Work out what the list of operators tells of each of them: the first list would take thirty times as long as the
    others. Gives their names, one by one."""
    for name in ops.registered():
        op = ops.find(name)
        if op is not None:
            _words_of(op)
            _axes_of(op)
            yield name


def _completion(op: Op, span: TextSpan) -> Completion:
    detail, snippet = _words_of(op)
    return Completion(op.name, CompletionKind.OPERATOR, span, detail, op.name, snippet, f"op:{op.name}")


def _operator_uses(lines: LineIndex) -> Counter[str]:
    """How often the text calls each name, operators among them; what did not change is not counted again."""
    uses: Counter[str] = Counter()
    for text in lines.block_texts:
        uses.update(_calls_in(text))
    return uses


def count_operators(lines: LineIndex) -> Iterator[None]:
    """Count the calls of a text ahead, block by block."""
    for text in lines.block_texts:
        _calls_in(text)
        yield


@cached_by_text
def _calls_in(text: str) -> Counter[str]:
    return Counter(_CALLED.findall(text))


def _rank_in_reach(snapshot: Snapshot, place: StatementPlace) -> int | None:
    """The number of axes of the nearest value whose type is known; ``None`` where that is no tensor."""
    nearest = islice(snapshot.typed_values_at(place.scope), _MOST_VALUES)
    type = next((type for _, type in nearest if type is not None), None)
    return len(type.shape) if isinstance(type, TensorType) else None


@lru_cache(maxsize=32)
def _by_kind(names: tuple[str, ...], rank: int | None) -> tuple[Op, ...]:
    """Plain operators before internal ones; then those for tensors of this rank, those of a lower support level, layers
    before arithmetic."""
    known = (op for op in map(ops.find, names) if op is not None)
    return tuple(sorted(known, key=lambda op: _commonness(op, rank)))


def is_internal(name: str) -> bool:
    """Whether passes put an operator in, and hardly a person writes it."""
    return "contrib" in name or ".internal." in name or name.partition(".")[0] in _INTERNAL


def _commonness(op: Op, rank: int | None) -> tuple[bool, bool, int, bool, str]:
    axes = _axes_of(op)
    is_for_others = rank is not None and axes is not None and axes != rank
    return is_internal(op.name), is_for_others, op.support_level, not op.name.startswith("nn."), op.name


def _axes_of(op: Op) -> int | None:
    """How many axes the layout of its data has where a call names none; ``None`` where the operator has no layout."""
    if op.attrs_type is None:
        return None
    fields = op.attrs_type.fields()
    for name in ("data_layout", "layout"):
        field = fields.get(name)
        layout = field.default if field is not None and not field.required else None
        if isinstance(layout, str) and layout.isalpha():
            return len(layout)
    return None


@lru_cache(maxsize=4096)
def _words_of(op: Op) -> tuple[str, str]:
    """The arguments of an operator, and the snippet of a call of it."""
    names = [argument.name for argument in op.arguments]
    return f"({', '.join(names)}{', …' if op.variadic else ''})", operator_snippet(op)
