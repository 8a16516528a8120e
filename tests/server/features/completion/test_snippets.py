"""What is put in for an item."""

from __future__ import annotations

from relay_lsp.server.features.completion import completions
from tests.fixture import read_fixture
from tests.server.features.completion.offered import completed, labels


def test_an_operator_brings_its_arguments_and_what_it_cannot_do_without() -> None:
    items = completed("def @main(%x: float32) { $0 }")
    assert items["nn.dense"].snippet == "nn.dense(${1:data}, ${2:weight}, units=$3)$0"
    assert items["cast"].snippet == 'cast(${1:data}, dtype="$2")$0'


def test_an_attribute_brings_its_brackets_or_quotes() -> None:
    items = completed("def @main(%x: float32) { nn.conv2d(%x, %x, $0) }")
    assert items["strides"].snippet == "strides=[$1]"
    assert items["data_layout"].snippet == 'data_layout="$1"'


def test_a_function_brings_what_it_takes() -> None:
    items = completed("def @f(%a: float32, %b: int8) { %a }\ndef @g() { 1f }\ndef @main() { @$0 }")
    assert items["@f"].snippet == "@f(${1:float32}, ${2:int8})$0"
    assert items["@g"].snippet == "@g($0)"


def test_a_function_of_many_parameters_brings_no_place_for_each() -> None:
    parameters = ", ".join(f"%p{number}: float32" for number in range(100))
    item = completed(f"def @f({parameters}) -> float32 {{ %p0 }}\ndef @main() {{ @$0 }}")["@f"]
    assert item.snippet == "@f($0)"
    assert item.detail == "fn (100 parameters) -> float32"


def test_what_begins_as_typed_comes_first() -> None:
    assert labels("def @main(%x: float32) { nn.re$0 }")[0] == "nn.relu"
    assert labels("def @main(%x: float32) { relu$0 }")[0] == "nn.relu"


def test_the_word_that_is_begun_is_replaced_with_its_dots() -> None:
    fixture = read_fixture("def @main(%x: Tensor[(1, 64), float32]) { nn.re$0 }")
    item = next(item for item in completions(fixture.snapshot, fixture.offset).items if item.label == "nn.relu")
    assert fixture.words(item.span) == "nn.re"
