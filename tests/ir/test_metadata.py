"""The metadata section: TVM's JSON graph of nodes, read and written."""

from __future__ import annotations

import base64
import json
import math
import struct

import ml_dtypes
import numpy as np
import pytest

from relay_lsp.ir import parse
from relay_lsp.ir.attributes import Attrs, attribute, attributes
from relay_lsp.ir.dimensions import DimCall, DimCast, DimOperation, IntImm, SizeVar
from relay_lsp.ir.expressions import Call, Constant, Function, Tuple, Var, VirtualDevice
from relay_lsp.ir.metadata import MetadataError, read_metadata, write_metadata
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.structural import first_difference
from relay_lsp.ir.types import TensorType


@attributes("test.attrs.EveryKindAttrs")
class EveryKindAttrs(Attrs):
    axis: int = attribute(doc="")
    scale: float = attribute(doc="")
    exact: bool = attribute(doc="")
    layout: str = attribute(doc="")
    shape: tuple[int, ...] = attribute(doc="")
    units: int | None = attribute(default=None, doc="")


def read_back(key: str, value: object) -> object:
    text = write_metadata({key: [value]})
    table = read_metadata(text)
    assert list(table) == [key]
    assert write_metadata(dict(table)) == text
    return table[key][0]


def test_a_constant_is_written_as_tvm_writes_it() -> None:
    constant = Constant(np.array([[1, 2], [3, 4]], "int8"))
    text = write_metadata({"relay.Constant": [constant]})
    assert text.startswith('{\n  "root": 1, \n  "nodes": [\n    {\n      "type_key": ""\n    }, \n    {\n')
    assert '"type_key": "relay.Constant", \n      "attrs": {\n        "_checked_type_": "0", \n' in text
    assert text.endswith('\n  ], \n  "attrs": {"tvm_version": "0.12.0"}\n}')


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3, 4)])
def test_arrays_of_every_dtype_and_rank(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    read = read_back("relay.Constant", Constant(array))
    assert isinstance(read, Constant)
    assert read.dtype == dtype
    np.testing.assert_array_equal(read.data, array)


def test_bfloat16_keeps_its_bits() -> None:
    array = np.array([1.5, -2.0, 3.140625], ml_dtypes.bfloat16)
    read = read_back("relay.Constant", Constant(array, "bfloat16"))
    assert isinstance(read, Constant)
    assert read.dtype == "bfloat16"
    assert read.data.tobytes() == array.tobytes()


def test_spans_devices_and_types_of_a_constant() -> None:
    span = Span(SourceName("model"), 3, 3, 5, 9)
    constant = Constant(np.zeros(2, "float32"), span=span)
    constant.checked_type = constant.tensor_type
    read = read_back("relay.Constant", constant)
    assert isinstance(read, Constant)
    assert (read.span, read.checked_type) == (span, TensorType((2,)))
    device = VirtualDevice(1, 0, None, "global")
    assert read_back("VirtualDevice", device) == device


def test_dimensions() -> None:
    var = SizeVar("n", "int64", nonnegative=False)
    assert first_difference(read_back("tir.Var", var), var, map_free_vars=True) is None
    rounded = DimCast("int32", DimCall("tir.round", (DimOperation("*", SizeVar("m"), 2),), "float64"))
    assert first_difference(read_back("tir.Cast", rounded), rounded, map_free_vars=True) is None


def test_attributes_of_every_kind() -> None:
    attrs = EveryKindAttrs(axis=-1, scale=0.0625, exact=True, layout="NCHW", shape=(1, IntImm(2, "int64")), units=None)
    assert first_difference(read_back(EveryKindAttrs.type_key, attrs), attrs) is None


def test_a_node_used_twice_stays_one_node() -> None:
    x = Var("x", TensorType((2,)))
    read = read_back("relay.Function", Function((x,), Tuple((x, Call(x, (x,)))), None, (), {"Primitive": 1}))
    assert isinstance(read, Function)
    assert isinstance(read.body, Tuple)
    assert read.body.fields[0] is read.params[0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not valid JSON"),
        ("[]", "must be a JSON object"),
        ('{"root": 7, "nodes": []}', "not one of its 0 nodes"),
        ('{"root": 0, "nodes": [{"type_key": "Array", "data": [0]}]}', "circle"),
        ('{"root": 0, "nodes": [{"type_key": "Array", "data": [4]}]}', "refers to node 4"),
        ('{"root": 0, "nodes": [{"type_key": "Map", "keys": ["a"], "data": [0, 1]}]}', "refers to node 1"),
        ('{"root": 0, "nodes": [{"type_key": "relay.Var"}]}', "no field vid"),
        (
            '{"root": 0, "nodes": [{"type_key": "relay.TensorType",'
            ' "attrs": {"shape": "1", "dtype": "int8", "span": "2"}},'
            ' {"type_key": "Map", "keys": ["a"], "data": [2]}, {"type_key": ""}]}',
            "a relay.TensorType .* a part that cannot be there",
        ),
        (
            '{"root": 0, "nodes": [{"type_key": "Map", "data": [1, 2]},'
            ' {"type_key": "Map", "keys": ["a"], "data": [2]}, {"type_key": ""}]}',
            "a key that cannot be one",
        ),
    ],
)
def test_what_cannot_be_read_says_why(text: str, reason: str) -> None:
    with pytest.raises(MetadataError, match=reason):
        read_metadata(text)


@pytest.mark.parametrize("blob", ["!!", "", "AAAA", "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAABgAAAAAAAAA"])
def test_a_broken_tensor_says_so(blob: str) -> None:
    whole = write_metadata({"relay.Constant": [Constant(np.zeros(2, "float32"))]})
    start = whole.index('"b64ndarrays"')
    broken = whole[:start] + f'"b64ndarrays": ["{blob}"]' + "\n}"
    with pytest.raises(MetadataError, match="tensor"):
        read_metadata(broken)


@pytest.mark.parametrize("shape", [(0, 1 << 62), (-2, -3), (-1, 0), (1,) * 100])
def test_a_tensor_of_a_shape_that_no_array_has_says_so(shape: tuple[int, ...]) -> None:
    size = 4 * max(math.prod(shape), 0)
    raw = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, len(shape), 2, 32, 1)
    raw += struct.pack(f"<{len(shape)}qq", *shape, size) + bytes(size)
    whole = write_metadata({"relay.Constant": [Constant(np.zeros(2, "float32"))]})
    start = whole.index('"b64ndarrays"')
    with pytest.raises(MetadataError, match=r"a tensor of shape .* cannot be held"):
        read_metadata(whole[:start] + f'"b64ndarrays": ["{base64.b64encode(raw).decode()}"]' + "\n}")


def test_a_node_of_unknown_kind_is_kept() -> None:
    """Its fields are told apart by their numbers: those above its own are other nodes."""
    known = write_metadata({"Span": [Span(SourceName("here"), 1, 1, 2, 3)]})
    unknown = known.replace('"Span"', '"some.Node"')
    assert write_metadata(read_metadata(unknown)) == unknown


def section_with(*damages: tuple[int, str, object]) -> str:
    """A section of three constants and a device, each with a field of one of its nodes replaced."""
    constants = [Constant(np.full(2, value, "float32")) for value in (1, 2, 3)]
    table = {"relay.Constant": constants, "VirtualDevice": [VirtualDevice(1, 0, None, "global")]}
    section = json.loads(write_metadata(table))
    nodes = [node for node in section["nodes"] if node["type_key"] == "relay.Constant"]
    for which, name, value in damages:
        node = nodes[which]
        (node if name in node else node["attrs"])[name] = value
    return json.dumps(section, indent=1)


MODULE = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) {
  %0 = add(%x, meta[relay.Constant][0]);
  %1 = add(%0, meta[relay.Constant][1]);
  add(%1, meta[relay.Constant][2])
}
#[metadata]
"""

DAMAGES = {
    "a tensor that is none": ("data", "17"),
    "a field that is a list": ("data", ["0"]),
    "a type key that is none": ("type_key", 5),
    "attributes that are none": ("attrs", []),
    "a span that is elsewhere": ("span", "1000000"),
    "a circle": ("_checked_type_", "1"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_node_at_fault_costs_what_uses_it(which: int, damage: str) -> None:
    text = MODULE + section_with((which, *DAMAGES[damage]))
    at_node, *at_uses = sorted(parse(text).diagnostics, key=lambda each: -(each.span.start if each.span else 0))
    assert {each.code for each in (at_node, *at_uses)} == {"invalid-metadata"}
    assert at_node.span is not None
    damaged = json.loads(text[at_node.span.start : at_node.span.end])
    assert damaged in json.loads(section_with((which, *DAMAGES[damage])))["nodes"]
    (at_use,) = at_uses
    assert at_use.span is not None
    assert text[at_use.span.start : at_use.span.end] == f"meta[relay.Constant][{which}]"


def _unreadable(text: str) -> list[str]:
    """The uses of metadata that cannot be read, and the text from the place on where the section stops being JSON."""
    rows: list[str] = []
    for error in parse(text).diagnostics:
        assert error.code == "invalid-metadata"
        assert error.span is not None
        is_end = error.message.startswith("the metadata section is not valid JSON from here on")
        rows.append(text[error.span.start :] if is_end else text[error.span.start : error.span.end])
    return rows


def test_a_section_that_ends_early_keeps_what_can_be_read() -> None:
    section = section_with()
    second_tensor = section.index('"', section.index('"', section.index("[", section.index("b64ndarrays")) + 1) + 70)
    text = MODULE + section[: second_tensor + 20]
    *uses, rest = _unreadable(text)
    assert uses == ["meta[relay.Constant][1]", "meta[relay.Constant][2]"]
    assert text.endswith(rest)
    assert len(rest) < 40


@pytest.mark.parametrize("damaged", ['"_checked_type_"', '"attrs"', '"data"'])
def test_a_node_that_is_no_json_costs_what_comes_after_it_among_the_nodes(damaged: str) -> None:
    section = section_with()
    second = section.index('"relay.Constant"', section.index('"type_key": "relay.Constant"') + 30)
    at = section.index(damaged, second)
    *uses, rest = _unreadable(MODULE + section[:at] + section[at + 1 :])  # its first quotation mark is missing
    assert uses == ["meta[relay.Constant][1]", "meta[relay.Constant][2]"]
    assert rest.startswith(damaged[1])


def test_a_second_list_of_nodes_behind_the_end_of_json_does_not_count() -> None:
    root, node = '{"type_key": "Map", "keys": ["relay.Constant"], "data": [2]}', '{"type_keys": "Array", "data": []}'
    section = f'{{"root": 1, "nodes": [{{"type_key": ""}}, {root}, {node}], "attrs" 1, "nodes": [{{"type_key": ""}}]}}'
    at_node, rest = _unreadable(f'#[version = "0.0.5"]\ndef @main(%x: float32) {{ %x }}\n#[metadata]\n{section}')
    assert at_node == node
    assert rest == '1, "nodes": [{"type_key": ""}]}'


def test_a_section_of_which_nothing_can_be_read_says_where_it_ends() -> None:
    assert _unreadable(MODULE.replace("meta[relay.Constant]", "add")[: MODULE.index("def")] + "#[metadata]\n{1}") == [
        "1}"
    ]


def test_what_is_wrong_with_several_nodes_is_said_at_each() -> None:
    text = MODULE + section_with((0, "data", "17"), (2, "data", "18"))
    assert [each.message for each in parse(text).diagnostics if each.message.startswith("this node")] == [
        "this node cannot be read: field data of a relay.Constant must be a number below 3, not '17'",
        "this node cannot be read: field data of a relay.Constant must be a number below 3, not '18'",
    ]


def test_a_node_that_many_use_is_at_fault_once() -> None:
    count = 3_000
    chain = [{"type_key": "Array", "data": [number + 4]} for number in range(count)]
    nodes = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["many"], "data": [2]},
        {"type_key": "Array", "data": [3] * count},
        *chain,
        {"type_key": "relay.Constant"},
    ]
    section = json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": []})
    (fault,) = parse(f'#[version = "0.0.5"]\ndef @main() {{\n  ()\n}}\n#[metadata]\n{section}\n').diagnostics
    assert fault.message.startswith("this node cannot be read: a relay.Constant in the metadata section has no field")
