"""A type shares its parts: unfolded it may be larger than any memory, and what looks at it sees each object once."""

from __future__ import annotations

import json
import pickle

import pytest

from relay_lsp.ir import infer_types, parse, structural_equal, to_text
from relay_lsp.ir.ops.costs import type_bytes
from relay_lsp.ir.printing import TypeTooLongError
from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.type_visitor import distinct_parts, has_incomplete, same_type
from relay_lsp.ir.types import LONGEST_TYPE_SHOWN, FuncType, IncompleteType, TupleType, Type, scalar_type


def doubled(levels: int, innermost: Type | None = None) -> Type:
    """A type of ``2 ** levels`` parts, of which ``levels`` are different objects."""
    made = innermost or scalar_type("float32")
    for _ in range(levels):
        made = TupleType((made, made))
    return made


def doubling_text(statements: int, result: str = "(%{last}, %x).1") -> str:
    lines = "".join(f"  %{number} = (%{number - 1}, %{number - 1});\n" for number in range(1, statements))
    start = '#[version = "0.0.5"]\ndef @main(%x: float32) {\n  %0 = (%x, %x);\n'
    return f"{start}{lines}  {result.replace('{last}', str(statements - 1))}\n}}\n"


@pytest.mark.parametrize("statements", [3, 32, 320])
def test_statements_that_double_a_type_are_typed(statements: int) -> None:
    parsed = parse(doubling_text(statements))
    assert parsed.diagnostics == ()
    typed = infer_types(parsed.module)
    assert typed.diagnostics == ()
    assert structural_equal(typed.module, infer_types(parse(doubling_text(statements)).module).module)


def test_two_unknown_fields_are_two_unknowns() -> None:
    functions = "def @f(%q: int32) -> int32 { %q }\ndef @g(%q: float32) -> float32 { %q }\n"
    main = "def @main(%x, %y) {\n  %0 = (%x, %y);\n  %1 = (@f(%0.0), @g(%0.1));\n  %1\n}\n"
    snapshot = Snapshot.open(f'#[version = "0.0.5"]\n{functions}{main}', "fields.relay")
    assert snapshot.diagnostics == ()
    assert {symbol.name: str(symbol.type) for symbol in snapshot.symbols}["%0"] == "(int32, float32)"


def test_equal_types_of_different_objects_are_compared_pair_by_pair() -> None:
    assert doubled(64) == doubled(64)
    assert hash(doubled(64)) == hash(doubled(64))
    assert doubled(64) != doubled(64, scalar_type("int32"))
    assert same_type(doubled(64), doubled(64))
    assert len(list(distinct_parts(doubled(64)))) == 64 + 2


def test_what_is_unknown_is_known_of_the_whole() -> None:
    assert has_incomplete(doubled(64, IncompleteType()))
    assert not has_incomplete(doubled(64))


def test_types_nest_as_deep_as_memory_allows() -> None:
    left = right = scalar_type("float32")
    for _ in range(50_000):
        left, right = FuncType((), left), FuncType((), right)
    assert left == right
    assert len(repr(left)) <= LONGEST_TYPE_SHOWN + 1


def test_a_type_that_was_sent_to_another_process_is_equal_to_the_one_here() -> None:
    sent = pickle.loads(pickle.dumps(doubled(20)))
    assert sent == doubled(20)
    assert hash(sent) == hash(doubled(20))


def test_what_is_shown_of_a_type_ends() -> None:
    shown = repr(doubled(40))
    assert shown.startswith("(((")
    assert shown.endswith("…")
    assert len(shown) <= LONGEST_TYPE_SHOWN + 1


def test_a_comment_goes_without_a_type_that_is_too_long_and_a_declaration_is_refused() -> None:
    typed = infer_types(parse(doubling_text(40)).module).module
    printed = to_text(typed)
    assert "%1 = (%0, %0) /* ty=((float32, float32), (float32, float32)) span=" in printed
    assert "%38 = (%37, %37) /* span=" in printed
    assert structural_equal(parse(printed).module, typed)
    declared = infer_types(parse(doubling_text(40, result="%{last}")).module).module
    with pytest.raises(TypeTooLongError, match="more than 1,000,000 characters"):
        to_text(declared)


def test_the_bytes_of_a_type_are_counted_in_no_time() -> None:
    assert type_bytes(doubled(3)) == 8 * 4
    assert type_bytes(doubled(200)) == 4 << 200


def test_metadata_that_shares_its_parts_is_read_once() -> None:
    levels = 40
    nodes: list[dict[str, object]] = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["Map"], "data": [2]},
        {"type_key": "Array", "data": [3]},
        *({"type_key": "Map", "data": [4 + level, 4 + level]} for level in range(levels)),
        {"type_key": "Array"},
    ]
    section = json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": []})
    parsed = parse(f'#[version = "0.0.5"]\ndef @main() {{\n  ()\n}}\n\n#[metadata]\n{section}\n')
    assert [diagnostic.code for diagnostic in parsed.diagnostics] == ["invalid-metadata"]
    assert "a key that cannot be one" in parsed.diagnostics[0].message
