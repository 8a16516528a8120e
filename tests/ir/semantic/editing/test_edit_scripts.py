"""After any edits the state equals that of opening the text afresh.

These are some thousands of scripts; ``python -m tests.ir.semantic.editing --scripts 100000 --cuts 100000`` runs as many
as the caller likes.
"""

from collections.abc import Callable

import pytest

from tests.ir.semantic.editing.cuts import run_cuts
from tests.ir.semantic.editing.scripts import blocks_of, run_script

_SCRIPTS = 2000
_PARTS = 20


@pytest.mark.parametrize("run", [run_script, run_cuts])
@pytest.mark.parametrize("part", range(_PARTS))
def test_edits_give_what_opening_afresh_gives(part: int, run: Callable[[int], None]):
    for seed in range(part, _SCRIPTS, _PARTS):
        with blocks_of(seed):
            run(seed)
