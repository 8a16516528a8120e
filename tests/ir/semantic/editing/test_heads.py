"""A head that is edited letter by letter: what can be read of it counts, and the statements keep their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.module_analyzer import ModuleAnalyzer
from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import described, difference, early_difference, symbols_of, tokens_of

_TYPE = "Tensor[(1, 8), float32]"
_LINES = "".join(f"  %{i} = add({f'%{i - 1}' if i else '%x'}, %y);\n" for i in range(20))
_TEXT = f'#[version = "0.0.5"]\ndef @main[A](%x: {_TYPE}, %y: {_TYPE}) -> {_TYPE} {{\n{_LINES}  %19\n}}\n'
_STATEMENTS = range(2, 22)


def _typed(snapshot: Snapshot, at: int, text: str) -> Iterator[Snapshot]:
    """The snapshot after each key that types a text, and after each that deletes it."""
    for number, key in enumerate(text):
        snapshot = snapshot.edit(TextSpan(at + number, at + number), key)
        yield snapshot
    for number in range(len(text) - 1, -1, -1):
        snapshot = snapshot.edit(TextSpan(at + number, at + number + 1), "")
        yield snapshot


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        (") ->", f", %new: {_TYPE}"),
        (") ->", f", %x2: {_TYPE}"),  # for one key, two parameters have the same name
        (") ->", ", Inline=1"),
        ("%y:", "%new: fn (A) -> (A, int32), "),
        ("%x:", "%new, "),
        (" -> ", " /* ty=int32 */"),
    ],
)
def test_the_statements_keep_their_types_at_each_key(before: str, typed: str):
    at = _TEXT.index(before)
    snapshot = Snapshot.open(_TEXT, "example.relay")
    known = [snapshot.statement_memo(index) for index in _STATEMENTS]
    for number, edited in enumerate(_typed(snapshot, at, typed)):
        end = edited.text.index("%0 =")
        errors = [found for found in edited.diagnostics if found.severity is Severity.ERROR]
        assert all(found.span is not None and found.span.end <= end for found in errors), edited.text[:end]
        assert repr(edited.type_at(edited.text.index("%9 ="))) == _TYPE, edited.text[:end]
        kept = [edited.statement_memo(index) for index in _STATEMENTS]
        assert all(memo is other for memo, other in zip(kept, known, strict=True)), edited.text[:end]
        if number % 3 == 0:
            assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


@pytest.mark.parametrize(
    "parameters",
    [
        f"%x: {_TYPE}, %y: {_TYPE}, %x: int32",
        f"%x: {_TYPE}, %y, %x, %y",
        f"%x, %x: {_TYPE}, %y: {_TYPE}",
    ],
)
def test_of_two_parameters_of_one_name_the_first_counts(parameters: str, monkeypatch: pytest.MonkeyPatch):
    text = _TEXT.replace(f"%x: {_TYPE}, %y: {_TYPE}", parameters)
    followed = Snapshot.open(text, "example.relay")
    said = described(followed.diagnostics), tokens_of(followed), symbols_of(followed)

    def by_statements(*_: object) -> None:
        return None

    monkeypatch.setattr(ModuleAnalyzer, "_by_statements", by_statements)
    whole = Snapshot.open(text, "example.relay")
    assert (described(whole.diagnostics), tokens_of(whole), symbols_of(whole)) == said


@pytest.mark.parametrize("before", ["(%x", "%x:", " ->", "[A]", "%y:"])
def test_a_comment_that_is_opened_in_a_head_is_the_only_error(before: str):
    at = _TEXT.index(before)
    snapshot = Snapshot.open(_TEXT.replace(");\n", f") /* ty={_TYPE} */;\n"), "example.relay")
    for edited in list(_typed(snapshot, at, "/* typed */"))[1:9]:
        (found,) = [each for each in edited.diagnostics if each.severity is Severity.ERROR]
        assert found.message == "this comment is never closed"
        assert repr(edited.type_at(edited.text.index("%9 ="))) == _TYPE
        assert difference(edited, Snapshot.open(edited.text, "example.relay"), at, whole=True) is None


def test_a_result_that_can_be_read_counts_where_a_parameter_cannot():
    text = _TEXT.replace(f"-> {_TYPE}", "-> int32").replace("%y:", "%new: =, %y:", 1)
    found = [each.message for each in Snapshot.open(text, "example.relay").diagnostics]
    assert any("the result is declared int32" in message for message in found)


_PARAMETERS = ", ".join(
    f"%p{i}: Tensor[({i % 3 + 1}, 8), float32] /* ty=Tensor[({i % 3 + 1}, 8), float32] */" for i in range(90)
)
_LONG = f"""#[version = "0.0.5"]
def @before(%x: {_TYPE}) {{
  %0 = nn.relu(%x);
  %0
}}

def @main({_PARAMETERS}) -> {_TYPE} {{
  %0 = nn.relu(%p0);
  add(%0, %p3)
}}
"""


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        ("%p0: Tensor[(1, 8), ", "int"),
        ("%p45", "_new: %p45"),
        ("%p44: ", "/*"),
        ("%p46: ", '"'),
        (", %p89", ", %new"),
        ("def @main", "_new"),
        ("}\n\n", "type A{"),
        (") -> ", "fn ("),
        (f") -> {_TYPE} {{", "\n  %9"),
        (f") -> {_TYPE} {{\n", "%z"),
        (f") -> {_TYPE} {{\n  ", "{"),
    ],
)
def test_a_long_head_is_what_it_is_in_the_text_opened_afresh_at_each_key(before: str, typed: str):
    at = _LONG.index(before) + len(before)
    for snapshot in _typed(Snapshot.open(_LONG, "main.relay"), at, typed):
        assert difference(snapshot, Snapshot.open(snapshot.text, "main.relay"), at, whole=False) is None


@pytest.mark.parametrize(
    "lost", ["{\n  %0 = nn.relu(%p0)", "{", "main", "def @m", "def", "}\n\n", "\n\n", "(", ")", ") -> "]
)
def test_a_long_head_is_what_it_is_where_a_part_of_it_or_what_is_around_it_is_lost_and_put_back(lost: str):
    head = _LONG.index("def @main(")
    at = _LONG.index(lost, head - len("}\n\n"))
    snapshot = Snapshot.open(_LONG, "main.relay")
    for span, text in ((TextSpan(at, at + len(lost)), ""), (TextSpan(at, at), lost)) * 2:
        snapshot = snapshot.edit(span, text)
        assert difference(snapshot, Snapshot.open(snapshot.text, "main.relay"), at, whole=False) is None


def test_the_parameters_that_nothing_uses_are_told_where_they_stand_in_a_long_head():
    snapshot = Snapshot.open(_LONG, "main.relay")
    unused = [_LONG[each.span.start : each.span.end] for each in snapshot.diagnostics if each.span is not None]
    assert unused == [f"%p{i}" for i in range(90) if i not in (0, 3)]


def test_a_head_that_says_no_more_what_it_gives_is_shown_before_its_callers_are_read_as_a_whole():
    lines = "".join(f"  %{i} = @called(%{i - 1}) /* ty={_TYPE} */;\n" for i in range(1, 100))
    body = f" -> {_TYPE} {{\n  %0 = nn.relu(%x);\n{lines}  nn.relu(%99)\n}}\n"
    called = f"def @called(%x: {_TYPE}) -> {_TYPE} {{\n  %0 = nn.rel(%x);\n  %0\n}}\n"
    text = f'#[version = "0.0.5"]\n{called}def @caller(%x: {_TYPE}){body}def @main(%x: {_TYPE}){body}'
    snapshot = Snapshot.open(text, "example.relay")
    assert [each.code for each in snapshot.findings] == ["undefined-operator"]
    parts: list[PartialSnapshot] = []

    def keep(part: Callable[[], PartialSnapshot | None]) -> None:
        known = part()
        if known is not None:
            parts.append(known)

    at = text.index(" -> ")
    for span, typed in ((TextSpan(at, text.index(" {")), ""), (TextSpan(at, at), f" -> {_TYPE}")):
        snapshot = snapshot.edit(span, typed)
        parts.clear()
        snapshot.analyse(keep)
        assert all(early_difference(part, snapshot) is None for part in parts)
        assert difference(snapshot, Snapshot.open(snapshot.text, "example.relay"), at, whole=True) is None
        if not typed:
            starts = [min(span.start for span in part.unsettled) for part in parts]
            assert sorted({*starts}) == [snapshot.text.index("def @caller"), snapshot.text.index("def @main")]
            assert [each.code for each in parts[0].snapshot.findings] == ["undefined-operator"]
