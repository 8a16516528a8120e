"""Errors stay where they are: every key of a statement that is typed changes nothing in the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference, early_difference
from tests.ir.semantic.editing.scripts import small_blocks

_TYPE = "Tensor[(1, 8), float32]"
_STATEMENTS = 20
_HEAD = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n'


def _graph() -> str:
    lines = [f"  %{i} = nn.relu({f'%{i - 1}' if i else '%x'});\n" for i in range(_STATEMENTS)]
    return f"{_HEAD}{''.join(lines)}  %{_STATEMENTS - 1}\n}}\n"


def _let() -> str:
    lines = [f"  let %x_{i}: {_TYPE} = nn.relu({f'%x_{i - 1}' if i else '%x'});\n" for i in range(_STATEMENTS)]
    return f"{_HEAD}{''.join(lines)}  %x_{_STATEMENTS - 1}\n}}\n"


_FORMS = {"graph": _graph(), "let": _let()}
_OWN_LINE = [
    (form, number, statement)
    for form, statement in (
        ("graph", "%99 = nn.relu(%x);"),
        ("graph", "%99 = add(%x,\n    %x);"),
        ("let", "let %new = nn.relu(%x);"),
        ("let", "let %x_99 = nn.relu(%x);"),
        ("let", f"let %new: {_TYPE} = nn.relu(%x);"),
        ("graph", '#[version = "0.0.5"]'),
        ("let", "#[a directive]"),
    )
    for number in (0, _STATEMENTS // 2, _STATEMENTS - 1)
]
_IN_FRONT = [
    (form, number, statement)
    for form, statement in (("graph", "%99 = nn.relu(%x); "), ("let", "let %new = nn.relu(%x);"))
    for number in (0, _STATEMENTS // 2, _STATEMENTS - 1)
]


def _typed(snapshot: Snapshot, at: int, statement: str) -> Iterator[Snapshot]:
    """The snapshot after each key of a statement that is typed, and after each that is deleted again."""
    for number, key in enumerate(statement):
        snapshot = snapshot.edit(TextSpan(at + number, at + number), key)
        yield snapshot
    for end in range(at + len(statement), at, -1):
        snapshot = snapshot.edit(TextSpan(end - 1, end), "")
        yield snapshot


def _check(snapshot: Snapshot, at: int, statement: str, gap: int = 0) -> None:
    length = len(snapshot.text)
    for edited in _typed(snapshot, at, statement):
        end = at + len(edited.text) - length + gap
        for diagnostic in edited.diagnostics:
            if diagnostic.severity is Severity.ERROR:
                assert diagnostic.span is not None
                assert at <= diagnostic.span.start, (edited.text[at:end], diagnostic.message)
                assert diagnostic.span.end <= end, (edited.text[at:end], diagnostic.message)
        assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize(("form", "number", "statement"), _OWN_LINE)
def test_a_statement_typed_on_a_line_of_its_own(form: str, number: int, statement: str) -> None:
    text = _FORMS[form]
    name = f"%{number}" if form == "graph" else f"let %x_{number}"
    at = text.index(f"  {name} =" if form == "graph" else f"  {name}:")
    _check(Snapshot.open(f"{text[:at]}  \n{text[at:]}", "example.relay"), at + 2, statement)


@pytest.mark.parametrize(("form", "number", "statement"), _IN_FRONT)
def test_a_statement_typed_in_front_of_another_on_its_line(form: str, number: int, statement: str) -> None:
    text = _FORMS[form]
    name = f"  %{number} =" if form == "graph" else f"  let %x_{number}:"
    at = text.index(name) + 2
    gap = " " * (form == "let")  # `l` in front of `let` would be another word
    _check(Snapshot.open(text[:at] + gap + text[at:], "example.relay"), at, statement, len(gap))


def test_a_let_is_a_value_where_an_expression_ends_it() -> None:
    value = "let %a = let %b = nn.relu(%x);\n  let %c = nn.relu(%b);\n  %c;\n  %a\n"
    assert not Snapshot.open(f"{_HEAD}  {value}}}\n", "example.relay").diagnostics
    at = value.index("%c;") + 2
    lost = Snapshot.open(f"{_HEAD}  {value[:at]}{value[at + 1 :]}}}\n", "example.relay")
    assert [found.code for found in lost.diagnostics if found.severity is Severity.ERROR]
    back = lost.edit(TextSpan(len(_HEAD) + 2 + at, len(_HEAD) + 2 + at), ";")
    assert not back.diagnostics


def test_what_is_shown_early_stays_where_a_part_of_the_value_is_at_fault():
    """The error tells why it is not what the function declares: nothing else has to be read to know that."""
    text = f"""#[version = "0.0.5"]
def @main(%d: {_TYPE}) -> ({_TYPE}, ({_TYPE},)) {{
  let %x_59 = multiply(%d, %d);
  let %x_60 = ones_like(%x_59);
  let %x_63 = collapse_sum_like(%x_60, %d);
  let %x_64 = add(%x_60, %x_63);
  let %x_65 = multiply(%x_60, %d);
  let %x_66 = collapse_sum_like(%x_65, %d);
  let %x_67 = add(%x_64, %x_66);
  let %x_68 = (%x_67,);
  let %x_69 = (%x_59, %x_68);
  %x_69
}}
"""
    start, end = text.index(");"), text.index("%x_63")
    parts: list[PartialSnapshot] = []

    def keep(part: Callable[[], PartialSnapshot | None]) -> None:
        parts.extend(made for made in (part(),) if made is not None)

    with small_blocks():
        before = Snapshot.open(text, "example.relay")
        assert not before.diagnostics
        edited = before.edit(TextSpan(start, end), "%x_60, %d);\n  let ")
        edited.analyse(keep)
        assert parts
        assert [early_difference(part, edited) for part in parts] == [None] * len(parts)
        assert difference(edited, Snapshot.open(edited.text, "example.relay"), start, whole=True) is None
