"""Lines above functions: how large they are, what can be run on them, which passes made the text."""

from __future__ import annotations

from relay_lsp.server.features.hints.code_lens import LensKind, lenses, size_of
from tests.fixture import read_fixture


def test_a_function_tells_its_size() -> None:
    snapshot = read_fixture("""
def @main(%x: float32, %f: fn (float32) -> float32) -> float32 {
  %0 = fn (%y: float32) { exp(%y) };
  add(%f(%0(%x)), multiply(%x, %x))
}
""").snapshot
    assert size_of(snapshot, "@main") == "2 parameters, 3 operators"
    assert size_of(snapshot, "@nowhere") is None


def test_an_attribute_without_a_value_is_no_operator() -> None:
    snapshot = read_fixture("def @main(%x: Tensor[(2, 2), float32]) { sum(%x, axis=None) }").snapshot
    assert size_of(snapshot, "@main") == "1 parameter, 1 operator"


def test_uses_are_counted() -> None:
    snapshot = read_fixture("def @f(%x: float32) { %x }\ndef @main() { add(@f(1f), @f(2f)) }").snapshot
    assert size_of(snapshot, "@f") == "1 parameter, 0 operators, 2 uses"
    assert size_of(snapshot, "@main") == "0 parameters, 1 operator"


def test_of_two_functions_of_one_name_each_tells_its_own_size() -> None:
    source = "def @f(%x: float32, %y: float32) { add(%x, %y) }\ndef @f(%x: float32) { %x }"
    snapshot = read_fixture(source).snapshot
    sizes = [lens for lens in lenses(snapshot) if lens.kind is LensKind.SIZE]
    assert [size_of(snapshot, lens.function, lens.number) for lens in sizes] == [
        "2 parameters, 1 operator",
        "1 parameter, 0 operators",
    ]
    assert size_of(snapshot, "@f", 2) is None


def test_the_line_stands_at_the_name() -> None:
    fixture = read_fixture("""
def @half(%x: float32) { %x }
//  ^^^^^
def @main(%x: float32) { @half(%x) }
//  ^^^^^
""")
    assert [lens.span for lens in lenses(fixture.snapshot) if lens.kind is LensKind.SIZE] == fixture.spans


def test_a_pipeline_can_be_run_on_one_of_several_functions() -> None:
    snapshot = read_fixture("def @half(%x: float32) { %x }\ndef @main(%x: float32) { @half(%x) }").snapshot
    function_by_title = {lens.title: lens.function for lens in lenses(snapshot) if lens.kind is LensKind.PIPELINE}
    assert function_by_title == {"Run pipeline": "", "Run pipeline on @half": "@half", "Run pipeline on @main": "@main"}


def test_the_line_names_the_passes_that_it_runs() -> None:
    snapshot = read_fixture("def @main(%x: float32) { %x }").snapshot
    for pipeline, title in {
        ("InferType", "FuseOps"): "Run InferType → FuseOps",
        ("A", "B", "C", "D", "E"): "Run A → B → C → 2 passes more",
    }.items():
        assert [lens.title for lens in lenses(snapshot, (), pipeline) if lens.kind is LensKind.PIPELINE] == [title]


def test_the_passes_that_made_the_text_are_named_once() -> None:
    snapshot = read_fixture("def @half(%x: float32) { %x }\ndef @main(%x: float32) { @half(%x) }").snapshot
    (lens,) = [lens for lens in lenses(snapshot, ["InferType", "FuseOps"]) if lens.kind is LensKind.HISTORY]
    assert lens.title == "Made by InferType → FuseOps"
    (lens,) = [lens for lens in lenses(snapshot, ["A", "B", "C", "D"]) if lens.kind is LensKind.HISTORY]
    assert lens.title == "Made by 1 pass → B → C → D"
    assert not [lens for lens in lenses(snapshot) if lens.kind is LensKind.HISTORY]


def test_broken_text_has_its_lines_too() -> None:
    snapshot = read_fixture("def @main(%x: float32, %y { add(%x, nn.relu(%y ").snapshot
    assert [lens.function for lens in lenses(snapshot)] == ["@main", ""]
    assert size_of(snapshot, "@main") is not None
    assert list(lenses(read_fixture("").snapshot)) == []
