"""Errors stay where they are: in the edited statement, and in those that use what it bound.

``python -m tests.ir.semantic.editing --scripts 0 --reach 10000 --lines 10000 --several 10000`` makes as many edits as
the caller likes.
"""

import pytest

from tests.ir.semantic.editing.lines import run_lines
from tests.ir.semantic.editing.reach import run_reach
from tests.ir.semantic.editing.several import run_several

_EDITS = 240
_PARTS = 8


@pytest.mark.parametrize("part", range(_PARTS))
def test_an_edit_makes_errors_in_its_statement_and_in_those_that_follow_from_it(part: int):
    for seed in range(part, _EDITS, _PARTS):
        assert run_reach(seed) is None


@pytest.mark.parametrize("part", range(_PARTS))
def test_an_edit_makes_errors_on_its_line_and_on_those_that_follow_from_it(part: int):
    for seed in range(part, _EDITS, _PARTS):
        assert run_lines(seed) is None


@pytest.mark.parametrize("part", range(_PARTS))
def test_lines_typed_pasted_or_cut_make_errors_there_and_in_what_follows_from_them(part: int):
    for seed in range(part, _EDITS, _PARTS):
        assert run_several(seed) is None
