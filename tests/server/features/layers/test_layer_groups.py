"""Layers as colours and as a table."""

from __future__ import annotations

import itertools
import math

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.features.layers.colours import SHADES, THEMES, ColourBook
from relay_lsp.server.features.layers.groups import group_values
from relay_lsp.server.features.layers.indexing import layer_index
from relay_lsp.server.features.layers.table import layer_table
from relay_lsp.server.features.provenance.history import ValueEvent

TEXT = """#[version = "0.0.5"]
def @main(%x: Tensor[(2, 4), float32]) {
  %0 = nn.relu(%x) /* si=[torch.relu_1] */;
  let %a = exp(%0) /* si=[torch.exp_2] */;
  %1 = fn (%p: Tensor[(2, 4), float32], Composite="dnnl.add", Primitive=1) -> Tensor[(2, 4), int8] {
    %2 = add(%p, 1f) /* si=[torch.exp_2] */;
    cast(%2, dtype="int8") /* si=[torch.exp_2, torch.out] */
  };
  %3 = @offloaded(%a);
  %1(%3)
}

def @offloaded(%y: Tensor[(2, 4), float32], Compiler="dnnl") -> Tensor[(2, 4), float32] {
  tanh(%y)
}
"""


def groups(by: str) -> dict[str, list[str]]:
    snapshot = Snapshot.open(TEXT, "a.relay")
    assert not [each for each in snapshot.diagnostics if each.severity.name == "ERROR"], snapshot.diagnostics

    def last_event(span: TextSpan) -> ValueEvent | None:
        return ValueEvent("Fuse", ()) if TEXT[span.start :].startswith("add(") else None

    spans = [TextSpan(0, len(TEXT))]
    found = group_values(snapshot, spans, by, layer_index(LineIndex(TEXT)), last_event)
    return {name: [TEXT[span.start : span.end] for span in places] for name, places in found.items()}


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (
            "layer",
            {
                "torch.relu_1": ["nn.relu(%x)"],
                "torch.exp_2": ["exp(%0)", "add(%p, 1f)"],
                "torch.exp_2 + torch.out": ['cast(%2, dtype="int8")'],
            },
        ),
        (
            "compiler",
            {
                "tvm": ["nn.relu(%x)", "exp(%0)"],
                "dnnl.add": ["add(%p, 1f)", 'cast(%2, dtype="int8")', "%1(%3)"],
                "dnnl": ["@offloaded(%a)", "tanh(%y)"],
            },
        ),
        (
            "dtype",
            {
                "float32": ["nn.relu(%x)", "exp(%0)", "add(%p, 1f)", "@offloaded(%a)", "tanh(%y)"],
                "int8": ['cast(%2, dtype="int8")', "%1(%3)"],
            },
        ),
        (
            "pass",
            {
                "no pass": ["nn.relu(%x)", "exp(%0)", 'cast(%2, dtype="int8")', "@offloaded(%a)", "%1(%3)", "tanh(%y)"],
                "Fuse": ["add(%p, 1f)"],
            },
        ),
    ],
)
def test_values_are_grouped(by: str, expected: dict[str, list[str]]):
    assert groups(by) == expected


def test_a_layer_is_a_row_with_what_goes_in_and_out():
    snapshot = Snapshot.open(TEXT, "a.relay")
    rows = {row.name: row for row in layer_table(snapshot, layer_index(LineIndex(TEXT)))}
    relu, exp = rows["torch.relu_1"], rows["torch.exp_2"]
    tensor = "Tensor[(2, 4), float32]"
    assert (dict(relu.operators), relu.inputs, relu.outputs, relu.bytes) == ({"nn.relu": 1}, [tensor], [tensor], 32)
    assert exp.operators == {"exp": 1, "add": 1, "cast": 1}
    assert exp.bytes == 32 + 32 + 8
    assert (relu.flops, exp.flops, exp.uncounted) == (8, 8 + 8 + 8, {})


def test_a_layer_says_what_it_costs():
    """Nested calls, infix operators, elements of tuples and functions count; what no rule counts is named."""
    image, weight = "Tensor[(1, 3, 8, 8), float32]", "Tensor[(16, 3, 3, 3), float32]"
    text = f"""#[version = "0.0.5"]
def @main(%x: {image}, %w: {weight}, %t: ({image}, {weight})) {{
  %0 = nn.relu(nn.conv2d(%x, %w, padding=[1, 1, 1, 1])) /* si=[conv] */;
  %1 = nn.conv2d(%t.0, %t.1) + 1f /* si=[projected] */;
  %2 = fn (%p: {image}, Primitive=1) {{
    %3 = exp(%p) /* si=[fused] */;
    sort(%3) /* si=[fused] */
  }};
  %4 = %2(%x) /* si=[called] */;
  (%0, %1, %4)
}}
"""
    snapshot = Snapshot.open(text, "a.relay")
    assert not snapshot.diagnostics
    rows = {row.name: row for row in layer_table(snapshot, layer_index(snapshot.lines))}
    assert rows["conv"].flops == 16 * 64 * 2 * 27 + 16 * 64
    assert rows["projected"].flops == 16 * 36 * 2 * 27 + 16 * 36
    assert (rows["fused"].flops, dict(rows["fused"].uncounted)) == (192, {"sort": 1})
    assert rows["called"].flops == 0


def linear(colour: str) -> list[float]:
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(first: str, second: str) -> float:
    """As WCAG 2 defines it."""
    low, high = sorted(
        sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))
        for colour in (first, second)
    )
    return (high + 0.05) / (low + 0.05)


LEAST_CONTRAST = {"light": 4.5, "dark": 4.5, "highContrast": 7, "highContrastLight": 7}


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_every_colour(theme: str):
    """With the contrast that WCAG 2 asks for at level AA, and at level AAA where contrast is high."""
    book = ColourBook()
    colours = [book.colour("layer", f"layer.{number}", theme) for number in range(SHADES)]
    assert len({colour.solid for colour in colours}) == SHADES
    assert min(contrast(colour.solid, colour.text) for colour in colours) >= LEAST_CONTRAST[theme]


EYES = {
    "most": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopes": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopes": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopes": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""What of linear RGB people see (Machado, Oliveira and Fernandes, 2009)."""


def lab(colour: str, eyes: str) -> tuple[float, float, float]:
    """A colour in CIELAB, as some people see it."""
    parts = linear(colour)
    red, green, blue = (max(0.0, sum(a * b for a, b in zip(row, parts, strict=True))) for row in EYES[eyes])
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    x, y, z = (each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("theme", THEMES)
def test_the_colours_differ_for_those_who_see_fewer(theme: str, eyes: str):
    """By more than the 2.3 of CIELAB that can just be noticed: the first seven from one another, each from the next."""
    book = ColourBook()
    seen = [lab(book.colour("layer", str(number), theme).solid, eyes) for number in range(SHADES)]
    assert min(math.dist(*pair) for pair in itertools.combinations(seen[:7], 2)) >= 3.3
    assert min(math.dist(*pair) for pair in itertools.pairwise(seen)) >= 3.5


def test_a_name_keeps_its_colour():
    book = ColourBook()
    first = book.colour("layer", "conv", "dark")
    assert book.colour("layer", "relu", "dark") != first
    assert book.colour("layer", "conv", "dark") == first


def test_a_function_that_a_screen_shows_a_part_of_has_its_colour() -> None:
    text = """def @main(%x: float32) {
  %0 = fn (%p: float32, Primitive=1) {
    %1 = exp(%p) /* si=[inner] */;
    tanh(%1) /* si=[inner] */
  } /* si=[fused] */;
  %2 = %0(%x) /* si=[below] */;
  %2
}
"""
    snapshot = Snapshot.open(text, "a.relay")
    line = text.index("    tanh")
    seen = group_values(snapshot, [TextSpan(line, line + 5)], "layer", layer_index(LineIndex(text)), lambda span: None)
    assert {name: [text[span.start :][:5] for span in spans] for name, spans in seen.items()} == {
        "fused": ["fn (%"],
        "inner": ["tanh("],
    }
