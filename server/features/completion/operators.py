"""Operators in the order in which they are likely to be wanted: those of the file, common ones, internal ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final, cast

from relay_lsp.ir import ops
from relay_lsp.ir.ops import Op
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan

from ..matching import has_in_order
from .items import Completion, CompletionKind
from .snippets import operator_snippet

__all__ = ["operator_completions", "operator_uses"]

_CALLED: Final = re.compile(r"[=(,;{] ?\s*([A-Za-z_][\w.]*)\(")
_COUNTS: Final = "operators called"
_INTERNAL: Final = frozenset(
    ("annotation", "call_lowered", "debug", "device_copy", "memory", "on_device", "parser", "relay", "vm")
)
"""The families of operators that passes put in and that hardly a person writes."""


def operator_completions(snapshot: Snapshot, span: TextSpan, word: str) -> Iterator[Completion]:
    """The operators that have the letters of ``word``: those that the file calls most, then by TVM's support level."""
    uses = operator_uses(snapshot)
    used = sorted((name for name in uses if ops.find(name) is not None), key=lambda name: (-uses[name], name))
    seen = set(used)
    others = (op for op in _by_kind(tuple(ops.registered())) if op.name not in seen)
    for op in chain(map(ops.get, used), others):
        if has_in_order(op.name, word):
            yield _completion(op, span)


def _completion(op: Op, span: TextSpan) -> Completion:
    detail, snippet = _words_of(op)
    return Completion(op.name, CompletionKind.OPERATOR, span, detail, op.name, snippet, f"op:{op.name}")


def operator_uses(snapshot: Snapshot) -> Counter[str]:
    """How often the text calls each name, operators among them; what did not change is not counted again."""
    uses: Counter[str] = Counter()
    parts = list(snapshot.parts())
    ends = [*(part.start for part in parts[1:]), snapshot.lines.length]
    for part, end in zip(parts, ends, strict=True):
        known = cast("Counter[str] | None", part.memo.get(_COUNTS))
        if known is None:
            known = part.memo[_COUNTS] = Counter(_CALLED.findall(snapshot.lines.part(part.start, end)))
        for name, count in known.items():
            uses[name] += count
    return uses


@lru_cache(maxsize=8)
def _by_kind(names: tuple[str, ...]) -> tuple[Op, ...]:
    """Plain operators before internal ones, those of a lower support level first, layers before arithmetic."""
    return tuple(sorted((op for op in map(ops.find, names) if op is not None), key=_commonness))


def _commonness(op: Op) -> tuple[bool, int, bool, str]:
    is_internal = "contrib" in op.name or ".internal." in op.name or op.name.partition(".")[0] in _INTERNAL
    return is_internal, op.support_level, not op.name.startswith("nn."), op.name


@lru_cache(maxsize=4096)
def _words_of(op: Op) -> tuple[str, str]:
    """The arguments of an operator, and the snippet of a call of it."""
    names = [argument.name for argument in op.arguments]
    return f"({', '.join(names)}{', …' if op.variadic else ''})", operator_snippet(op)
