"""What an edit makes and the next one drops is freed at once: it does not wait for the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.diagnostics.diagnostics import diagnostics

_BODY = "".join(f"  %{n} = nn.relu(%{n - 1});\n" for n in range(1, 200))
_HEAD = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 64), float32]) {\n  %0 = nn.relu(%x);\n'
_PLAIN = f"{_HEAD}{_BODY}  nn.relu(%199)\n}}\n"
_WHOLE = _PLAIN.replace("def @main", "type Pair {\n  Both(float32, float32),\n}\ndef @main")
_METADATA = _PLAIN + "#[metadata]\n{"
_PARAMETERS = "".join(f", %w{n}: Tensor[(64, {n}), float32]" for n in range(100))
_LONG_HEAD = _PLAIN.replace("float32])", f"float32]{_PARAMETERS})")
_UNUSED = f"def @above() {{ 1 }}\n{_HEAD}{''.join(f'  %{n} = nn.relu(%x);' for n in range(1, 200))}  %x\n}}\n"
_EDITS = {
    "the name of an operator": (_PLAIN, "relu(%50)", "x", "relx"),
    "a value that nothing uses": (_PLAIN, "%50)", "%49)", "%48)"),
    "a parameter of many": (_LONG_HEAD, "%w50", "%w", "%w50_new"),
    "the name of a function of many parameters": (_LONG_HEAD, "main", "ma", "main_new"),
    "the brace of a head of many parameters": (_LONG_HEAD, "{", "", "{"),
    "the dtype of a parameter": (_PLAIN, "float32", "", "float16"),
    "the name of a data type": (_WHOLE, "Pair", "P", "Pairs"),
    "metadata that cannot be read": (_METADATA, "{", "{{", "[["),
    "what stands above values that nothing uses": (_UNUSED, "{ 1 }", "{ 22 }", "{ 333 }"),
}


def _show(part: Callable[[], object]) -> None:
    """Take a part as a server does that shows it."""
    part()


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Leave objects in circles where they are, until the test asks for them."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collection")
@pytest.mark.parametrize("edited", _EDITS)
def test_an_edit_leaves_nothing_to_the_garbage_collector(edited: str) -> None:
    text, old, first, second = _EDITS[edited]
    snapshot = Snapshot.open(text, "edited.relay")
    written = old
    start = text.rindex(old)
    for number in range(20):
        typed = (first, second)[number % 2]
        snapshot = snapshot.edit(TextSpan(start, start + len(written)), typed)
        snapshot.analyse(_show)
        diagnostics(snapshot)
        written = typed
        if number == 9:
            gc.collect()  # caches are filled by now
    left = gc.collect()
    assert left < 10  # less than an object for each edit
