"""Whether two texts say the same but for the names of values and the order of statements.

An edited text is made of canonical text with other names, and of old statements that say what canonical ones say. Where
their tokens agree one by one, the edited text means what the canonical one means, and need not be read back. Tokens
that differ (another spelling of an attribute, a value that has a name in one text only) prove nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from relay_lsp.ir.syntax.tokens import VALUES

from .layout import FunctionLayout, LayoutToken, StatementLayout, TextLayout

__all__ = ["is_renamed"]


def is_renamed(edited: TextLayout, canonical: TextLayout) -> bool:
    """Whether each function of ``edited`` is one of ``canonical`` with its values renamed one to one, and with each
    statement in a place before its uses. Texts with metadata or with data types are not looked into."""
    if edited.metadata is not None or canonical.metadata is not None or edited.has_others or canonical.has_others:
        return False
    by_name = {function.name: function for function in canonical.functions}
    return (
        len(by_name) == len(canonical.functions) == len(edited.functions)
        and {function.name for function in edited.functions} == by_name.keys()
        and all(_Renaming(function, by_name[function.name]).holds() for function in edited.functions)
    )


class _Renaming:
    """The names of one function's canonical text, and which name each has in the edited one."""

    def __init__(self, edited: FunctionLayout, canonical: FunctionLayout) -> None:
        self._edited = edited
        self._canonical = canonical
        self._edited_name: dict[str, str] = {}
        self._canonical_name: dict[str, str] = {}

    def holds(self) -> bool:
        edited, canonical = self._edited.statements, self._canonical.statements
        if not (self._edited.is_regular and self._canonical.is_regular) or len(edited) != len(canonical):
            return False
        if not self._agree(self._edited.header, self._canonical.header):
            return False
        if any(statement.is_let for statement in (*edited, *canonical)):
            # What is bound by let happens in its order.
            return all(map(self._is_same, edited, canonical))
        return self._are_bound_in_time() and self._values_agree()

    def _values_agree(self) -> bool:
        """From the result on, what each name is bound to."""
        edited = _by_binder(self._edited.statements)
        canonical = _by_binder(self._canonical.statements)
        if edited is None or canonical is None or len(edited) != len(canonical):
            return False
        pairs = [(self._edited.statements[-1], self._canonical.statements[-1])]
        reached: set[str] = set()
        while pairs:
            statement, same = pairs.pop()
            if not self._is_same(statement, same):
                return False
            for token in same.tokens:
                if token.text not in canonical or token.text in reached:
                    continue
                used = edited.get(self._edited_name[token.text])
                if used is None:
                    return False
                reached.add(token.text)
                pairs.append((used, canonical[token.text]))
        return len(reached) == len(canonical)

    def _are_bound_in_time(self) -> bool:
        """Whether each name of the edited text is bound once, and no statement names a value that is bound below it."""
        later = {each.binder.text for each in self._edited.statements if each.binder is not None}
        for statement in self._edited.statements:
            if any(token.text in later for token in statement.tokens if token is not statement.binder):
                return False
            if statement.binder is not None:
                if statement.binder.text not in later:
                    return False
                later.remove(statement.binder.text)
        return True

    def _is_same(self, edited: StatementLayout, canonical: StatementLayout) -> bool:
        return self._agree(edited.tokens, canonical.tokens)

    def _agree(self, edited: Sequence[LayoutToken], canonical: Sequence[LayoutToken]) -> bool:
        """Whether tokens are the same; names are paired when they are first met."""
        if len(edited) != len(canonical):
            return False
        edited_name, canonical_name = self._edited_name, self._canonical_name
        for ours, theirs in zip(edited, canonical, strict=True):
            if ours[0] not in VALUES:
                if ours[1] != theirs[1]:
                    return False
            elif theirs[0] not in VALUES or (
                edited_name.setdefault(theirs[1], ours[1]) != ours[1]
                or canonical_name.setdefault(ours[1], theirs[1]) != theirs[1]
            ):
                return False
        return True


def _by_binder(statements: Sequence[StatementLayout]) -> dict[str, StatementLayout] | None:
    """The statements that bind names, by those; nothing where a name is bound twice."""
    binding = [statement for statement in statements if statement.binder is not None]
    by_name = {statement.binder.text: statement for statement in binding if statement.binder is not None}
    return by_name if len(by_name) == len(binding) else None
