"""The index of layers after any edits is that of the text made afresh, though most of it is shared."""

from __future__ import annotations

import random

import pytest

from relay_lsp.ir.syntax.lexer import lex
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.layers.indexing import layer_index
from relay_lsp.server.features.provenance import stated, value_starts
from relay_lsp.server.history.followed_buffer import FollowedBuffer, KnownText
from relay_lsp.server.worker.pass_changes import SpanLayers

STATEMENTS = 400
"""Enough for several blocks of lines."""


def text_and_layers(comments: bool) -> tuple[str, SpanLayers]:
    """Statements on one line, and functions over several; the layers stand in comments, or beside the text."""
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n'
    layers: list[tuple[int, int, tuple[tuple[str, int, int], ...]]] = []
    for number in range(STATEMENTS):
        layer = f"block.{number // 7}"
        comment = f" /* si=[{layer}] */" if comments and number % 3 else ""
        value = f"nn.relu(%v{number - 1})" if number else "nn.relu(%x)"
        is_function = number % 50 == 49
        text += f"  let %v{number} = "
        start = len(text)
        if is_function and not comments:
            text += f"fn (%p: Tensor[(4), float32], Primitive=1) {{\n    {value}\n  }}"
        else:
            text += value
        layers.append((start, len(text), ((layer, 0, 0),)))
        text += f"{comment};\n"
    return text + f"  %v{STATEMENTS - 1}\n}}\n", tuple(layers)


@pytest.mark.parametrize("comments", [True, False], ids=["comments", "recorded"])
@pytest.mark.parametrize("seed", range(4))
def test_the_index_after_edits_is_that_of_the_text_afresh(seed: int, comments: bool) -> None:
    choose = random.Random(seed)
    text, layers = text_and_layers(comments)
    lines = LineIndex(text)
    known = KnownText(lines, read_layers=lambda: layers)
    buffer = FollowedBuffer(known)
    earlier = [lines]
    for _ in range(15):
        action = choose.random()
        if action < 0.2:
            lines = choose.choice(earlier)
        else:
            line = choose.randrange(3, lines.line_count - 4)
            start, end = lines.line_start(line), lines.line_start(line + 1)
            if action < 0.4:
                change, new_text = TextSpan(start, end), ""
            elif action < 0.6:
                change, new_text = TextSpan(start, start), f"  let %n{choose.randrange(10**6)} = exp(%x);\n"
            elif action < 0.8:
                change, new_text = TextSpan(start, end), lines.part(start, end).replace("relu", "log_softmax")
            else:
                moved = lines.part(start, end)
                lines = lines.edited(TextSpan(start, end), "")
                elsewhere = lines.line_start(choose.randrange(3, lines.line_count - 4))
                change, new_text = TextSpan(elsewhere, elsewhere), moved
            lines = lines.edited(change, new_text)
            earlier.append(lines)
        buffer.edited(lines)
        followed = buffer.at(lines)
        afresh = layer_index(LineIndex(lines.text), followed.layers)
        assert followed.index.values == afresh.values
        assert followed.index.by_layer == afresh.by_layer
        place = TextSpan(*(choose.randrange(lines.length),) * 2)
        assert followed.index.around(place) == afresh.around(place)


def test_values_over_several_lines_stay_in_one_piece() -> None:
    """An edit inside of a function, far below where the block of lines begins that it stands in."""
    text, layers = text_and_layers(comments=False)
    buffer = FollowedBuffer(KnownText(LineIndex(text), read_layers=lambda: layers))
    offset = text.index("Primitive=1) {\n    nn.relu") + len("Primitive=1) {\n    nn.relu")
    lines = buffer.at(buffer.at(LineIndex(text)).map.new).map.new.edited(TextSpan(offset, offset), "6")
    value = buffer.at(lines).index.around(TextSpan(offset, offset))
    assert value is not None
    assert lines.part(*value.span).startswith("fn (")
    assert value.layers == ("block.7",)


def test_an_edit_in_a_function_reads_the_lines_around_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comments stand behind the braces, whose values begin lines above."""
    functions = [
        f"  let %f{number} = fn (%p: float32, Primitive=1) {{\n    exp(%p) /* si=[in.{number}] */\n"
        f"  }} /* si=[of.{number}] */;\n"
        for number in range(3000)
    ]
    lines = LineIndex(f"def @main(%x: float32) {{\n{''.join(functions)}  %x\n}}\n")
    buffer = FollowedBuffer(KnownText(lines))
    assert len(buffer.at(lines).index.values) == 6000
    read: list[int] = []
    monkeypatch.setattr(value_starts, "lex", lambda text: read.append(len(text)) or lex(text))
    for layer in ("in.1000", "in.2000"):
        offset = lines.text.index(f"exp(%p) /* si=[{layer}]")
        lines = lines.edited(TextSpan(offset, offset + len("exp")), "tanh")
        (value,) = buffer.at(lines).index.values_of(layer.replace("in", "of"))
        assert lines.part(*value.span).startswith("fn (%p: float32, Primitive=1) {\n    tanh(%p)")
        assert lines.part(*value.span).endswith("}")
    assert sum(read) < lines.length / 3


@pytest.mark.parametrize("comments", [True, False], ids=["comments", "recorded"])
def test_what_was_read_ahead_is_not_read_again(comments: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for the first question about the text, nor for the first one after an edit but around it."""
    text, layers = text_and_layers(comments)
    text = text.replace("block.", "ahead.")  # no other test has read these lines
    lines = LineIndex(text)
    buffer = FollowedBuffer(KnownText(lines, read_layers=lambda: layers))
    for _ in buffer.at(lines).read_ahead():
        pass
    read: list[int] = []
    sources_of = stated._ends_with_sources  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(stated, "_ends_with_sources", lambda text: read.append(len(text)) or sources_of(text))
    assert buffer.at(lines).index.values
    assert not read
    offset = text.index("nn.relu(%v200)")
    edited = lines.edited(TextSpan(offset, offset + len("nn.relu")), "exp")
    assert buffer.at(edited).index.values
    assert sum(read) < len(text)
    (value,) = [each for each in buffer.at(edited).known.layers.values if each[0].contains(offset)]
    assert buffer.at(edited).layers_of(TextSpan(offset, offset + len("exp(%v200)"))) == value[1]
