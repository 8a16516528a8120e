"""The edits of one function, statement by statement."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from relay_lsp.ir.diagnostics import Place, TextEdit
from relay_lsp.ir.expressions import Constant, Constructor, Expr, Function, GlobalVar, Let, Var
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.syntax.parsing import Parsed
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.visitor import children, post_order

from .edited_layout import EditedFunction, EditedRow, NewRow, OldRow
from .layout import FunctionLayout, StatementLayout
from .layout_tokens import LayoutTokens
from .metadata_indices import MetadataIndices
from .pairing import Origins, Pairing, is_mostly_new, same_head, same_header

__all__ = ["Printed", "Unsuitable", "edit_function"]


@dataclass(frozen=True, eq=False)
class Printed:
    """The new module's canonical text, and where each expression stands in it."""

    text: str
    positions: Mapping[Expr, TextSpan]


class Unsuitable(Exception):
    """A function that cannot be edited statement by statement."""


@dataclass(eq=False)
class _New:
    """A statement of the new function. ``old`` is the number of the one that it takes the place of."""

    layout: StatementLayout
    root: Expr
    old: int | None = None
    kept: bool = False
    needs: Sequence[_New] = ()
    name: str = ""


def edit_function(
    parsed: Parsed,
    old_layout: FunctionLayout,
    old: Function,
    new_layout: FunctionLayout,
    new: Function,
    printed: Printed,
    indices: MetadataIndices,
    origins: Origins,
) -> EditedFunction:
    """The edits that turn the text of ``old`` into one of ``new``, and what they make of it.

    Raises:
        Unsuitable: a body is not a list of bindings and a value, a name in it stands for another name, or the new
            function is so much larger than the old one that next to nothing of it could stay.
    """
    if not (old_layout.is_regular and new_layout.is_regular):
        raise Unsuitable
    editor = _Editor(parsed, old_layout, old, new_layout, new, printed, indices, origins)
    return editor.edits()


class _Editor:
    def __init__(
        self,
        parsed: Parsed,
        old_layout: FunctionLayout,
        old: Function,
        new_layout: FunctionLayout,
        new: Function,
        printed: Printed,
        indices: MetadataIndices,
        origins: Origins,
    ) -> None:
        self._text = parsed.reading.text
        self._old_layout = old_layout
        self._old = old
        self._new_layout = new_layout
        self._new = new
        self._printed = printed
        self._indices = indices
        old_order, self._new_order = post_order(old), post_order(new)
        if is_mostly_new(old_order, self._new_order):
            raise Unsuitable
        self._pairing = Pairing(old_order, self._new_order, origins)
        old_starts = _largest_at(
            (expr, parsed.locate(Place(expr))) for expr in old_order if not isinstance(expr, (Op, Let))
        )
        new_starts = _largest_at((expr, printed.positions.get(expr)) for expr in self._new_order)
        self._old_roots = _roots(old_layout, old_starts, {f"%{var.name_hint}": var for var in old.params})
        self._old_number = {root: number for number, root in enumerate(self._old_roots[:-1]) if root is not None}
        self._kept = self._find_kept()
        new_params = {self._name_at(printed.positions[var].start): var for var in new.params}
        new_roots = _roots(new_layout, new_starts, new_params)
        self._statements = [
            _New(statement, root)
            for statement, root in zip(new_layout.statements, new_roots, strict=True)
            if root is not None
        ]
        if len(self._statements) != len(new_layout.statements):
            raise Unsuitable
        self._final = self._statements.pop()
        self._pair_statements()
        self._names = self._choose_names()
        self._find_needs()

    def edits(self) -> EditedFunction:
        """The edits in order."""
        edits: list[TextEdit] = []
        header: NewRow | LayoutTokens = self._old_layout.header
        if not same_header(self._old, self._new) or not all(
            self._pairing.are_paired(before, after)
            for before, after in zip(self._old.params, self._new.params, strict=True)
        ):
            old_header, new_header = self._old_layout.header, self._new_layout.header
            span = TextSpan(old_header[0].start, old_header[-1].end)
            text = self._written(new_header, new_header[0].start, new_header[-1].end)
            edits.append(TextEdit(span, text))
            header = NewRow(edits[0], 0, len(text), new_header)
        rows: list[EditedRow] = []
        self._edit_body(self._order(), edits, rows)
        return EditedFunction(self._old_layout.name, edits, rows, header, self._names)

    # ---- what stays

    def _find_kept(self) -> set[Expr]:
        """The new expressions whose old text, down to the names in it, still says what they say."""
        pairing, kept = self._pairing, set[Expr]()
        text_has_types = "/* ty=" in self._text[self._old_layout.start : self._old_layout.end]
        for new in self._new_order:
            if isinstance(new, (Op, Constructor, GlobalVar)):
                kept.add(new)
                continue
            old = pairing.old_of.get(new)
            if old is None:
                if isinstance(new, Constant):
                    kept.add(new)
                continue
            if text_has_types and old.checked_type is not None and old.checked_type != new.checked_type:
                continue
            if old is not new and not same_head(old, new):
                continue
            if all(
                pairing.are_paired(before, after) and (before in self._old_number or after in kept)
                for before, after in zip(children(old), children(new), strict=True)
            ):
                kept.add(new)
        return kept

    def _pair_statements(self) -> None:
        old_of = self._pairing.old_of
        lets = {expr.var: expr.value for expr in self._new_order if isinstance(expr, Let)}
        for statement in self._statements:
            old = old_of.get(statement.root)
            number = self._old_number.get(old) if old is not None else None
            if number is None or self._old_layout.statements[number].is_let != statement.layout.is_let:
                continue
            statement.old = number
            value = lets.get(statement.root) if isinstance(statement.root, Var) else statement.root
            statement.kept = value is not None and self._is_value_kept(statement, value)
        final_old = old_of.get(self._final.root)
        old_final = self._old_layout.statements[-1]
        self._final.old = len(self._old_layout.statements) - 1
        number = self._old_number.get(final_old) if final_old is not None else None
        if number is not None and len(old_final.tokens) == 1:
            # The old text names its result and then says the name.
            if not any(statement.old == number for statement in self._statements):
                is_let = self._old_layout.statements[number].is_let
                if not is_let and not isinstance(self._final.root, Var):
                    result = _New(self._final.layout, self._final.root, number)
                    result.kept = self._final.root in self._kept
                    self._statements.append(result)
            self._final.kept = any(statement.old == number for statement in self._statements)
        elif final_old is not None and final_old is self._old_roots[-1]:
            self._final.kept = self._final.root in self._kept

    def _is_value_kept(self, statement: _New, value: Expr) -> bool:
        if not isinstance(statement.root, Var):
            return value in self._kept
        old_var = self._pairing.old_of.get(statement.root)
        old = self._pairing.old_lets.get(old_var) if isinstance(old_var, Var) else None
        if old is None or not same_head(old.var, statement.root) or not self._pairing.are_paired(old.value, value):
            return False
        return old.value in self._old_number or value in self._kept

    # ---- names

    def _choose_names(self) -> Mapping[str, str]:
        positions, old_of = self._printed.positions, self._pairing.old_of
        taken = set(_names(self._old_layout))
        numbers = [int(name[1:]) for name in taken if name[1:].isdigit()]
        next_number = max(numbers, default=-1) + 1
        names: dict[str, str] = {}
        for statement in self._statements:
            if statement.old is not None:
                binder = self._old_layout.statements[statement.old].binder
                assert binder is not None
                statement.name = binder.text
                if statement.layout.binder is not None:
                    names[statement.layout.binder.text] = binder.text
        for expr in self._new_order:
            span = positions.get(expr) if isinstance(expr, Var) else None
            old = old_of.get(expr)
            if span is not None and isinstance(old, Var):
                names.setdefault(self._name_at(span.start), f"%{old.name_hint}")
        for new_name in _names(self._new_layout):
            if new_name in names:
                continue
            if new_name[1].isdigit():
                names[new_name] = f"%{next_number}"
                next_number += 1
            else:
                name, suffix = new_name, 0
                while name in taken:
                    suffix += 1
                    name = f"{new_name}_{suffix}"
                names[new_name] = name
                taken.add(name)
        for statement in self._statements:
            if not statement.name and statement.layout.binder is not None:
                statement.name = names[statement.layout.binder.text]
        return names

    def _name_at(self, start: int) -> str:
        text = self._printed.text
        end = start + 1
        while end < len(text) and (text[end].isalnum() or text[end] in "_/"):
            end += 1
        return text[start:end]

    # ---- what needs what

    def _find_needs(self) -> None:
        by_new_name = {
            statement.layout.binder.text: statement
            for statement in self._statements
            if statement.layout.binder is not None
        }
        by_old_name = {statement.name: statement for statement in self._statements if statement.old is not None}
        old_binders = {
            statement.binder.text for statement in self._old_layout.statements if statement.binder is not None
        }
        for statement in (*self._statements, self._final):
            if statement.kept:
                assert statement.old is not None
                used = set(self._old_layout.statements[statement.old].tokens.names)
                used.discard(statement.name)
                if not (used & old_binders) <= by_old_name.keys():
                    statement.kept = False
                else:
                    statement.needs = [by_old_name[name] for name in used if name in by_old_name]
            if not statement.kept:
                used = statement.layout.tokens.names
                others = [by_new_name[name] for name in used if name in by_new_name]
                statement.needs = [other for other in others if other is not statement]

    def _order(self) -> list[_New]:
        """The statements that are needed, each after what it needs, otherwise in the order of the old text."""
        has_lets = any(statement.layout.is_let for statement in self._statements)
        needed = _closure([self._final, *(other for other in self._statements if other.layout.is_let)])
        in_new_order = [statement for statement in self._statements if statement in needed]
        if has_lets:
            return in_new_order
        paired = sorted((other for other in in_new_order if other.old is not None), key=lambda other: other.old or 0)
        order: dict[_New, None] = {}
        for statement in (*paired, *in_new_order):
            missing = _closure([statement], order)
            # The canonical text has every value before its uses, so its order serves for what is missing.
            order.update(dict.fromkeys(sorted(missing, key=lambda other: other.layout.start)))
        return list(order)

    # ---- the edits

    def _edit_body(self, order: Sequence[_New], edits: list[TextEdit], rows: list[EditedRow]) -> None:
        old = self._old_layout.statements
        in_place = _longest_increasing(order)
        body_start = self._old_layout.header[-1].end
        indent = _indentation(self._text, old[0].start)
        position = body_start
        number = 0
        added: list[_New] = []

        def move_to(target: int) -> None:
            """Take away the old statements before ``target``, and put what was added in their place."""
            nonlocal position, number, added
            end = old[target - 1].line_end if target > number else position
            pieces = [f"\n{indent}{self._statement_text(statement)}" for statement in added]
            if end > position or pieces:
                edits.append(TextEdit(TextSpan(position, end), "".join(pieces)))
                offset = 0
                for statement, piece in zip(added, pieces, strict=True):
                    rows.append(self._row(statement, edits[-1], offset + 1 + len(indent), offset + len(piece)))
                    offset += len(piece)
            added = []
            number = target
            position = end

        for statement in order:
            if statement not in in_place:
                added.append(statement)
                continue
            assert statement.old is not None
            move_to(statement.old)
            layout = old[statement.old]
            if statement.kept:
                rows.append(OldRow(layout))
            else:
                row = self._changed_in_place(statement, layout)
                edits.append(row.edit)
                rows.append(row)
            number = statement.old + 1
            position = layout.line_end
        move_to(len(old) - 1)
        if self._final.kept:
            rows.append(OldRow(old[-1]))
            return
        text = self._value_text(self._final)
        edits.append(TextEdit(self._value_span(old[-1]), text))
        rows.append(NewRow(edits[-1], 0, len(text), self._final.layout.tokens))

    def _row(self, statement: _New, edit: TextEdit, start: int, end: int) -> EditedRow:
        """The row of a statement that ``edit`` writes."""
        if statement.kept:
            assert statement.old is not None
            return OldRow(self._old_layout.statements[statement.old], edit, start)
        layout = statement.layout
        source = None if layout.binder is None else layout.tokens
        return NewRow(edit, start, end, source, statement.name, layout.is_let)

    def _changed_in_place(self, statement: _New, layout: StatementLayout) -> NewRow:
        """Another value for the same name; where the name's written type has changed, that as well."""
        value = self._value_span(layout)
        old_var = self._pairing.old_of.get(statement.root)
        new = statement.layout
        text, source, start = self._value_text(statement), new.tokens, value.start
        if not layout.is_let:
            source = None if new.binder is None else source
        elif isinstance(old_var, Var) and same_head(old_var, statement.root):
            source = None  # what was said of the name stays, and may be said in other words
        else:
            text = self._written(new.tokens, new.start, new.value_start) + text
            start = layout.start
        edit = TextEdit(TextSpan(start, value.end), text)
        return NewRow(edit, 0, len(text), source, statement.name, layout.is_let, layout)

    def _statement_text(self, statement: _New) -> str:
        if statement.kept:
            assert statement.old is not None
            layout = self._old_layout.statements[statement.old]
            return self._text[layout.start : layout.end]
        layout = statement.layout
        if layout.is_let:
            return self._written(layout.tokens, layout.start, layout.end)
        return f"{statement.name} = {self._value_text(statement)};"

    def _value_text(self, statement: _New) -> str:
        layout = statement.layout
        # A type comment stands between the value and its semicolon.
        end = layout.line_end if layout.binder is None else layout.end - 1
        return self._written(layout.tokens, layout.value_start, end).rstrip()

    def _value_span(self, layout: StatementLayout) -> TextSpan:
        """The old value, with the comment that gives its type, but with no other comment."""
        end = layout.line_end if layout.binder is None else layout.end - 1
        behind = self._text[layout.value_end : end]
        return TextSpan(layout.value_start, end if "/* ty=" in behind else layout.value_end)

    def _written(self, tokens: LayoutTokens, start: int, end: int) -> str:
        """What stands there in the new text, which has these tokens, in the names and references of the old one."""
        return self._indices.renumbered(self._printed.text, tokens, self._names, TextSpan(start, end))


def _largest_at(places: Iterable[tuple[Expr, TextSpan | None]]) -> dict[int, Expr]:
    """For each offset the expression that begins there and reaches furthest."""
    largest: dict[int, tuple[int, Expr]] = {}
    for expr, span in places:
        if span is not None and span.end >= largest.get(span.start, (-1, expr))[0]:
            largest[span.start] = (span.end, expr)
    return {start: expr for start, (_, expr) in largest.items()}


def _roots(layout: FunctionLayout, starts: Mapping[int, Expr], named: Mapping[str, Expr]) -> list[Expr | None]:
    """What each statement is known by: the variable of a ``let``, else the expression that it binds or gives."""
    known = dict(named)
    roots: list[Expr | None] = []
    for statement in layout.statements:
        binder = statement.binder
        if statement.is_let and binder is not None:
            # The parser counts the whole binding as the variable's place, the printer its name.
            root = starts.get(binder.start) or starts.get(statement.start)
        elif binder is None and statement.tokens[0].end == statement.value_end:
            root = starts.get(statement.value_start) or known.get(statement.tokens[0].text)
        else:
            root = starts.get(statement.value_start)
        if binder is not None and root is not None:
            known[binder.text] = root
        roots.append(root)
    return roots


def _names(layout: FunctionLayout) -> Iterable[str]:
    yield from layout.header.names
    for statement in layout.statements:
        yield from statement.tokens.names


def _closure(roots: Iterable[_New], without: Container[_New] = ()) -> set[_New]:
    """``roots`` and what they need, except for what is there already."""
    closure: set[_New] = set()
    stack = list(roots)
    while stack:
        statement = stack.pop()
        if statement not in closure and statement not in without:
            closure.add(statement)
            stack.extend(statement.needs)
    return closure


def _longest_increasing(order: Sequence[_New]) -> set[_New]:
    """The largest set of statements that can stay where they are while the rest moves around them."""
    tails: list[int] = []
    ends: list[_New] = []
    before: dict[_New, _New | None] = {}
    for statement in order:
        if statement.old is None:
            continue
        place = bisect_left(tails, statement.old)
        before[statement] = ends[place - 1] if place else None
        if place == len(tails):
            tails.append(statement.old)
            ends.append(statement)
        else:
            tails[place] = statement.old
            ends[place] = statement
    longest_increasing: set[_New] = set()
    current = ends[-1] if ends else None
    while current is not None:
        longest_increasing.add(current)
        current = before[current]
    return longest_increasing


def _indentation(text: str, start: int) -> str:
    line = text.rfind("\n", 0, start) + 1
    return text[line:start] if not text[line:start].strip() else "  "
