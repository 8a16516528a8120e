"""From the text before and the module after to edits.

The new module is printed canonically; what stands in its statements is then written with the names of the old text, and
each statement that says what an old one said gives way to the old one's bytes. Where the result is not the canonical
text with other names (:mod:`.renaming`), it is read back: if it does not mean the new module, the functions that
changed, or at last the whole text, are replaced by canonical text instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Final

from relay_lsp.ir.diagnostics import Severity, TextEdit, apply_edits
from relay_lsp.ir.expressions import Constructor, Expr, Function, GlobalVar, Let
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.metadata import read_metadata, write_metadata
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.printing import to_text_with_positions
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.syntax.parsing import Parsed
from relay_lsp.ir.syntax.reading import Reading
from relay_lsp.ir.syntax.splitting import split
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.visitor import post_order

from ..provenance import Trace
from .canonical_layout import canonical_layout
from .edited_layout import EditedFunction, NewRow, edited_layout
from .function_edits import Printed, Unsuitable, edit_function
from .layout import FunctionLayout, TextLayout, layout_of
from .metadata_indices import MetadataIndices
from .pairing import Origins
from .renaming import Renaming, renaming

__all__ = ["EditedText", "edited_text", "text_edits"]


def _read(text: str) -> Parsed:
    reading = Reading(text, "edited", split(text), with_spans=False)
    return Parsed(reading.module, tuple(reading.diagnostics), reading)


@dataclass(frozen=True, eq=False)
class EditedText:
    """The edits of a text that give a module, and the text that they give."""

    edits: tuple[TextEdit, ...]
    """In order and without overlap; none where nothing changed."""
    text: str
    places: Callable[[Expr], TextSpan | None] | None = None
    """Where the module's expressions stand in the edited text, where that is known without reading it; a function of
    the module stands where its name does. It is of no use for variables, operators, global names and ``let``."""
    renamed: Renaming | None = None
    """How the edited text is ``canonical`` with other names, where it is known to be that."""
    canonical: str = ""

    @property
    def states_its_types(self) -> bool:
        """Whether it is known that no type comment of the edited text contradicts the module."""
        return self.renamed is not None and self.renamed.states_same_types(self.text, self.canonical)


def text_edits(
    text: str, parsed: Parsed, after: IRModule, trace: Trace | None = None, read: Callable[[str], Parsed] = _read
) -> tuple[TextEdit, ...]:
    """The edits of :func:`edited_text`."""
    return edited_text(text, parsed, after, trace, read).edits


def edited_text(
    text: str, parsed: Parsed, after: IRModule, trace: Trace | None = None, read: Callable[[str], Parsed] = _read
) -> EditedText:
    """What ``text`` becomes by the smallest edits that give ``after``.

    ``parsed`` is what ``text`` was read as, and ``parsed.module`` what the passes began with. Statements that the
    passes left alone keep their bytes, names and comments. With the trace of the passes, names follow their values.
    Where the edited text has to be read back, ``read`` does so.

    Raises:
        ValueError: ``text`` has errors.
    """
    if any(diagnostic.severity is Severity.ERROR for diagnostic in parsed.diagnostics):
        raise ValueError("a text with errors cannot be edited by a pass")
    if parsed.module is after:
        return EditedText((), text)
    printed = to_text_with_positions(after, show_types="/* ty=" in text, show_spans=False, read_back=True)
    if set(after.type_definitions) == set(parsed.module.type_definitions):
        layouts = layout_of(text, [unit.segment for unit in parsed.reading.units]), canonical_layout(printed.text)
        origins: Origins = trace.origins if trace is not None else lambda _: ()
        inferred = {f"@{var.name_hint}" for var, function in after.functions.items() if _tells_result_type(function)}
        has_same_types = after.type_definitions == parsed.module.type_definitions
        wanted: IRModule | None = None
        for whole_functions in (False, True):
            indices = MetadataIndices(parsed.meta_table, _metadata_of(layouts[1]))
            canonical = Printed(printed.text, printed.positions)
            all_edits, functions = _edit(parsed, after, canonical, layouts, indices, origins, whole_functions)
            edits = tuple(edit for edit in all_edits if text[edit.span.start : edit.span.end] != edit.new_text)
            edited = apply_edits(text, edits)
            tokens = edited_layout(edited, all_edits, functions)
            names = renaming(tokens, layouts[1], inferred, indices.are_same) if has_same_types else None
            if names is not None:
                places = partial(_place, printed.positions, names)
                return EditedText(edits, edited, places, names, printed.text)
            wanted = wanted or (after if _is_typed(after) else infer_types(after).module)
            if _means(read(edited), wanted):
                return EditedText(edits, edited)
    return EditedText((TextEdit(TextSpan(0, len(text)), printed.text),), printed.text)


def _tells_result_type(function: Function) -> bool:
    """Whether the body of a function has the type that the function states; then it need not be stated."""
    return function.ret_type is not None and function.ret_type == function.body.checked_type


def _place(positions: Mapping[Expr, TextSpan], names: Renaming, expr: Expr) -> TextSpan | None:
    canonical = None if isinstance(expr, Let) else positions.get(expr)
    return None if canonical is None else names.place(canonical)


def _is_typed(module: IRModule) -> bool:
    """Whether nothing in a module is without type, as after passes that infer types."""
    return all(
        expr.checked_type is not None or isinstance(expr, (Op, GlobalVar, Constructor))
        for expr in post_order(*module.functions.values())
    )


def _means(parsed: Parsed, wanted: IRModule) -> bool:
    if any(diagnostic.severity is Severity.ERROR for diagnostic in parsed.diagnostics):
        return False
    inferred = infer_types(parsed.module)
    if any(diagnostic.severity is Severity.ERROR for diagnostic in inferred.diagnostics):
        return False
    return structural_equal(inferred.module, wanted, map_free_vars=True)


def _edit(
    parsed: Parsed,
    after: IRModule,
    printed: Printed,
    layouts: tuple[TextLayout, TextLayout],
    indices: MetadataIndices,
    origins: Origins,
    whole_functions: bool,
) -> tuple[Sequence[TextEdit], Sequence[FunctionLayout | EditedFunction]]:
    """The edits in order, those that change nothing among them, and the functions as they are then."""
    text, (old_layout, new_layout) = parsed.reading.text, layouts
    new_functions = {function.name: function for function in new_layout.functions}
    old_functions = {var.name_hint: function for var, function in parsed.module.functions.items()}
    edits: list[TextEdit] = []
    functions: list[FunctionLayout | EditedFunction] = []
    position = 0
    for layout in old_layout.functions:
        name = layout.name[1:]
        var = after.find_global_var(name)
        new = None if var is None else after.functions[var]
        if new is None:
            edits.append(TextEdit(_with_blank_lines(text, layout), ""))
        elif new is not old_functions[name]:
            old, canonical = old_functions[name], new_functions[layout.name]
            edited = _edit_function(
                parsed, layout, old, canonical, new, printed, indices, None if whole_functions else origins
            )
            edits += edited.edits
            functions.append(edited)
        else:
            functions.append(layout)
        position = layout.end
    added = [
        _Written(printed.text, function, indices)
        for function in new_layout.functions
        if function.name[1:] not in old_functions
    ]
    if added:
        edit = TextEdit(TextSpan(position, position), "".join(f"\n\n{written.text}" for written in added))
        edits.append(edit)
        offset = 0
        for written in added:
            functions.append(written.by(edit, offset + 2))
            offset += 2 + len(written.text)
    edits += _edit_metadata(text, old_layout, indices)
    return edits, functions


def _edit_function(
    parsed: Parsed,
    layout: FunctionLayout,
    old: Function,
    replacement: FunctionLayout,
    new: Function,
    printed: Printed,
    indices: MetadataIndices,
    origins: Origins | None,
) -> EditedFunction:
    if origins is not None:
        try:
            return edit_function(parsed, layout, old, replacement, new, printed, indices, origins)
        except Unsuitable:
            pass
    written = _Written(printed.text, replacement, indices)
    return written.by(TextEdit(TextSpan(layout.start, layout.end), written.text), 0)


class _Written:
    """A function of the new text, with its references to metadata renumbered."""

    def __init__(self, text: str, function: FunctionLayout, indices: MetadataIndices) -> None:
        self._function: Final = function
        starts = [row.start for row in function.rows]
        ends = [*starts[1:], function.end]
        pieces = [
            indices.renumbered(text, row, {}, TextSpan(start, end))
            for row, start, end in zip(function.rows, starts, ends, strict=True)
        ]
        self.text: Final = "".join(pieces)
        self._offsets: Final = list(accumulate(map(len, pieces), initial=0))

    def by(self, edit: TextEdit, offset: int) -> EditedFunction:
        """The function as ``edit`` writes it, from ``offset`` of its text on."""
        function = self._function
        starts = [offset + start for start in self._offsets]
        header = NewRow(edit, starts[0], starts[1], function.header)
        if not function.is_regular:
            return EditedFunction(function.name, [edit], [], header, is_regular=False)
        rows = [
            NewRow(edit, start, end, each.tokens, each.binder and each.binder.text, each.is_let)
            for each, start, end in zip(function.statements, starts[1:-2], starts[2:-1], strict=True)
        ]
        return EditedFunction(function.name, [edit], rows, header)


def _with_blank_lines(text: str, layout: FunctionLayout) -> TextSpan:
    end = layout.end
    while end < len(text) and text[end] in " \t\r\n":
        end += 1
    return TextSpan(layout.start, end)


def _metadata_of(layout: TextLayout) -> Mapping[str, Sequence[object]]:
    section = layout.metadata
    return {} if section is None else read_metadata(section.text[section.text.index("]") + 1 :])


def _edit_metadata(text: str, layout: TextLayout, indices: MetadataIndices) -> Sequence[TextEdit]:
    if not indices.has_grown:
        return []
    section = f"#[metadata]\n{write_metadata(indices.table)}"
    if layout.metadata is not None:
        start = layout.metadata.start
        return [TextEdit(TextSpan(start, len(text)), section)]
    separator = "" if text.endswith("\n") else "\n"
    return [TextEdit(TextSpan(len(text), len(text)), f"{separator}\n{section}")]
