"""What is told of the beginning of a long text is true of the whole."""

from __future__ import annotations

import random
from unittest import mock

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.hints.inlay_hints import inlay_hints
from relay_lsp.server.session import preview
from relay_lsp.server.session.preview import preview_of
from tests.ir.semantic.editing.modules import texts
from tests.ir.semantic.editing.scripts import random_edit
from tests.whole_texts import semantic_tokens

HEAD = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(8), float32]) {\n'


def statements(count: int) -> str:
    return "".join(f"  %{number} = nn.relu(%{number - 1 if number else 'x'});\n" for number in range(count))


def test_faults_at_the_beginning_are_found_without_reading_the_rest():
    text = f"{HEAD}{statements(1_000)}  %999\n}}\n".replace("nn.relu(%4)", "nn.rely(%4)")
    beginning = preview_of(LineIndex(text), "long.relay")
    assert beginning is not None
    assert [each.code for each in beginning.sure(beginning.snapshot.diagnostics)] == ["undefined-operator"]


def test_what_the_beginning_leaves_open_is_not_told():
    """Here, nothing uses the last values and the value of the function is missing, until the rest is read."""
    text = f"{HEAD}{statements(1_000)}  %999\n}}\n"
    beginning = preview_of(LineIndex(text), "long.relay")
    assert beginning is not None
    assert beginning.snapshot.diagnostics
    assert not beginning.sure(beginning.snapshot.diagnostics)


@pytest.mark.parametrize("rest", ["type T { nn }\n", "def @nn() { 1f }\n", "  extern type T\n"])
def test_where_something_is_defined_below_nothing_is_sure(rest: str):
    text = f"{HEAD}{statements(1_000)}  %999\n}}\n{rest}".replace("nn.relu(%4)", "Cons(%4)")
    beginning = preview_of(LineIndex(text), "long.relay")
    assert beginning is None or not beginning.sure(beginning.snapshot.diagnostics)


def test_a_short_text_and_one_that_is_laid_out_otherwise_have_no_beginning():
    assert preview_of(LineIndex(f"{HEAD}{statements(20)}  %19\n}}\n"), "short.relay") is None
    assert preview_of(LineIndex((HEAD + statements(1_000)).replace("  %", "%")), "flat.relay") is None


@pytest.mark.parametrize("seed", range(150))
def test_what_is_sure_of_the_beginning_is_true_of_every_text(seed: int):
    chance = random.Random(seed)
    text = chance.choice(texts())
    history = [text]
    for _ in range(chance.randrange(4)):
        span, new_text = random_edit(chance, text, history)
        text = text[: span.start] + new_text + text[span.end :]
        history.append(text)
    with mock.patch.object(preview, "_LINES", chance.randrange(6, 20)):
        beginning = preview_of(LineIndex(text), "any.relay")
    if beginning is None or not beginning.is_plain:
        return
    whole = Snapshot.open(text, "any.relay")
    sure = beginning.sure(beginning.snapshot.diagnostics)
    known = {(each.code, each.span, each.message, each.severity) for each in whole.diagnostics}
    assert {(each.code, each.span, each.message, each.severity) for each in sure} <= known


def test_tokens_and_hints_of_the_beginning_are_those_of_the_whole():
    text = f"{HEAD}{statements(1_000)}  %999\n}}\n"
    whole, beginning = Snapshot.open(text, "long.relay"), preview_of(LineIndex(text), "long.relay")
    assert beginning is not None
    screen = TextSpan(0, text.index("%60 ="))
    assert beginning.has(screen)
    assert list(semantic_tokens(beginning.snapshot, screen)) == list(semantic_tokens(whole, screen))
    assert list(inlay_hints(beginning.snapshot, screen)) == list(inlay_hints(whole, screen))
