"""What is read statement by statement means what it does where the whole text is read."""

from __future__ import annotations

import re

import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.semantic.lints.unreachable import unreachable
from relay_lsp.ir.semantic.snapshot import Snapshot
from tests.ir.semantic.editing.comparison import described, symbols_of, tokens_of
from tests.ir.semantic.editing.modules import texts

_PARTS = 8


@pytest.mark.parametrize("part", range(_PARTS))
def test_sound_texts_mean_the_same_however_they_are_read(part: int):
    for text in texts()[part :: 5 * _PARTS]:
        for one in (text, _twice(text)):
            whole = Snapshot.open_whole(one, "example.relay")
            if any(diagnostic.severity is Severity.ERROR for diagnostic in whole.diagnostics):
                continue
            snapshot = Snapshot.open(one, "example.relay")
            assert described(snapshot.diagnostics) == described(whole.diagnostics), one
            assert described(unreachable(snapshot)) == described(unreachable(whole)), one
            assert tokens_of(snapshot) == tokens_of(whole), one
            assert symbols_of(snapshot) == symbols_of(whole), one


def _twice(text: str) -> str:
    """A text with every function a second time, under other names, so that each statement is like another."""
    start = re.search(r"^def @", text, re.MULTILINE)
    if start is None:
        return text
    end = text.find("#[metadata]") if "#[metadata]" in text else len(text)
    functions = text[start.start() : end]
    again = re.sub(r"(?<!\w)@(\w+)", r"@\1_again", functions)
    again = re.sub(r"%(\d+)", lambda match: f"%{int(match[1]) + 10_000}", again)
    again = re.sub(r"%([A-Za-z]\w*)", r"%\1_again", again)
    return f"{text[:end]}\n{again}{text[end:]}"
