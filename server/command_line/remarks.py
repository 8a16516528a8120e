"""Remarks on the command line: a line for each, and YAML as LLVM writes optimisation records for its viewers.

Source of the format: ``llvm/docs/Remarks.rst`` (the YAML remarks of LLVM).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches

from relay_lsp.ir import parse
from relay_lsp.ir.spans import SequentialSpan
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.passes.layers.comments import layers_in

from ..worker.remarks import PlacedRemark

__all__ = ["chosen_remarks", "remark_lines", "remarks_as_yaml", "unknown_layer"]


def chosen_remarks(remarks: Iterable[PlacedRemark], options: argparse.Namespace) -> Sequence[PlacedRemark]:
    """The remarks of the kind, the function and the layer that a command line asks for."""
    function = options.function.removeprefix("@")
    return [
        remark
        for remark in remarks
        if options.remarks in (None, "all", remark.kind)
        if not function or remark.function == function
        if not options.layer or options.layer in remark.layer
    ]


def unknown_layer(remarks: Iterable[PlacedRemark], layer: str, text: str) -> str:
    """Why no remark can be on ``layer``: none of the text has that in its name; empty where one has.

    The nearest names are given; the layers are those of the remarks, and those that the comments of ``text`` name.
    """
    spans = [*layers_in(parse(text)).values()]
    parts = (part for span in spans for part in (span.spans if isinstance(span, SequentialSpan) else (span,)))
    names = {name for remark in remarks for name in remark.layer.split(", ") if name}
    names.update(part.source_name.name for part in parts)
    if any(layer in name for name in names):
        return ""
    near = get_close_matches(layer, sorted(names), 3, 0.3) or sorted(names)[:3]
    known = f"the nearest are {', '.join(near)}" if near else "the text names no layers"
    return f"no layer has {layer} in its name; {known}"


def remark_lines(remarks: Iterable[PlacedRemark], name: str, text: str) -> Iterator[str]:
    """``model.relay:3:8: FuseOps missed %2 (nn.dense): not fused with …  [opaque]``."""
    lines = LineIndex(text)
    for remark in remarks:
        layer = f" in {remark.layer}" if remark.layer else ""
        place = _place(remark.span, lines)
        where = f"{name}:{place[0]}:{place[1]}" if place else name
        rule = f"[{remark.rule}]"
        yield f"{where}: {remark.pass_name} {remark.kind} {remark.subject}{layer}: {remark.message} {rule}"


def remarks_as_yaml(remarks: Iterable[PlacedRemark], name: str, text: str) -> Iterator[str]:
    """One YAML document for each remark, as ``opt-viewer`` and the tools beside it read them."""
    lines = LineIndex(text)
    for remark in remarks:
        yield f"--- !{remark.kind.capitalize()}\n"
        yield f"Pass:            {_quoted(remark.pass_name)}\n"
        yield f"Name:            {_quoted(remark.rule)}\n"
        yield _location(remark.span, name, lines, "")
        yield f"Function:        {_quoted(remark.function or 'main')}\n"
        yield "Args:\n"
        yield f"  - Subject:         {_quoted(remark.subject)}\n"
        if remark.layer:
            yield f"  - Layer:           {_quoted(remark.layer)}\n"
        yield "  - String:          ': '\n"
        for part in remark.parts:
            key = "Expression:      " if part.is_expression else "String:          "
            yield f"  - {key}{_quoted(part.text)}\n"
            if part.is_expression:
                yield _location(part.span, name, lines, "    ")
        yield "...\n"


def _location(span: TextSpan | None, name: str, lines: LineIndex, indent: str) -> str:
    place = _place(span, lines)
    if place is None:
        return ""
    return f"{indent}DebugLoc:        {{ File: {_quoted(name)}, Line: {place[0]}, Column: {place[1]} }}\n"


def _place(span: TextSpan | None, lines: LineIndex) -> tuple[int, int] | None:
    """Line and column from 1."""
    if span is None:
        return None
    line, column = lines.line_and_column(span.start)
    return line + 1, column + 1


def _quoted(text: str) -> str:
    """A YAML string in single quotes; a line end, which cannot stand in one as it is, becomes a blank."""
    return "'" + " ".join(text.splitlines() or [""]).replace("'", "''") + "'"
