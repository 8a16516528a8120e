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


@pytest.mark.parametrize("seed", [5068])
def test_what_is_not_used_is_not_shown_before_it_is_known_whether_a_misspelled_name_means_it(seed: int):
    """A script that showed ``%1`` as unused while statements below it, one with ``%6x``, were still to be typed."""
    with blocks_of(seed):
        run_script(seed)
