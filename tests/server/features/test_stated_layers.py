"""Which values the comments of a text speak of."""

from __future__ import annotations

import pytest

from relay_lsp.server.features.layers.stated import stated_layers

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
