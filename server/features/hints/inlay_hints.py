"""Inlay hints of what the text does not spell: types of values, names of arguments, shapes of nested calls."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relay_lsp.ir import ops
from relay_lsp.ir.semantic.snapshot import Snapshot, Symbol, SymbolKind
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.types import CompositeType, FuncType, TensorType, Type, shortened_type

from ..documentation.markdown import markdown

if TYPE_CHECKING:
    from ...worker.remarks import PlacedRemark
    from ..layers.layer_index import LayerIndex

__all__ = [
    "InlayHint",
    "InlayHintKind",
    "inlay_argument_names",
    "inlay_documentation",
    "inlay_hints",
    "inlay_layers",
    "inlay_remarks",
    "inlay_shapes",
]

_LONGEST_LABEL = 60
_LONGEST_COMMENT = 400
_LONGEST_WRITTEN = 1_000
"""How much of a type of many parts is written before its label is cut off."""
_TYPE_COMMENT = re.compile(r"/\* ty=[^*]*\*/\s*;?\s*\Z")


class InlayHintKind(enum.Enum):
    """What a hint tells."""

    TYPE = "type"
    ARGUMENT = "argument"


@dataclass(frozen=True, slots=True)
class InlayHint:
    """A label at an offset."""

    offset: int
    label: str
    subject: str = ""
    """What :func:`inlay_documentation` is asked when the user points at the hint."""
    inserts: bool = False
    """Whether the label is legal text at its offset, which an editor may put in on a double click."""
    kind: InlayHintKind = InlayHintKind.TYPE


def inlay_hints(snapshot: Snapshot, span: TextSpan) -> Iterator[InlayHint]:
    """The types of the values that are bound in a range of the text."""
    for symbol in snapshot.symbols_in(span):
        if symbol.kind in _HINTED and not _is_annotated(snapshot, symbol):
            type = snapshot.type_of(symbol)
            if type is not None and not _is_polymorphic(type):
                is_composite = isinstance(type, CompositeType)
                written = shortened_type(type, _LONGEST_WRITTEN, _LONGEST_LABEL) if is_composite else repr(type)
                text = f": {written}"
                label = text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
                inserts = label == text and symbol.kind is not SymbolKind.GRAPH
                yield InlayHint(symbol.span.end, label, f"type:{symbol.span.start}" if label != text else "", inserts)


def _is_polymorphic(type: Type) -> bool:
    """Whether it is the type of an operator, as while ``nn.relu`` is typed before its parenthesis, or of a function
    that says its type parameters itself."""
    return isinstance(type, FuncType) and bool(type.type_params)


_HINTED = frozenset((SymbolKind.GRAPH, SymbolKind.LET, SymbolKind.PARAMETER, SymbolKind.PATTERN_VAR))


def _is_annotated(snapshot: Snapshot, symbol: Symbol) -> bool:
    """Whether the text says the type: ``%x: T``, or TVM's comment ``/* ty=T */`` at the end of a statement."""
    lines = snapshot.lines
    rest = lines.part(symbol.span.end, symbol.span.end + 16).lstrip()
    if rest.startswith((":", "/* ty=")):
        return True
    if symbol.kind is not SymbolKind.GRAPH:
        return False
    end = symbol.full_span.end
    if _TYPE_COMMENT.search(lines.part(max(symbol.span.end, end - _LONGEST_COMMENT), end)) is not None:
        return True
    behind = lines.part(end, end + 16).partition("\n")[0]
    return behind.lstrip("; \t").startswith("/* ty=")


def inlay_argument_names(snapshot: Snapshot, span: TextSpan) -> Iterator[InlayHint]:
    """The names of operators' arguments, where there is more than one and the text does not say it already."""
    for call in snapshot.operator_calls(span):
        op = ops.find(call.op_name)
        if op is None or len(op.arguments) < 2:
            continue
        for argument, place in zip(op.arguments, call.arguments, strict=False):
            if place.end <= span.end and not _is_written(snapshot, place, argument.name):
                label = f"{argument.name}:"
                subject = f"argument:{op.name}:{argument.name}"
                yield InlayHint(place.start, label, subject, kind=InlayHintKind.ARGUMENT)


def inlay_shapes(snapshot: Snapshot, span: TextSpan) -> Iterator[InlayHint]:
    """The shapes of calls inside other expressions, behind their parentheses: those have no name to show it at."""
    for place, expr in snapshot.nested_calls(span):
        type = snapshot.type_of(expr)
        if isinstance(type, TensorType):
            shape = repr(type)[len("Tensor[") :].rpartition(", ")[0] if type.shape else "()"
            yield InlayHint(place.end, f": {shape}", f"expression:{place.end}")


def inlay_layers(snapshot: Snapshot, span: TextSpan, index: LayerIndex) -> Iterator[InlayHint]:
    """The layers of the values that end on a line, at its end; none where a comment on the line names them already."""
    lines = snapshot.lines
    by_line: dict[int, list[str]] = {}
    first, _ = lines.line_and_column(span.start)
    last, _ = lines.line_and_column(span.end)
    for value in index.within(TextSpan(lines.line_start(first), lines.line_start(last + 1))):
        if not value.places:
            line, _ = lines.line_and_column(value.span.end)
            by_line.setdefault(line, []).extend(value.layers)
    for line, names in sorted(by_line.items()):
        end = lines.line_start(line) + len(lines.line(line).rstrip())
        text = f"  {', '.join(dict.fromkeys(names))}"
        yield InlayHint(end, text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…")


def inlay_remarks(snapshot: Snapshot, span: TextSpan, remarks: Iterable[PlacedRemark]) -> Iterator[InlayHint]:
    """What passes said about the values that begin on a line, at its end; what was left alone first."""
    lines = snapshot.lines
    by_line: dict[int, list[PlacedRemark]] = {}
    for remark in sorted(remarks, key=lambda each: each.kind != "missed"):
        if remark.span is not None and span.start <= remark.span.start <= span.end:
            by_line.setdefault(lines.line_and_column(remark.span.start)[0], []).append(remark)
    for line, said in sorted(by_line.items()):
        end = lines.line_start(line) + len(lines.line(line).rstrip())
        text = "  " + "; ".join(dict.fromkeys(f"{remark.pass_name}: {remark.message}" for remark in said))
        label = text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
        yield InlayHint(end, label, f"remarks:{line}")


def _is_written(snapshot: Snapshot, place: TextSpan, name: str) -> bool:
    """Whether a name, or the variable of that name, is all that is written at a place."""
    if place.end - place.start > len(name) + 1:
        return False  # what is in such an argument is not copied for it
    return snapshot.lines.part(place.start, place.end).removeprefix("%") == name


def inlay_documentation(snapshot: Snapshot, subject: str) -> str:
    """The documentation of a hint, in Markdown: the whole type, or what an argument is."""
    kind, _, rest = subject.partition(":")
    if kind == "argument":
        op = ops.find(rest.rpartition(":")[0])
        name = rest.rpartition(":")[2]
        described = (
            next((argument for argument in op.arguments if argument.name == name), None) if op is not None else None
        )
        return f"{described.type}. {markdown(described.doc)}" if described is not None else ""
    if not rest.isdecimal():
        return ""
    type = snapshot.type_at(int(rest))
    return f"```relay\n{type!r}\n```" if type is not None else ""
