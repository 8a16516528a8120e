"""Write the types that inference has found where the text leaves them out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from relay_lsp.ir.diagnostics import TextEdit
from relay_lsp.ir.semantic.snapshot import CacheRegion, Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import FuncType

from ..documentation.type_words import annotation_text
from .refactoring import Refactoring, RefactoringError, checked

__all__ = ["annotate_function", "offers"]

_LONGEST_GAP = 40
"""How far behind a name its colon is looked for."""

_ANNOTATED = frozenset((SymbolKind.PARAMETER, SymbolKind.LET))

_BINDINGS = (
    re.compile(r"let\s+%[\w.]+\s*:?"),
    re.compile(r"%[A-Za-z_][\w.]*\s*(?:/\*[^*]*\*/\s*)?=(?!=)"),
    re.compile(r"fn\b[^{;*=]*\*?"),
)
"""A ``let`` with its name; what is bound without the word; the head of a function up to its first attribute or comment.
Each begins with characters that stand for themselves, which regular expressions find fast."""

_BARE = re.compile(r"%[\w.]+(?![\w.])(?!\s*:)|/\*")
"""A name without a type; behind a comment, there may be one."""

_LACKS = "has definitions that are not annotated"


def offers(snapshot: Snapshot, span: TextSpan) -> Iterator[Refactoring]:
    """Annotate the function that the cursor is in."""
    function = snapshot.function_around(span.start)
    if function is not None and any(True for _ in _missing(snapshot, function)):
        title = f"Add missing type annotations to {function.name}"
        yield Refactoring("types.annotate", title, "refactor.rewrite", lambda: annotate_function(snapshot, function))


def annotate_function(snapshot: Snapshot, function: Symbol) -> Sequence[TextEdit]:
    """Annotations for the parameters, the ``let`` values and the result of a function.

    Raises:
        RefactoringError: none of the types is known.
    """
    edits = list(_missing(snapshot, function))
    if not edits:
        raise RefactoringError("no type that is missing is known")
    return checked(snapshot, edits)


def _missing(snapshot: Snapshot, function: Symbol) -> Iterator[TextEdit]:
    for symbol in _candidates(snapshot, function):
        if symbol.container is function and _is_bare(snapshot, symbol) and (spelled := annotation_text(symbol.type)):
            end = symbol.span.end
            yield TextEdit(TextSpan(end, end), f": {spelled}")
    place = _result_place(snapshot, function)
    if (
        place is not None
        and isinstance(function.type, FuncType)
        and (spelled := annotation_text(function.type.ret_type))
    ):
        yield TextEdit(TextSpan(place, place), f" -> {spelled}")


def _candidates(snapshot: Snapshot, function: Symbol) -> Iterator[Symbol]:
    """The definitions of a function; those of parts that have none to annotate are left out."""
    for part in snapshot.parts_in(function.full_span):
        if part.memo.get(_LACKS) is None:
            part.memo[_LACKS] = _may_lack(snapshot, part) and any(
                _is_bare(snapshot, symbol) for symbol in snapshot.symbols_of(part)
            )
        if part.memo[_LACKS]:
            yield from snapshot.symbols_of(part)


def _may_lack(snapshot: Snapshot, part: CacheRegion) -> bool:
    """Whether a part may have definitions that are not annotated, by its words.

    The first menu of 100,000 fused statements has half a second; to make symbols of all of them takes 1.8.
    """
    if not part.is_typed:  # the head of a function, or one that is read as a whole
        return True
    first, last = snapshot.segment_span(part.first), snapshot.segment_span(part.end - 1)
    text = snapshot.lines.part(first.start, last.end)
    return any(_BARE.search(binding) for form in _BINDINGS for binding in set(form.findall(text)))


def _is_bare(snapshot: Snapshot, symbol: Symbol) -> bool:
    """Whether a definition may say its type, and does not."""
    if symbol.kind not in _ANNOTATED:
        return False
    end = symbol.span.end
    return not snapshot.lines.part(end, end + _LONGEST_GAP).lstrip().startswith((":", "{"))


def _result_place(snapshot: Snapshot, function: Symbol) -> int | None:
    """Where the type of the result belongs: behind the parameters; ``None`` where it is written already."""
    depth = 0
    closed: int | None = None
    for start, word in snapshot.words(function.span.end, function.full_span.end):
        if depth == 0 and word in ("->", "-", "{"):
            return closed if word == "{" else None
        depth += word in ("(", "[", "{")
        depth -= word in (")", "]", "}")
        if depth == 0 and word == ")":
            closed = start + 1
    return None
