"""No answer hurts: what an editor asks about a hostile text is answered in time that goes with the text's length."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.call_search import find_calls
from relay_lsp.server.features.diagnostics import diagnostics
from relay_lsp.server.features.inlay_hints import inlay_argument_names, inlay_shapes
from tests.hostile_figures import seconds_allowed

_SHARED_MACHINE = 3.0


def _main(body: str) -> str:
    return f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(3, 4), float32]) {{\n  {body}\n}}\n'


_TEXTS: dict[str, str] = {
    "calls in calls": _main("add(" * 2_400 + "%x" + ", %x)" * 2_400),
    "calls beside calls": _main("(" + "nn.relu(nn.relu(%x)), " * 2_000 + ")"),
    "brackets that nothing closes": _main("add(%x, " * 16_000),
}
_ANSWERS: dict[str, Callable[[Snapshot], object]] = {
    "hints of arguments": lambda snapshot: list(inlay_argument_names(snapshot, TextSpan(0, snapshot.lines.length))),
    "hints of shapes": lambda snapshot: list(inlay_shapes(snapshot, TextSpan(0, snapshot.lines.length))),
    "a search for calls": lambda snapshot: list(find_calls(snapshot, "relu")),
}


@pytest.fixture
def no_objects_of_other_tests() -> Iterator[None]:
    """Keep the garbage collector from walking what other tests of the process hold: a server has none of it."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("no_objects_of_other_tests")
@pytest.mark.parametrize("written", _TEXTS)
def test_answers_about_thousands_of_calls_take_time_that_goes_with_the_text(written: str) -> None:
    text = _TEXTS[written]
    snapshot = Snapshot.open(text, "hostile.relay")
    diagnostics(snapshot)
    for asked, answer in _ANSWERS.items():
        started = time.process_time()
        answer(snapshot)
        assert time.process_time() - started < _SHARED_MACHINE * seconds_allowed(text), asked
