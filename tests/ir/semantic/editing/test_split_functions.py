"""The head of a function that stands between the statements of another: these have other names to see then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relay_lsp.ir.semantic.snapshot import PartialSnapshot, Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from tests.ir.semantic.editing.comparison import difference, early_difference

_TYPE = "Tensor[(1, 8), float32]"
_STATEMENTS = 700
_LINES = [
    f"  %{number} = nn.relu({f'%{number - 1}' if number else '%x'}) /* ty={_TYPE} */;\n"
    for number in range(_STATEMENTS)
]
_TEXT = f'#[version = "0.0.5"]\ndef @main(%x: {_TYPE}) {{\n{"".join(_LINES)}  %{_STATEMENTS - 1}\n}}\n'
_SPLIT_AT = 40
_PLACE = _TEXT.index(_LINES[_SPLIT_AT])


@pytest.mark.parametrize("head", [f"def @other(%x: {_TYPE}) {{\n", "def @other(%y: int32) {\n", "}\ndef @other() {\n"])
def test_statements_below_are_shown_before_all_are_typed(head: str):
    before = Snapshot.open(_TEXT, "example.relay")
    assert not before.diagnostics
    split = before.edit(TextSpan(_PLACE, _PLACE), head)
    _check_what_is_shown_early(split)
    _check_what_is_shown_early(split.edit(TextSpan(_PLACE, _PLACE + len(head)), ""))


def _check_what_is_shown_early(edited: Snapshot):
    parts: list[PartialSnapshot] = []

    def keep(part: Callable[[], PartialSnapshot | None]) -> None:
        parts.extend(made for made in (part(),) if made is not None)

    edited.analyse(keep)
    assert parts
    assert [early_difference(part, edited) for part in parts] == [None] * len(parts)
    assert difference(edited, Snapshot.open(edited.text, "example.relay"), _PLACE, whole=True) is None


@pytest.mark.parametrize("head", [f"def @other(%x: {_TYPE}) {{\n", "def @other(%y: int32) {\n"])
def test_statements_that_mean_what_they_did_keep_what_is_known_of_them(head: str):
    before = Snapshot.open(_TEXT, "example.relay")
    for group in before.token_groups():
        group.memo["seen"] = group.text
    split = before.edit(TextSpan(_PLACE, _PLACE), head)
    again = split.edit(TextSpan(_PLACE, _PLACE + len(head)), "")
    for edited in (split, again):
        groups = list(edited.token_groups())
        kept = [group for group in groups if group.memo.get("seen") == group.text]
        assert len(groups) - len(kept) < 5
