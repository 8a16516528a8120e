"""Statements that differ in literals alone mean what each of them means by itself."""

from __future__ import annotations

from unittest import mock

import pytest

from relay_lsp.ir.semantic.lints.stale_type_comments import STALE_TYPE_COMMENT
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.syntax.lowering import Lowering
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics

_METADATA = """#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["relay.Constant"], "data": [2]},
{"type_key": "Array", "data": [3, 3]}, {"type_key": "runtime.String", "repr_str": "a"}], "attrs": {}}
"""
_LITERALS = [
    "0",
    "1",
    "2",
    "007",
    "3",
    "12",
    "2147483648",
    "99999999999",
    "9" * 30,
    "1f",
    "2f",
    "1i64",
    "-1",
    "1.5",
    "q",
]
_STRINGS = ['"float32"', '"int32"', '""', '"s1"', '"s2"', '"1"', '"a 5 b"', '"%x"', '"a/* b */c"', "3"]
_META = [f"meta[relay.Constant][{index}]" for index in ("0", "1", "2", "10", "x", "")] + ["meta[a][0]", "1"]
_STATEMENTS = [
    ("%N = nn.softmax(%x, axis=L)", _LITERALS),
    ("%N = (%x, %y).L", _LITERALS),
    ("%N = reshape(%x, newshape=[L, 4])", _LITERALS),
    ("%N = reshape(%x, newshape=[4, L]) /* ty=Tensor[(4, L), float32] */", _LITERALS),
    ('%N = zeros(shape=[L, 4], dtype="float32") /* ty=Tensor[(L, 4), float32] span=a:L:1 */', _LITERALS),
    ("%N = nn.pad(%x, 0f, pad_width=[[0, L], [L, 0]])", _LITERALS),
    ("%N = add(%x, L)", _LITERALS),
    ("%N = expand_dims(add(%x, L), axis=L)", _LITERALS),
    ("let %aN: Tensor[(L, 4), float32] = %x", _LITERALS),
    ("let %aN: fn (int32) -> Tensor[(L), int8] = %x", _LITERALS),
    ("let %aN: int32 = L", _LITERALS),
    ("let %aN: Tensor[(L), int8] = add(%aN, L)", _LITERALS),
    ("nn.softmax(%N, axis=L)", _LITERALS),
    ("nn.relu(%x, L)", _LITERALS),
    ("@f(%x, L)", _LITERALS),
    ("%N = cast(%x, dtype=L)", _STRINGS),
    ("%N = L", _STRINGS),
    ("%N = nn.conv2d(%x, %y, data_layout=L)", _STRINGS),
    ("%N = cast(%x, dtype=L, axis=L)", _STRINGS),
    ("%N = add(%x, L)", _META),
    ("%N = nn.pad(%x, L, pad_width=[[0, 1], [1, 0]])", _META),
]


def _text(statements: list[str]) -> str:
    parameters = "%x: Tensor[(3, 4), float32], %y: Tensor[(7, 9), float32]"
    lines = "".join(f"  {statement};\n" for statement in statements)
    functions = f"def @f(%a: int32) -> int32 {{\n  %a\n}}\ndef @main({parameters}) {{\n{lines}  %x\n}}\n"
    return f'#[version = "0.0.5"]\n{functions}{_METADATA}'


def _said(statements: list[str]) -> set[tuple[str, str, str, str, object]]:
    """What is said of some statements, each with its line, and with what is bound there and its type."""
    snapshot = Snapshot.open(_text(statements), "outlines.relay")
    lines = snapshot.text.split("\n")
    said: set[tuple[str, str, str, str, object]] = set()
    for finding in diagnostics(snapshot):
        assert finding.span is not None
        line, column = snapshot.lines.line_and_column(finding.span.start)
        is_stale = finding.code == STALE_TYPE_COMMENT  # its fixes speak of others
        fixes = (
            () if is_stale else tuple((fix.title, tuple(edit.new_text for edit in fix.edits)) for fix in finding.fixes)
        )
        said.add(
            (lines[line], finding.code, finding.message, snapshot.text[finding.span.start : finding.span.end], fixes)
        )
        said.add((lines[line], finding.code, "", "", (column, finding.span.end - finding.span.start)))
    for symbol in snapshot.symbols:
        line, _ = snapshot.lines.line_and_column(symbol.span.start)
        said.add((lines[line], symbol.name, repr(symbol.type), "", ()))
    return said


@pytest.mark.parametrize(("statement", "literals"), _STATEMENTS, ids=[statement for statement, _ in _STATEMENTS])
def test_statements_that_differ_in_literals_mean_what_each_means_by_itself(statement: str, literals: list[str]) -> None:
    statements = [
        statement.replace("N", str(number)).replace("L", literal)
        for number, literal in enumerate([*literals, *reversed(literals)])
    ]
    alone = [_said([each]) for each in statements]
    assert _said(statements) == set.union(*alone)


@pytest.mark.parametrize("statement", ["%N = nn.softmax(%x, axis=N)", '%N = cast(%x, dtype="sN")', "%N = add(%x, Nf)"])
def test_what_has_no_literal_in_it_is_lowered_once(statement: str) -> None:
    text = _text([statement.replace("N", str(number)) for number in range(3_000)])
    with mock.patch.object(Lowering, "read", autospec=True, side_effect=Lowering.read) as read:
        assert len(diagnostics(Snapshot.open(text, "many"))) == 1001
    assert read.call_count < 1_050  # those of which something is shown
