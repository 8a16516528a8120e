"""Judges of texts: parsing, printing and typing."""

from __future__ import annotations

import re

from relay_lsp import ir
from relay_lsp.ir.text.line_index import LineIndex

from ..records import Record
from .comparison import difference, errors, says_all_types, typed_module, without_metadata, without_spans

_TYPE = re.compile(r" /\* ty=(?:[^*]|\*(?!/))*\*/")


def parse(record: Record) -> str | None:
    """The source parses, and prints as TVM's canonical text, spans included."""
    if record["entry"] == "parse_expr":
        parsed = ir.parse_expr(record["source"])
        diagnostics = errors(parsed.diagnostics)
        if diagnostics:
            return f"{diagnostics[0].code}: {diagnostics[0].message}"
        return difference(record["canonical"], ir.to_text(parsed.expr, show_meta_data=True))
    parsed = ir.parse(record["source"], name="from_string")
    diagnostics = errors(parsed.diagnostics)
    if diagnostics:
        return f"{diagnostics[0].code}: {diagnostics[0].message}"
    typed = ir.infer_types(parsed.module)
    diagnostics = errors(typed.diagnostics)
    if diagnostics:
        return f"{diagnostics[0].code}: {diagnostics[0].message}"
    return difference(record["canonical"], ir.to_text(typed.module, show_meta_data=True))


def parse_error(record: Record) -> str | None:
    """TVM rejects the source, and so do we."""
    if record["entry"] == "parse_expr":
        diagnostics = errors(ir.parse_expr(record["source"]).diagnostics)
    else:
        parsed = ir.parse(record["source"])
        diagnostics = errors(parsed.diagnostics) or errors(ir.infer_types(parsed.module).diagnostics)
    return None if diagnostics else "TVM rejects it, and we find no error"


EXACT = {
    "unknown_operator",
    "unknown_attribute",
    "unknown_dtype",
    "undefined_local",
    "undefined_graph",
    "undefined_global",
    "tuple_index",
}
TOUCHING = {
    "inserted_junk",
    "deleted_close_brace",
    "deleted_open_brace",
    "deleted_close_paren",
    "deleted_open_paren",
    "deleted_equals",
    "deleted_semicolon",
    "deleted_colon",
    "deleted_comma",
}


def mutants(record: Record) -> str | None:
    """The same verdict; and where it is an error, at the place of the fault as its kind demands."""
    text = record["source"]
    snapshot = ir.Snapshot.open(text, "from_string")
    diagnostics = sorted(errors(snapshot.diagnostics), key=lambda diagnostic: diagnostic.span or ir.TextSpan(0, 0))
    verdict = record["verdict"]
    if verdict == "accepted":
        return f"TVM accepts it; we say {diagnostics[0].code}: {diagnostics[0].message}" if diagnostics else None
    if verdict != "rejected":
        return None
    if not diagnostics:
        return "TVM rejects it, and we find no error"
    lines = LineIndex(text)
    line, column, end_line, end_column = record["fault"]
    start, end = lines.offset(line - 1, column - 1), lines.offset(end_line - 1, end_column - 1)
    first = diagnostics[0].span
    said = f"{diagnostics[0].code}: {diagnostics[0].message}"
    if first is None:
        return f"the first error has no range: {said}"
    there = f"{text[first.start : first.end]!r} at {first.start}..{first.end}"
    shown = f"{there}, the fault is {text[start:end]!r} at {start}..{end}: {said}"
    kind = record["kind"]
    if kind in EXACT and (first.start, first.end) != (start, end):
        return f"not exactly the token at fault: {shown}"
    if kind in TOUCHING and (first.end < start or first.start > _next_token_end(text, end)):
        return f"does not touch the place: {shown}"
    return None


def _next_token_end(text: str, offset: int) -> int:
    """The end of the token that follows ``offset``: what is missing shows at the token found instead."""
    match = re.compile(r"\s*(?:[\w.%@]+|\S)?").match(text, offset)
    return match.end() if match else offset


def round_trip(record: Record, field: str) -> str | None:
    """A recorded text parses, and what we print of it parses to the same module, and prints the same again."""
    parsed = ir.parse(record[field])
    diagnostics = errors(parsed.diagnostics)
    if diagnostics:
        return f"{field}: {diagnostics[0].code}: {diagnostics[0].message}"
    printed = ir.to_text(parsed.module, show_meta_data=True, show_spans=False)
    again = ir.parse(printed)
    diagnostics = errors(again.diagnostics)
    if diagnostics:
        return f"{field}: what we print does not parse: {diagnostics[0].code}: {diagnostics[0].message}"
    if not ir.structural_equal(parsed.module, again.module, map_free_vars=True):
        return f"{field}: what we print is another module"
    return difference(printed, ir.to_text(again.module, show_meta_data=True, show_spans=False))


def typed(record: Record, field: str) -> str | None:
    """A wholly typed text, its types inferred afresh, prints as the same bytes.

    A pass leaves what it makes untyped, so that a text may show fewer types than inference finds: such a text says
    nothing here. The metadata section names positions and types of constants as TVM numbered them, and is left out.
    Nor is a text judged here that TVM's own InferType turns into another: ``infer`` asks for that one.
    """
    text = record[field]
    if not _TYPE.search(text):
        return None
    if field == "before" and record.get("pass") == "InferType":
        after = without_metadata(without_spans(record["after"]))
        if after != without_metadata(without_spans(text)):
            return None
    module, problem = typed_module(text, field)
    if module is None:
        return problem
    expected = without_metadata(without_spans(text))
    actual = without_metadata(ir.to_text(module, show_meta_data=True, show_spans=False))
    return difference(expected, actual) if says_all_types(expected, actual) else None


def infer(record: Record) -> str | None:
    """``InferType`` gives TVM's canonical text, to the byte."""
    module, problem = typed_module(record["before"], "before")
    if module is None:
        return problem
    return difference(without_spans(record["after"]), ir.to_text(module, show_meta_data=True, show_spans=False))
