"""What must be the same after an edit as if the text had just been opened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.ir.semantic.lints.stale_type_comments import stale_type_comments
from relay_lsp.ir.semantic.lints.unreachable import unreachable
from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.syntax import splitting
from relay_lsp.ir.syntax.scopes import SymbolKind
from relay_lsp.ir.syntax.statements import Segment
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics
from relay_lsp.server.session.edited_part import EditedPart
from tests.whole_texts import semantic_tokens

__all__ = [
    "Inequality",
    "cuts_of",
    "described",
    "difference",
    "early_difference",
    "only_in_one",
    "symbols_of",
    "tokens_of",
]


class Inequality(AssertionError):
    """A snapshot differs from one of the text opened afresh."""


def described(diagnostics: Sequence[Diagnostic]) -> list[object]:
    """Everything that diagnostics say."""
    return [
        (
            diagnostic.code,
            diagnostic.message,
            diagnostic.span,
            diagnostic.fixes,
            [(other.message, other.span) for other in diagnostic.related],
        )
        for diagnostic in diagnostics
    ]


def tokens_of(snapshot: Snapshot) -> list[object]:
    """Every token with what it means."""
    return [(token.kind, token.span, token.text, token.role, token.declaration) for token in snapshot.tokens()]


def symbols_of(snapshot: Snapshot) -> list[object]:
    """Every definition with its type and uses, and the range of the one that it stands in."""
    return [
        (
            *(symbol.kind, symbol.name, symbol.span, symbol.full_span, list(symbol.uses), repr(symbol.type)),
            symbol.container and symbol.container.full_span,
        )
        for symbol in snapshot.symbols
    ]


def cuts_of(segments: Iterable[Segment]) -> list[object]:
    """Where segments end, and what is known of each: statements that are known by their form are no others."""
    return [(each.role, each.kinds, each.pieces, each.in_body, each.is_far_sighted, each.is_short) for each in segments]


def only_in_one(edited: Sequence[object], afresh: Sequence[object]) -> list[str]:
    """What either of them has and the other has not, a line each."""
    lines = [f"  edited: {one}" for one in edited if one not in afresh]
    return lines + [f"  afresh: {one}" for one in afresh if one not in edited]


def difference(edited: Snapshot, afresh: Snapshot, offset: int, *, whole: bool) -> str | None:
    """In what a snapshot differs from one of its text opened afresh: in its faults, or with ``whole`` in anything."""
    pairs: list[tuple[str, object, object]] = [
        ("diagnostics", described(edited.diagnostics), described(afresh.diagnostics)),
        ("type comments", described(stale_type_comments(edited)), described(stale_type_comments(afresh))),
        ("unreachable code", described(unreachable(edited)), described(unreachable(afresh))),
    ]
    if whole:
        pairs += [
            ("segments", cuts_of(splitting.split_text(edited.lines).segments), cuts_of(splitting.split(edited.text))),
            ("tokens", tokens_of(edited), tokens_of(afresh)),
            ("symbols", symbols_of(edited), symbols_of(afresh)),
            (f"type at {offset}", repr(edited.type_at(offset)), repr(afresh.type_at(offset))),
            (
                f"scope at {offset}",
                [symbol.name for symbol in edited.scope_at(offset)],
                [symbol.name for symbol in afresh.scope_at(offset)],
            ),
        ]
    for what, ours, theirs in pairs:
        if ours == theirs:
            continue
        if isinstance(ours, list) and isinstance(theirs, list):
            return "\n".join([what, *only_in_one(ours, theirs)])
        return f"{what}\n  edited: {ours}\n  afresh: {theirs}"
    return None


def early_difference(part: PartialSnapshot, settled: Snapshot) -> str | None:
    """In what was told before a far-reaching edit was settled, and is not so: faults, types and tokens."""
    early = EditedPart(settled.lines, part)
    known, all_known = described(early.sure(diagnostics(part.snapshot))), described(diagnostics(settled))
    wrong = [one for one in known if one not in all_known]
    if wrong:
        return "\n".join([f"not sure outside {part.unsettled}", *only_in_one(wrong, [])])
    unsettled = part.unsettled
    starts = [0, *(span.end for span in unsettled)]
    for first, end in zip(starts, [*(span.start for span in unsettled), settled.lines.length], strict=True):
        here = TextSpan(first, end)
        ours, theirs = (
            [symbol for symbol in one.symbols_in(here) if first <= symbol.span.start < end]
            for one in (part.snapshot, settled)
        )
        for symbol, other in zip(ours, theirs, strict=True):
            is_open = symbol.kind is SymbolKind.FUNCTION and symbol.type is None  # its value is not settled
            if not is_open and (symbol.name, repr(symbol.type)) != (other.name, repr(other.type)):
                return f"type of {symbol.name} outside {unsettled}: {symbol.type}, and it is {other.type}"
        tokens = [list(semantic_tokens(one, TextSpan(first, end))) for one in (part.snapshot, settled)]
        if tokens[0] != tokens[1]:
            return "\n".join([f"tokens outside {unsettled}", *only_in_one(*tokens)])
    return None
