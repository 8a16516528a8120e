"""What parses, and to what."""

import numpy as np
import pytest

from relay_lsp.ir.dimensions import ANY, FloatImm, IntImm
from relay_lsp.ir.expressions import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Match,
    PatternConstructor,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay_lsp.ir.ops.application import attrs_of
from relay_lsp.ir.ops.nn.convolution_attributes import Conv2DAttrs
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.syntax import parse, parse_expr
from relay_lsp.ir.syntax.shapes import MOST_NESTED
from relay_lsp.ir.types import FuncType, RelayRefType, TensorType, TupleType, TypeCall

VERSION = '#[version = "0.0.5"]\n'


def expr(text: str) -> Expr:
    parsed = parse_expr(text)
    assert not parsed.diagnostics
    return parsed.expr


def function(text: str) -> Function:
    parsed = parse(VERSION + text)
    assert not parsed.diagnostics
    return parsed.module["main"]


@pytest.mark.parametrize(
    ("text", "dtype", "value"),
    [
        ("1", "int32", 1),
        ("-2147483648", "int32", -(2**31)),
        ("2147483648", "int64", 2**31),
        ("32767i16", "int16", 32767),
        ("5i64", "int64", 5),
        ("--5", "int32", 5),
        ("1f", "float32", 1.0),
        ("1e-05f", "float32", np.float32(1e-05)),
        ("65504f16", "float16", 65504),
        ("2.5f64", "float64", 2.5),
        ("-inff", "float32", -np.inf),
        ("True", "bool", True),
    ],
)
def test_numbers_have_the_dtype_of_their_suffix(text: str, dtype: str, value: float):
    constant = expr(text)
    assert isinstance(constant, Constant)
    assert (constant.dtype, constant.data[()]) == (dtype, value)


@pytest.mark.parametrize(
    ("text", "nested"),
    [
        ("1 + 2 * 3", "add(1, multiply(2, 3))"),
        ("1 * 2 + 3", "add(multiply(1, 2), 3)"),
        ("1 - 2 - 3", "subtract(subtract(1, 2), 3)"),
        ("1 + 2 < 3 == 4", "equal(less(add(1, 2), 3), 4)"),
        ("(1 + 2) * 3", "multiply(add(1, 2), 3)"),
        ("1 != 2 / 3", "not_equal(1, divide(2, 3))"),
    ],
)
def test_infix_operators_bind_as_in_tvm(text: str, nested: str):
    assert to_text(expr(text), show_spans=False) == to_text(expr(nested), show_spans=False)


def test_a_list_needs_its_comma_only_after_the_first_element():
    fields = expr("(1, 2 3)")
    assert isinstance(fields, Tuple)
    assert len(fields.fields) == 3


def test_graph_bindings_share_their_value():
    body = expr("%0 = (1, 2); (%0, %0.1)")
    assert isinstance(body, Tuple)
    assert isinstance(body.fields[1], TupleGetItem)
    assert body.fields[0] is body.fields[1].tuple_value


def test_a_let_is_visible_in_its_own_value_and_hides_an_earlier_one():
    outer = expr("let %x = 1; let %x = fn () { %x }; %x")
    assert isinstance(outer, Let)
    inner = outer.body
    assert isinstance(inner, Let)
    assert isinstance(inner.value, Function)
    assert inner.value.body is inner.var
    assert inner.body is inner.var


def test_the_first_binding_of_a_scope_stays():
    main = function("def @main(%x: int32) { let %x = 1; %x }")
    assert isinstance(main.body, Let)
    assert main.body.body is main.params[0]


def test_statements_between_parentheses():
    call = expr("add((let %a = 1; let %b = 2; %a + %b), (3; 4))")
    assert isinstance(call, Call)
    assert [type(argument) for argument in call.args] == [Let, Let]


def test_a_let_whose_value_is_printed_as_a_let():
    outer = expr("let %a = let %b = 1; %0 = (%b,); %0.0; %a")
    assert isinstance(outer, Let)
    assert isinstance(outer.value, Let)
    assert outer.body is outer.var


def test_attributes_of_every_kind():
    call = expr('free_var %x; nn.conv2d(%x, %x, padding=[1, 1], channels=8, data_layout="NHWC", out_dtype="float16")')
    assert isinstance(call, Call)
    attrs = attrs_of(call, Conv2DAttrs)
    assert (attrs.padding, attrs.channels, attrs.data_layout, attrs.out_dtype) == ((1, 1), 8, "NHWC", "float16")


def test_attributes_of_a_function():
    main = function('def @main(%x: int32, Primitive=1, Compiler="a\\"b", rates=[0.5f, 2i64], none=None) { %x }')
    assert main.attrs == {"Primitive": 1, "Compiler": 'a"b', "rates": (0.5, 2), "none": None}
    rates = main.attrs["rates"]
    assert isinstance(rates, tuple)
    assert isinstance(rates[1], IntImm)
    assert not isinstance(rates[0], FloatImm)


def test_types():
    main = function(
        "def @main[A](%t: (Tensor[(1, ?, 3i64), int8x4], A), %f: fn (A, int32) -> A, %r: ref(bool), %u) "
        "-> Tensor[(), float16] { %t }"
    )
    tuple_type, function_type, reference, none = (param.type_annotation for param in main.params)
    assert isinstance(tuple_type, TupleType)
    assert tuple_type.fields[0] == TensorType((1, ANY, 3), "int8x4")
    assert tuple_type.fields[1] is main.type_params[0]
    assert isinstance(function_type, FuncType)
    assert isinstance(reference, RelayRefType)
    assert none is None
    assert main.ret_type == TensorType((), "float16")


def test_data_types_match_and_if():
    parsed = parse(
        VERSION
        + """
type List[A] { Cons(A, List[A]), Nil, }
extern type Storage
def @main(%l: List[int32], %c: bool) -> int32 {
  let %y = if (%c) { 1 } else { 2 };
  match? (%l) {
    Cons(%h, Cons(_, %t)) => { %h + %y },
    Nil => 0
    _ => 1,
  }
}
"""
    )
    assert not parsed.diagnostics
    body = parsed.module["main"].body
    assert isinstance(body, Let)
    assert isinstance(body.value, If)
    match = body.body
    assert isinstance(match, Match)
    assert not match.complete
    assert len(match.clauses) == 3
    pattern = match.clauses[0].lhs
    assert isinstance(pattern, PatternConstructor)
    assert pattern.constructor.name_hint == "Cons"
    assert isinstance(match.data.type_annotation, TypeCall) if isinstance(match.data, Var) else False


def test_references():
    body = expr("let %r = ref(1); ref_write(%r, ref_read(%r) + 1)")
    assert isinstance(body, Let)
    assert isinstance(body.body, RefWrite)


def test_comments_nest_and_stand_anywhere():
    assert isinstance(expr("/* a /* b */ c */ (1 /* ty=int32 */, // one\n 2)"), Tuple)


def test_line_ends_tabs_and_a_byte_order_mark_are_white_space():
    text = "\ufeff" + VERSION + "def @main(%x: int32) {\n\t%0 = add(%x, 1); // 加 🙂\n\t%0\n}\n"
    assert not parse(text.replace("\n", "\r\n")).diagnostics


def test_a_module_to_start_from():
    base = parse(VERSION + "type Flag { On, Off }\ndef @one() -> int32 { 1 }").module
    parsed = parse(VERSION + "def @main(%f: Flag) -> int32 { match (%f) { On => @one(), Off => 0 } }", module=base)
    assert not parsed.diagnostics
    assert [var.name_hint for var in parsed.module] == ["one", "main"]


def test_metadata_from_outside():
    constant = Constant(np.zeros(3, "float32"))
    parsed = parse(VERSION + "def @main() { meta[relay.Constant][0] }", metadata={"relay.Constant": [constant]})
    assert parsed.module["main"].body is constant


def test_spans_are_those_that_tvm_prints():
    """A variable and a bound value have the position of their last use, a body that of its first statement.

    A name that begins with m shifts its line.
    """
    printed = to_text(expr("free_var %x;\n%0 = multiply(%x, 2f);\nadd(%0, %0)"))
    assert "free_var %x /* span=string:2:16 */" in printed
    assert "%0 = multiply(%x, 2f /* span=string:2:22 */) /* span=string:3:9 */" in printed
    assert "add(%0, %0) /* span=string:1:1 */" in printed


@pytest.mark.parametrize(
    "text",
    [
        "(" * MOST_NESTED + "1" + ")" * MOST_NESTED,
        "if (True) { " * 5_000 + "1" + " } else { 2 }" * 5_000,
        "fn () { " * 5_000 + "1" + " }" * 5_000,
        "1" + " + 1" * 20_000,
        "let %x = 1;\n" * 20_000 + "%x",
    ],
    ids=["parentheses", "ifs", "functions", "sum", "lets"],
)
def test_depth_is_no_limit(text: str):
    assert not parse_expr(text).diagnostics
