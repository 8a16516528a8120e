"""After any edits the state equals that of opening the text afresh.

These are some thousands of scripts; ``python -m tests.ir.editing --scripts 100000 --cuts 100000`` runs as many as you
like.
"""

import pytest

from tests.ir.editing.cuts import run_cuts
from tests.ir.editing.scripts import run_script, small_blocks

_SCRIPTS = 2000
_PARTS = 20


@pytest.mark.parametrize("part", range(_PARTS))
def test_edits_give_what_opening_afresh_gives(part: int):
    for seed in range(part, _SCRIPTS, _PARTS):
        if seed % 2:
            run_script(seed)
        else:
            with small_blocks():
                run_script(seed)


@pytest.mark.parametrize("part", range(_PARTS))
def test_edits_cut_a_text_where_opening_it_afresh_cuts_it(part: int):
    for seed in range(part, _SCRIPTS, _PARTS):
        if seed % 2:
            run_cuts(seed)
        else:
            with small_blocks():
                run_cuts(seed)
