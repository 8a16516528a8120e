"""Which values the comments of a text speak of."""

from __future__ import annotations

import random

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.provenance import values
from relay_lsp.server.features.provenance.line_pieces import line_pieces
from relay_lsp.server.features.provenance.provenance import origins_at
from relay_lsp.server.features.provenance.stated import stated_blocks, stated_layers, stated_pieces
from relay_lsp.server.features.provenance.values import value_at

TEXT = """#[version = "0.0.5"]
def @main(%c: bool, %x: Tensor[(4), float32]) {
  let %a: Tensor[(4), float32] = exp(%x) /* si=[layer.a] */;
  %0 = if (%c) {
    %1 = nn.relu(%a); /* layer.b */
    tanh(%1) /* ty=Tensor[(4), float32] */ /* si=[layer.c, layer.d] */
  } else {
    %x
  } /* layer.if */;
  /* not.behind */
  %2 = nn.conv2d(%x, meta[relay.Constant][0], kernel_layout="(OIHW") /* si=[quoted] */;
  %3 = (%2.0 /* layer.part */, f(%x)).1; // layer.no
  add(%f(%0), multiply(cos(%x) /* layer.inner */, 2f)) /* layer.f */
}
"""


def test_a_comment_belongs_to_the_value_before_it_on_its_line():
    stated = [
        (
            TEXT[value.span.start : value.span.end].partition("\n")[0],
            [source.source.source_name.name for source in value.sources],
        )
        for value in stated_layers(TEXT)
    ]
    assert stated == [
        ("exp(%x)", ["layer.a"]),
        ("if (%c) {", ["layer.if"]),
        ("nn.relu(%a)", ["layer.b"]),
        ("tanh(%1)", ["layer.c", "layer.d"]),
        ('nn.conv2d(%x, meta[relay.Constant][0], kernel_layout="(OIHW")', ["quoted"]),
        ("%2.0", ["layer.part"]),
        ("add(%f(%0), multiply(cos(%x) /* layer.inner */, 2f))", ["layer.f"]),
        ("cos(%x)", ["layer.inner"]),
    ]


def test_a_source_points_at_its_name():
    for value in stated_layers(TEXT[60:], 60):
        for source in value.sources:
            assert TEXT[source.span.start : source.span.end] == source.source.source_name.name


@pytest.mark.parametrize(
    "text", ["", "/* a */", "; /* a */", ") /* a */", "}}} /* a */ ;", "((( /* si=[x] */", "% /* b */;"]
)
def test_a_broken_text_has_values_or_none(text: str):
    for value in stated_layers(text):
        assert 0 <= value.span.start <= value.span.end <= len(text)


_LINES = (
    "  %0 = nn.relu(%x) /* si=[layer.a] */;\n",
    '  %1 = f(%x, layout="N(") /* si=[layer.b] */ /* ty=float32 */;\n',
    "  let %a = exp(%x); /* layer.c */\n",
    "  exp(%x) /* layer.d */\n",
    "  %2 = (%x /* layer.e */, %x);\n",
    "  %3 = if (%c) {\n",
    "  } /* layer.if */;\n",
    "  ;\n",
    "  %4 = fn (%p: Tensor[(4), float32],\n    Primitive=1) {\n",
    "    exp(%p) /* si=[layer.inner] */\n  } /* si=[layer.fused] */;\n",
    "  %5 = add(%x, f(\n",
    "    %1), (\n    %x)) /* si=[layer.call] */;\n",
    "  %6 = /* open\n",
    "    closed */ exp(%x) /* si=[layer.behind] */;\n",
    "  /* %7 = exp(%x) /* si=[layer.hidden] */;\n",
    "  */ %8 = tanh(%x) /* si=[layer.seen] */;\n",
    "  /* layer.alone */ /* layer.second */\n",
    "  // a line\n",
    "\n" * 20_000,
)
_INSERTED = ("/*", "*/", '"', ";", "\n", "}", "/* layer.z */", "%x", "\r")


@pytest.mark.parametrize("seed", range(30))
def test_where_blocks_of_lines_meet_changes_nothing(seed: int):
    """Functions, calls and comments over many lines, cut wherever a block may end."""
    choose = random.Random(seed)
    lines = choose.choices(_LINES[:-1], k=30)
    blocks = [next(iter(lines))]
    for line in lines[1:]:
        if choose.random() < 0.3:
            blocks.append(line)
        else:
            blocks[-1] += line
    values = [
        value._replace(span=value.span.shifted(block.start), sources=())
        for block in stated_pieces(line_pieces(blocks))
        for value in block.all_values
    ]
    assert values == [value._replace(sources=()) for value in stated_layers("".join(blocks))]


@pytest.mark.parametrize("seed", range(12))
def test_after_any_edit_a_text_says_what_it_says_when_it_is_opened(seed: int):
    choose = random.Random(seed)
    # The first lines stand alone; some texts have others, that belong to what is around them, where blocks may meet.
    kinds = _LINES[:2] if seed < 4 else _LINES[:3] if seed < 8 else _LINES
    lines = LineIndex(
        "def @main(%x: float32) {\n" + "".join(choose.choices(kinds, k=60 if seed >= 8 else 1500)) + "}\n"
    )
    for _ in range(6):
        values = [
            value._replace(
                span=value.span.shifted(block.start),
                sources=tuple((layer, span.shifted(block.start)) for layer, span in value.sources),
            )
            for block in stated_blocks(lines)
            for value in block.all_values
        ]
        assert values == stated_layers(lines.text)
        start = choose.randrange(lines.length)
        span = TextSpan(start, min(lines.length, start + choose.choice((0, 0, 1, 60))))
        lines = lines.edited(span, choose.choice(_INSERTED))


def test_a_statement_that_is_commented_out_says_nothing():
    text = "/* %0 = exp(%x) /* si=[hidden] */;\n*/ %1 = exp(%x) /* si=[seen] */;\n"
    (value,) = stated_layers(text)
    assert (text[value.span.start : value.span.end], value.sources[0].source.source_name.name) == ("exp(%x)", "seen")


@pytest.mark.parametrize("front", ["/* first */ ", "/* 1 *//* 2 */", "  /* nested /* here */ */ "])
def test_a_comment_in_front_of_a_statement_is_no_part_of_its_value(front: str):
    text = f"{front}%0 = nn.relu(%x) /* layer.a */;\n{front}exp(%0) /* layer.b */"
    stated = stated_layers(text)
    assert [text[value.span.start : value.span.end] for value in stated] == ["nn.relu(%x)", "exp(%0)"]


def test_strings_with_brackets_do_not_move_the_beginning_of_a_value():
    text = '  %0 = f(%x, layout="N((;") /* layer.a */;\n'
    (value,) = stated_layers(text)
    assert text[value.span.start : value.span.end] == 'f(%x, layout="N((;")'


def test_a_long_statement_is_not_read_for_each_question_and_the_answers_are_the_same(monkeypatch: pytest.MonkeyPatch):
    snapshot = Snapshot.open(TEXT, "model.relay")
    read = [origins_at(snapshot, offset) for offset in range(len(TEXT))]
    monkeypatch.setattr(values, "_LONGEST_READ", 0)
    assert [origins_at(snapshot, offset) for offset in range(len(TEXT))] == read
    assert any(read)


def test_a_parameter_comes_from_what_the_comment_behind_it_names():
    text = """#[version = "0.0.5"]
def @main(%p: Tensor[(4), float32] /* ty=Tensor[(4), float32] span=net.py:3:1 */, %q: float32 /* layer.q */) { %q }
"""
    snapshot = Snapshot.open(text, "model.relay")
    for name, origin in (("%p", "net.py:3:1"), ("%q", "layer.q")):
        assert list(map(str, origins_at(snapshot, text.index(name) + 1))) == [origin]
    comment = text.index("layer.q")
    assert value_at(snapshot, comment) == TextSpan(text.index("%q"), text.index(" /* layer.q"))
