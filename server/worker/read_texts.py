"""The texts that the worker has read last, and where the expressions of a module stand in them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from relay_lsp.ir.diagnostics import Diagnostic, Related
from relay_lsp.ir.text.text_span import TextSpan

if TYPE_CHECKING:
    from relay_lsp.ir.expressions import Expr
    from relay_lsp.ir.module import IRModule
    from relay_lsp.ir.semantic.snapshot import Snapshot
    from relay_lsp.ir.syntax import Parsed

    from .pass_changes import Places

__all__ = [
    "FIRST_WORD",
    "forget_snapshots",
    "need_spans",
    "open_snapshot",
    "places_in",
    "places_of",
    "without_expressions",
]

FIRST_WORD = TextSpan(0, 1)
"""Where stands what has no place of its own."""


def open_snapshot(text: str, name: str, *, with_spans: bool = True) -> Snapshot:
    """The snapshot of a text; the last few are kept. ``with_spans``: whether its expressions have spans."""
    return _opened(text, name, with_spans)


def forget_snapshots() -> None:
    """Keep no snapshot any longer: they were read with other operators than there are now."""
    _opened.cache_clear()


@lru_cache(maxsize=4)
def _opened(text: str, name: str, with_spans: bool) -> Snapshot:
    from relay_lsp.ir.semantic.snapshot import Snapshot

    return Snapshot.open(text, name, with_spans=with_spans)


def need_spans(text: str, pass_names: Iterable[str]) -> bool:
    """Whether the expressions of a text have to have spans for these passes.

    Of ours, most hand spans on and never look at them: what they make of a text has the spans that stand in comments.
    A pass of a user's may look at them.
    """
    from relay_lsp.passes import find
    from relay_lsp.passes.infrastructure.extensions import extension_of_pass

    if "span=" in text:
        return True
    for name in pass_names:
        kind = find(name)
        if kind is None or kind.gives_spans or kind.shows_spans or extension_of_pass(name) is not None:
            return True
    return False


def places_of(parsed: Parsed) -> Places:
    """Where the expressions of a text stand in it."""
    from relay_lsp.ir.diagnostics import Place

    return lambda expr: parsed.locate(Place(expr))


def places_in(text: str, name: str, module: IRModule) -> Places:
    """Where the expressions of ``module`` stand in ``text``, which says the same: the two are walked side by side.

    A text may share what the module does not: equal constants may be one entry of its metadata section.
    """
    from relay_lsp.ir.visitor import children

    parsed = open_snapshot(text, name, with_spans=False).parsed
    places = places_of(parsed)
    theirs = {var.name_hint: function for var, function in parsed.module.functions.items()}
    pairs: list[tuple[Expr, Expr | None]] = [
        (function, theirs.get(var.name_hint)) for var, function in module.functions.items()
    ]
    same: dict[Expr, Expr] = {}
    while pairs:
        our, their = pairs.pop()
        if our in same:
            continue
        if their is None or type(our) is not type(their):
            return lambda expr: None
        same[our] = their
        parts, their_parts = children(our), children(their)
        if len(parts) != len(their_parts):
            return lambda expr: None
        pairs.extend(zip(parts, their_parts, strict=True))
    return lambda expr: places(same[expr]) if expr in same else None


def without_expressions(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic without expressions, which stay on this side."""
    related = tuple(Related(item.message, item.span) for item in diagnostic.related)
    return replace(diagnostic, place=None, related=related)
