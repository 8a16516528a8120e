"""Whether two texts say the same but for the names of values and the order of statements.

An edited text is made of canonical text with other names, and of old statements that say what canonical ones say. Where
their tokens agree one by one, the edited text means what the canonical one means, and need not be read back. Tokens
that differ (another spelling of an attribute, a value that has a name in one text only) prove nothing. And since each
token of one is a token of the other, what stands where in the canonical text tells what stands where in the edited one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Final

from relay_lsp.ir.collections.cached import cached
from relay_lsp.ir.syntax.tokens import META, VALUES
from relay_lsp.ir.text.text_span import TextSpan

from .layout import FunctionLayout, FunctionTokens, StatementTokens, TextLayout, TextTokens
from .layout_tokens import LayoutTokens, RenamedTokens

__all__ = ["Renaming", "renaming"]


_TYPE_COMMENT: Final = re.compile(r"/\* ty=.*?\*/", re.DOTALL)


def _are_unknown(edited: str, canonical: str) -> bool:
    return False


class Renaming:
    """Which token of an edited text is which one of the canonical text."""

    def __init__(self, functions: Sequence[_FunctionRenaming]) -> None:
        self._functions = functions

    @cached
    def _heads(self) -> dict[int, TextSpan]:
        """Where the names of the functions stand, by where their canonical texts start."""
        return {function.canonical.start: function.edited.name_span for function in self._functions}

    @cached
    def _rows(self) -> Sequence[tuple[LayoutTokens, LayoutTokens]]:
        """The tokens of heads and statements in both texts, in the order of the canonical one."""
        return sorted((pair for each in self._functions for pair in each.pairs), key=lambda pair: pair[1].start)

    @cached
    def _row_starts(self) -> Sequence[int]:
        return [canonical.start for _, canonical in self._rows]

    def place(self, span: TextSpan) -> TextSpan | None:
        """Where in the edited text stands what stands at ``span`` of the canonical one: of a function of the module,
        its name. Nothing where that is not a row of tokens of a statement."""
        if span.start in self._heads:
            return self._heads[span.start]
        number = bisect_right(self._row_starts, span.start) - 1
        if number < 0:
            return None
        edited, canonical = self._rows[number]
        first, last = canonical.starting_at(span.start), canonical.ending_at(span.end)
        return None if first is None or last is None else edited.span(first, last)

    def states_same_types(self, edited: str, canonical: str) -> bool:
        """Whether each statement of the edited text has the type comments that it has in the canonical text, or none.

        To read and type the edited text tells it as well, and takes a quarter of what a pass takes from text to text
        over 10,000 statements of ``let``, for which the goal is not to be slower than TVM.
        """
        its_ends = _next_starts([ours.start for ours, _ in self._rows], len(edited))
        ends = _next_starts(self._row_starts, len(canonical))
        for ours, theirs in self._rows:
            stated = _TYPE_COMMENT.findall(edited, ours.start, its_ends[ours.start])
            if stated and stated != _TYPE_COMMENT.findall(canonical, theirs.start, ends[theirs.start]):
                return False
        return True


def _next_starts(starts: Sequence[int], end: int) -> Mapping[int, int]:
    """Where what comes behind each row starts: the next row, or the end of the text."""
    in_order = sorted(starts)
    return dict(zip(in_order, [*in_order[1:], end], strict=True))


def renaming(
    edited: TextTokens,
    canonical: TextLayout,
    inferred: Container[str] = (),
    are_same: Callable[[str, str], bool] = _are_unknown,
) -> Renaming | None:
    """How ``edited`` is ``canonical`` with the values of each function renamed one to one, and with each statement in
    a place before its uses; ``None`` where it is not. Data types are not looked at: the two have the same. Nor is it
    known where functions of ``canonical`` have values in common, for a name then depends on another function.

    The functions of ``inferred``, such as ``@main``, have a result type in ``canonical`` that their bodies tell; they
    may be without one in ``edited``. ``are_same`` says whether references of the two to their metadata are to the same.
    """
    by_name = {function.name: function for function in canonical.functions}
    if not (
        len(by_name) == len(canonical.functions) == len(edited.functions)
        and {function.name for function in edited.functions} == by_name.keys()
        and not _have_values_in_common(canonical.functions)
    ):
        return None
    functions = [
        _FunctionRenaming(function, by_name[function.name], function.name in inferred, are_same)
        for function in edited.functions
    ]
    return Renaming(functions) if all(function.holds() for function in functions) else None


def _have_values_in_common(functions: Sequence[FunctionLayout]) -> bool:
    """Whether a function of a canonical text names a value that another one binds. Numbers there are unique, and what
    functions share, such as after ``LambdaLift``, is bound in the first of them alone."""
    numbers: set[str] = set()
    for function in functions if len(functions) > 1 else ():
        rows = [function.header, *(statement.tokens for statement in function.statements)]
        own = {name for row in rows for name in row.names if name[1:].isdigit()}
        if not numbers.isdisjoint(own):
            return True
        numbers |= own
    return False


class _FunctionRenaming:
    """The names of one function's canonical text, and which name each has in the edited one."""

    def __init__(
        self,
        edited: FunctionTokens,
        canonical: FunctionLayout,
        is_inferred: bool,
        are_same: Callable[[str, str], bool],
    ) -> None:
        self.pairs: list[tuple[LayoutTokens, LayoutTokens]] = []
        """Tokens of the edited text, and one by one those of the canonical one."""
        self.edited = edited
        self.canonical = canonical
        self._is_inferred = is_inferred
        self._are_same = are_same
        self._edited_name: dict[str, str] = {}
        self._canonical_name: dict[str, str] = {}

    def holds(self) -> bool:
        edited, canonical = self.edited.statements, self.canonical.statements
        if not (self.edited.is_regular and self.canonical.is_regular):
            return False
        if not self._heads_agree(self.edited.header, self.canonical.header):
            return False
        if any(statement.is_let for statement in (*edited, *canonical)):
            # What is bound by let happens in its order.
            return len(edited) == len(canonical) and all(map(self._is_same, edited, canonical))
        return self._are_bound_in_time() and self._values_agree()

    def _values_agree(self) -> bool:
        """From the result on, what each name is bound to."""
        edited = _by_binder(self.edited.statements)
        canonical = _by_binder(self.canonical.statements)
        if edited is None or canonical is None:
            return False
        result = self.edited.statements[-1].tokens
        if len(result) == 1 and len(edited) == len(canonical) + 1 and result.texts[0] in edited:
            # The edited text names its result and then says the name.
            result = edited.pop(result.texts[0]).value_tokens
        if len(edited) != len(canonical):
            return False
        pairs = [(result, self.canonical.statements[-1].tokens)]
        reached: set[str] = set()
        while pairs:
            ours, theirs = pairs.pop()
            if not self._agree(ours, theirs):
                return False
            for name in theirs.names:
                if name not in canonical or name in reached:
                    continue
                used = edited.get(self._edited_name[name])
                if used is None:
                    return False
                reached.add(name)
                pairs.append((used.tokens, canonical[name].tokens))
        return len(reached) == len(canonical)

    def _are_bound_in_time(self) -> bool:
        """Whether each name of the edited text is bound once, and no statement names a value that is bound below it.

        That none names its own value follows where the tokens agree, for none of the canonical text does.
        """
        later = {each.binder.text for each in self.edited.statements if each.binder is not None}
        for statement in self.edited.statements:
            if statement.binder is not None:
                if statement.binder.text not in later:
                    return False
                later.remove(statement.binder.text)
            if not later.isdisjoint(statement.tokens.names):
                return False
        return True

    def _heads_agree(self, edited: LayoutTokens, canonical: LayoutTokens) -> bool:
        brace = len(edited) - 1
        if self._is_inferred and canonical.texts[brace : brace + 1] == ["->"] and edited.texts[brace] == "{":
            return self._agree(edited.part(0, brace), canonical.part(0, brace))
        return self._agree(edited, canonical)

    def _is_same(self, edited: StatementTokens, canonical: StatementTokens) -> bool:
        return self._agree(edited.tokens, canonical.tokens)

    def _agree(self, edited: LayoutTokens, canonical: LayoutTokens) -> bool:
        """Whether tokens are the same; names are paired when they are first met."""
        if isinstance(edited, RenamedTokens) and edited.source is canonical:
            self.pairs.append((edited, canonical))
            new_names = edited.new_names
            is_renamed = all(self._pair(new_names.get(name, name), name) for name in canonical.names)
            return is_renamed or self._agree_within(edited, canonical)
        if len(edited) != len(canonical):
            return False
        names_differ = False
        for kind, ours, other_kind, theirs in zip(
            edited.kinds, edited.texts, canonical.kinds, canonical.texts, strict=True
        ):
            if kind == META:
                if not self._are_same(ours, theirs):
                    return False
            elif kind not in VALUES:
                if ours != theirs:
                    return False
            elif other_kind not in VALUES:
                return False
            elif not self._pair(ours, theirs):
                names_differ = True
        self.pairs.append((edited, canonical))
        return not names_differ or self._agree_within(edited, canonical)

    def _pair(self, ours: str, theirs: str) -> bool:
        """Whether each of two names stands for the other alone."""
        known, other = self._edited_name.setdefault(theirs, ours), self._canonical_name.setdefault(ours, theirs)
        return known == ours and other == theirs

    def _agree_within(self, edited: LayoutTokens, canonical: LayoutTokens) -> bool:
        """Whether names stand for one another in these tokens; those that are bound inside of them may stand for others
        elsewhere, as the parameters of two functions that are called alike in the edited text."""
        pairs = {
            (ours, theirs)
            for kind, ours, theirs in zip(edited.kinds, edited.texts, canonical.texts, strict=True)
            if kind in VALUES
        }
        if not len(pairs) == len({ours for ours, _ in pairs}) == len({theirs for _, theirs in pairs}):
            return False
        return all(theirs in self._inner_names or self._pair(ours, theirs) for ours, theirs in pairs)

    @cached
    def _inner_names(self) -> Container[str]:
        """The names of the canonical function, each of which it binds once, that are bound inside of a statement."""
        rows = [self.canonical.header, *(statement.tokens for statement in self.canonical.statements)]
        count = Counter(name for row in rows for name in row.names)
        outer = {each.binder.text for each in self.canonical.statements if each.binder is not None}
        outer.update(self.canonical.header.names)
        return {name for name, rows_with_it in count.items() if rows_with_it == 1} - outer


def _by_binder(statements: Sequence[StatementTokens]) -> dict[str, StatementTokens] | None:
    """The statements that bind names, by those; nothing where a name is bound twice."""
    binding = [statement for statement in statements if statement.binder is not None]
    by_name = {statement.binder.text: statement for statement in binding if statement.binder is not None}
    return by_name if len(by_name) == len(binding) else None
