"""Every word of a line answers: elements of lists, shapes, definitions, functions, comments, directives."""

from __future__ import annotations

import json

import numpy as np
import pytest

from relay_lsp.ir import Call, Constant, Function, GlobalVar, IRModule, ops, to_text
from relay_lsp.server.features.hover import hover, render
from tests.fixture import read_fixture

CONVOLUTION = """
def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 3, 3, 3), float32]) {
  %0 = nn.conv2d(%x, %w, strides=[1, 2], padding=[1, 2, 3, 4], kernel_size=[3, 3])
    /* ty=Tensor[(1, 4, 12, 6), float32] */;
  %0
}
"""


def hovered(source: str) -> str:
    fixture = read_fixture(source)
    content = hover(fixture.snapshot, fixture.offset)
    assert content is not None
    return render(content)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("strides=[1, $02]", "Element 1 of 2: `2`, width"),
        ("padding=[1, 2, $03, 4]", "Element 2 of 4: `3`, after the height"),
        ("kernel_size=[$03, 3]", "`kernel_size`: a list of dimensions"),
        ("kernel_size=$0[3, 3]", "nn.conv2d(…, kernel_size=[3, 3]): Tensor[(1, 4, 10, 6), float32]"),
    ],
)
def test_a_number_in_a_list_is_an_element_of_the_attribute(place: str, words: str) -> None:
    assert words in hovered(CONVOLUTION.replace(place.replace("$0", ""), place))


def test_a_comment_leaves_no_blank_where_it_stood() -> None:
    source = "def @main(%x: float32) {\n  fn$0 (%y: float32 /* ty=float32 */, %z: float32 /* a */) { %y }\n}"
    assert "fn (%y: float32, %z: float32) { … }" in hovered(source)


def test_a_number_in_a_shape_is_the_size_of_an_axis() -> None:
    shown = hovered(CONVOLUTION.replace("(4, 3, 3, 3)", "($04, 3, 3, 3)"))
    assert "Tensor[(4, 3, 3, 3), float32]" in shown
    assert "Axis 0 of 4: `4`" in shown


@pytest.mark.parametrize("place", ["%$00 = nn", "\n  %$00\n"])
def test_a_definition_and_its_uses_show_the_statement(place: str) -> None:
    shown = hovered(CONVOLUTION.replace(place.replace("$0", ""), place))
    assert "%0: Tensor[(1, 4, 10, 6), float32]\n  = nn.conv2d(%x, %w, strides=[1, 2]" in shown
    assert "ty=" not in shown


def test_a_function_bound_to_a_name_shows_its_head() -> None:
    source = "def @main(%x: float32) {\n  %0 = fn (%y: float32) {\n    add(%y, %y)\n  };\n  %$00(%x)\n}"
    assert "%0: fn (float32) -> float32\n  = fn (%y: float32) { … }" in hovered(source)


@pytest.mark.parametrize("place", ["$0def @main", "def @$0main", "$0{"])
def test_a_function_shows_its_whole_signature(place: str) -> None:
    source = "def @main(%x: Tensor[(2), float32], %y: int8, Primitive=1) { %x }"
    shown = hovered(source.replace(place.replace("$0", ""), place))
    assert "def @main(%x: Tensor[(2), float32], %y: int8, Primitive=1) -> Tensor[(2), float32]" in shown


def test_a_long_signature_is_folded() -> None:
    parameters = ", ".join(f"%x{number}: Tensor[(1, 16), float32]" for number in range(60))
    lines = hovered(f"def @m$0ain({parameters}) {{ %x0 }}").splitlines()
    assert lines[1:3] == ["def @main(", "  %x0: Tensor[(1, 16), float32],"]
    assert lines[-3:-1] == ["  … 52 more", ") -> Tensor[(1, 16), float32]"]


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("(1, 4, 12, 6)", "which is not the type that is inferred"),
        ("(1, 4, 10, 6)", "The comment says the type that is inferred."),
    ],
)
def test_a_type_comment_shows_its_value_and_whether_it_is_true(comment: str, words: str) -> None:
    shown = hovered(CONVOLUTION.replace("ty=Tensor[(1, 4, 12, 6)", f"ty=Ten$0sor[{comment}"))
    assert "nn.conv2d(%x, %w" in shown
    assert ": Tensor[(1, 4, 10, 6), float32]" in shown
    assert words in shown


@pytest.mark.parametrize(
    "declared", ["def @main(%x: int8 /* t$0y=int8 */) { %x }", "let %x: int8 /* t$0y=int8 */ = 1i8; %x"]
)
def test_the_type_comment_of_a_name_is_about_the_name(declared: str) -> None:
    source = declared if declared.startswith("def") else f"def @main() {{ {declared} }}"
    assert "%x: int8" in hovered(source)


def test_the_version_line_and_the_attributes_of_functions() -> None:
    assert "TVM v0.12.0 writes `0.0.5`" in hovered('#[ver$0sion = "0.0.5"]\ndef @main() { 1f }')
    assert "Marks a fused kernel" in hovered("def @main() { fn (%x: float32, Primi$0tive=1) { %x } }")


def test_a_metadata_reference_shows_the_constant(constant_text: str) -> None:
    shown = hovered(constant_text.replace("meta[", "me$0ta[", 1))
    assert "meta[relay.Constant][0]: Tensor[(2), float32]" in shown
    assert "A constant of 2 values: 1, 2" in shown


def test_a_reference_to_attributes_shows_them() -> None:
    nodes = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["relay.attrs.UniqueAttrs"], "data": [2]},
        {"type_key": "Array", "data": [3]},
        {"type_key": "relay.attrs.UniqueAttrs", "attrs": {"return_counts": "1", "sorted": "0"}},
    ]
    table = json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": [], "attrs": {"tvm_version": "0.12.0"}})
    call = "unique(%x, meta[relay.attrs.Uni$0queAttrs][0])"
    source = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {{\n  {call}\n}}\n\n#[metadata]\n{table}'
    shown = hovered(source)
    assert "```relay\nmeta[relay.attrs.UniqueAttrs][0]\n```" in shown
    assert "`sorted=False`" in shown
    assert "`return_counts=True`" in shown


@pytest.mark.parametrize(
    ("source", "headline"),
    [
        ("def @main(%f: f$0n (int32) -> int32) { %f(1) }", "%f: fn (int32) -> int32"),
        ("def @main(%f: fn $0(int32) -> int32) { %f(1) }", "%f: fn (int32) -> int32"),
        ("def @main(%x: int32) { fn (%y: $0(int32, int32)) { %y } }", "%y: (int32, int32)"),
        (
            "def @main(%x: int32) { let %y: $0(int32, int32) = (%x, %x); %y }",
            "let %y: (int32, int32)\n  = (%x, %x)",
        ),
    ],
)
def test_the_type_of_a_name_is_told_once(source: str, headline: str) -> None:
    assert f"```relay\n{headline}\n```" in hovered(source)


@pytest.mark.parametrize(("arm", "headline"), [("C$0ons", "Cons(A, List[A]): List[A]"), ("Cons", "Nil: List[A]")])
def test_a_constructor_tells_of_which_type_it_is(arm: str, headline: str) -> None:
    nil = "N$0il" if "$0" not in arm else "Nil"
    source = "type List[A] { Cons(A, List[A]), Nil, }\ndef @main(%xs: List[int32]) { match (%xs) { "
    assert f"```relay\n{headline}\n```" in hovered(f"{source}{arm}(%a, %b) => 1, {nil} => 0, }} }}")


def test_the_metadata_section_lists_what_it_holds(constant_text: str) -> None:
    assert "`meta[relay.Constant]`" in hovered(constant_text.replace("#[metadata]", "#[meta$0data]"))


@pytest.fixture(scope="module")
def constant_text() -> str:
    """A module with a constant in its metadata section, as the printer writes it."""
    value = Constant(np.array([1, 2], dtype="float32"))
    function = Function([], Call(ops.get("nn.relu"), [value]))
    return to_text(IRModule({GlobalVar("main"): function}))
