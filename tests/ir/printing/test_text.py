"""The canonical text: what is numbered, what stands in place, how things are written."""

from __future__ import annotations

import gc
import time

import numpy as np
import pytest

from relay_lsp.ir.attributes import Attrs, attribute, attributes
from relay_lsp.ir.dimensions import ANY, IntImm, SizeVar
from relay_lsp.ir.expressions import (
    Call,
    Clause,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
    VirtualDevice,
)
from relay_lsp.ir.module import IRModule, TypeData
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.printing import (
    AttributeTexts,
    scalar_text,
    string_literal,
    to_text,
    to_text_with_positions,
    type_to_text,
)
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.types import (
    DataType,
    FuncType,
    GlobalTypeVar,
    RelayRefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
)

HEADER = '#[version = "0.0.5"]\n'


@attributes("test.attrs.PrintedAttrs")
class PrintedAttrs(Attrs):
    axis: int = attribute(doc="")
    epsilon: float = attribute(default=1e-5, doc="")
    layout: str = attribute(default="NCHW", doc="")
    exact: bool = attribute(default=False, doc="")
    shape: tuple[int, ...] | None = attribute(default=(1,), doc="")
    out_dtype: DataType = attribute(default=DataType(""), doc="")


ADD = Op("test.add", doc="")
RELU = Op("test.relu", doc="")
NORM = Op("test.norm", doc="", attrs=PrintedAttrs)
SCALAR = TensorType((), "int32")


def body(expr: Expr, *, show_meta_data: bool = True, show_types: bool = True, show_spans: bool = True) -> str:
    text = to_text(expr, show_meta_data=show_meta_data, show_types=show_types, show_spans=show_spans)
    assert text.startswith(HEADER)
    return text.removeprefix(HEADER)


def scalar(value: object, dtype: str) -> Constant:
    return Constant(np.array(value, dtype))


def test_a_value_used_in_place_gets_a_number_and_the_last_does_not() -> None:
    x = Var("x")
    inner = Call(RELU, (x,))
    assert body(Function((x,), Call(ADD, (inner, inner)))) == (
        "fn (%x) {\n  %0 = test.relu(%x);\n  test.add(%0, %0)\n}"
    )


def test_arguments_are_stated_before_the_values_that_use_them() -> None:
    x = Var("x")
    left, right = Call(RELU, (x,)), Call(RELU, (x,))
    expr = Call(ADD, (Call(RELU, (left,)), Call(RELU, (right,))))
    assert body(Function((x,), expr)) == (
        "fn (%x) {\n"
        "  %0 = test.relu(%x);\n"
        "  %1 = test.relu(%x);\n"
        "  %2 = test.relu(%0);\n"
        "  %3 = test.relu(%1);\n"
        "  test.add(%2, %3)\n"
        "}"
    )


def test_free_variables_are_declared_where_they_are_first_used() -> None:
    x = Var("x", SCALAR)
    assert body(Call(RELU, (x,))) == "free_var %x: int32;\ntest.relu(%x)"


def test_names_are_made_unique_and_start_with_a_letter() -> None:
    params = (Var("x"), Var("x"), Var("1"), Var(""), Var("_y"))
    assert body(Function(params, Tuple(params))) == ("fn (%x, %x1, %v1, %v, %v_y) {\n  (%x, %x1, %v1, %v, %v_y)\n}")


def test_let_chains_state_what_a_value_needs_between_the_lets() -> None:
    x, a, b = Var("x"), Var("a"), Var("b")
    nested = Let(a, Call(RELU, (Call(RELU, (x,)),)), Let(b, Call(RELU, (Call(RELU, (a,)),)), b))
    assert body(Function((x,), nested)) == (
        "fn (%x) {\n"
        "  %0 = test.relu(%x);\n"
        "  let %a = test.relu(%0);\n"
        "  %1 = test.relu(%a);\n"
        "  let %b = test.relu(%1);\n"
        "  %b\n"
        "}"
    )


def test_a_let_that_is_an_argument_stands_in_parentheses() -> None:
    x, a = Var("x"), Var("a")
    assert body(Function((x,), Call(RELU, (Let(a, x, a),)))) == (
        "fn (%x) {\n  %0 = (\n    let %a = %x;\n    %a\n  );\n  test.relu(%0)\n}"
    )


def test_branches_are_scopes() -> None:
    c, x = Var("c"), Var("x")
    expr = If(c, Call(RELU, (Call(RELU, (x,)),)), x)
    assert body(Function((c, x), expr)) == (
        "fn (%c, %x) {\n  if (%c) {\n    %0 = test.relu(%x);\n    test.relu(%0)\n  } else {\n    %x\n  }\n}"
    )


def test_functions_have_type_parameters_attributes_and_a_result_type() -> None:
    type_param = TypeVar("A")
    x = Var("x", type_param)
    function = Function((x,), x, type_param, (type_param,), {"Primitive": 1, "Compiler": "dnnl", "flag": True})
    assert body(function) == 'fn [A](%x: A, Primitive=1, Compiler="dnnl", flag=True) -> A {\n  %x\n}'


def test_tuples_projections_and_references() -> None:
    x = Var("x")
    expr = Tuple((TupleGetItem(x, 1), RefRead(x), RefCreate(x), RefWrite(x, x)))
    assert body(Function((x,), Tuple((expr,)))) == (
        "fn (%x) {\n"
        "  %0 = %x.1;\n"
        "  %1 = ref_read(%x);\n"
        "  %2 = ref(%x);\n"
        "  %3 = ref_write(%x, %x);\n"
        "  %4 = (%0, %1, %2, %3);\n"
        "  (%4,)\n"
        "}"
    )


def test_modules_sort_types_and_functions_and_number_on() -> None:
    handle, element = GlobalTypeVar("List"), TypeVar("A")
    listed = TypeCall(handle, (element,))
    cons = Constructor("Cons", (element, listed), handle, 0)
    nil = Constructor("Nil", (), handle, 1)
    x, head, main = Var("x"), Var("h"), GlobalVar("main")
    match = Match(
        x,
        (
            Clause(PatternConstructor(cons, (PatternVar(head), PatternWildcard())), Call(cons, (head, Call(nil, ())))),
            Clause(PatternConstructor(nil), x),
            Clause(PatternTuple((PatternWildcard(), PatternWildcard())), x),
        ),
        complete=False,
    )
    y = Var("x")
    module = IRModule(
        {main: Function((x,), match), GlobalVar("f"): Function((y,), Call(RELU, (Call(RELU, (y,)),)))},
        {handle: TypeData(handle, (element,), (cons, nil)), GlobalTypeVar("E"): TypeData(GlobalTypeVar("E"), (), ())},
    )
    assert to_text(module) == HEADER + (
        "type E {\n"
        "  \n"
        "}\n"
        "\n"
        "type List[A] {\n"
        "  Cons(A, List[A]),\n"
        "  Nil,\n"
        "}\n"
        "\n"
        "def @f(%x) {\n"
        "  %0 = test.relu(%x);\n"
        "  test.relu(%0)\n"
        "}\n"
        "\n"
        "def @main(%x1) {\n"
        "  match? (%x1) {\n"
        "    Cons(%h, _) => {\n"
        "      %1 = Nil;\n"
        "      Cons(%h, %1)\n"
        "    },\n"
        "    Nil => {\n"
        "      %x1\n"
        "    },\n"
        "    (_, _) => {\n"
        "      %x1\n"
        "    },\n"
        "  }\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1, "int32", "1"),
        (-1, "int64", "-1i64"),
        (3, "int16", "3i16"),
        (1e-5, "float32", "1e-05f"),
        (1234567, "float32", "1.23457e+06f"),
        (0.5, "float64", "0.5f64"),
        (2, "float16", "2f16"),
        (float("inf"), "float32", "inff"),
        (True, "bool", "True"),
    ],
)
def test_scalars_stand_in_place(value: float, dtype: str, text: str) -> None:
    assert scalar_text(scalar(value, dtype)) == text


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_an_exact_literal_is_read_as_the_same_number(dtype: str) -> None:
    limits = np.finfo(dtype)
    values = [1 / 3, 1e-5, 0.1, float(limits.max), float(limits.smallest_subnormal), float(limits.eps)]
    constants = [scalar(value, dtype) for value in values]
    text = ", ".join(scalar_text(constant, exact=True) or "" for constant in constants)
    body = parse(f'#[version = "0.0.5"]\ndef @main() {{ ({text}) }}').module["main"].body
    assert isinstance(body, Tuple)
    assert [field.data.item() for field in body.fields if isinstance(field, Constant)] == [
        constant.data.item() for constant in constants
    ]
    assert scalar_text(scalar(0.1, dtype), exact=True) == scalar_text(scalar(0.1, dtype))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (float("nan"), "float32"),
        (-float("nan"), "float16"),
        (float("inf"), "float16"),
        (-float("inf"), "float64"),
        (-(2**63), "int64"),
    ],
)
def test_scalars_whose_literal_cannot_be_read_stand_in_the_metadata_section(value: float, dtype: str) -> None:
    module = IRModule.from_expr(Tuple((scalar(value, dtype), scalar(1, dtype))))
    parsed = parse(to_text(module))
    assert not parsed.diagnostics
    (function,) = parsed.module.functions.values()
    assert isinstance(function.body, Tuple)
    read = function.body.fields[0]
    assert isinstance(read, Constant)
    np.testing.assert_array_equal(read.data, np.asarray(value, dtype))


def test_other_constants_stand_in_the_metadata_section() -> None:
    constant = Constant(np.zeros(2, "float32"))
    text = body(Tuple((constant, scalar(1, "uint8"), constant)))
    assert text.startswith(
        "(meta[relay.Constant][0], meta[relay.Constant][1], meta[relay.Constant][0])\n#[metadata]\n{"
    )
    without = body(Tuple((constant,)), show_meta_data=False)
    assert without.startswith("(meta[relay.Constant][0],)\n/* For debugging purposes the metadata section")


def test_attributes_are_printed_where_they_differ_from_their_default() -> None:
    x = Var("x")
    attrs = PrintedAttrs(axis=-1)
    assert body(Function((x,), Call(NORM, (x,), attrs))) == "fn (%x) {\n  test.norm(%x, axis=-1)\n}"
    attrs = PrintedAttrs(
        axis=0, epsilon=2e-5, layout='a"\\\n', exact=True, shape=(IntImm(1), 2), out_dtype=DataType("int8")
    )
    assert body(Function((x,), Call(NORM, (x,), attrs))) == (
        "fn (%x) {\n"
        '  test.norm(%x, axis=0, epsilon=2e-05f, layout="a\\"\\\\\\n", exact=True, shape=[1i64, 2], out_dtype="int8")\n'
        "}"
    )
    assert "shape=None" in body(Call(NORM, (x,), attrs.replace(shape=None)))
    assert "shape=[1i64]" in body(Call(NORM, (x,), attrs.replace(shape=(IntImm(1),))))


def test_attributes_of_another_class_stand_in_the_metadata_section() -> None:
    x = Var("x")
    assert "test.relu(%x, meta[test.attrs.PrintedAttrs][0])" in body(Call(RELU, (x,), PrintedAttrs(axis=1)))
    assert "test.relu(%x, axis=1)" in body(Call(RELU, (x,), PrintedAttrs(axis=1)), show_meta_data=False)
    assert '%x(axis=1, attrs_type_key="test.attrs.PrintedAttrs")' in body(Call(x, (), PrintedAttrs(axis=1)))


def test_texts_that_share_attributes_refer_to_metadata_each_by_its_own_numbers() -> None:
    x, shared = Var("x"), AttributeTexts()
    first, second = (Call(RELU, (x,), PrintedAttrs(axis=axis)) for axis in (1, 2))
    for calls, numbers in (((first, second), (0, 1)), ((second,), (0,))):
        text = to_text_with_positions(Tuple(calls), attribute_texts=shared).text
        assert [f"meta[test.attrs.PrintedAttrs][{number}]" in text for number in (0, 1)] == [True, 1 in numbers]


def test_virtual_devices() -> None:
    device = VirtualDevice(1, 0)
    x = Var("x", SCALAR, None, device)
    text = body(Function((x,), x, virtual_device=device))
    assert text.startswith(
        "fn (%x {virtual_device=meta[VirtualDevice][0]}: int32, virtual_device=meta[VirtualDevice][0]) {\n"
    )


def test_strings_are_escaped_byte_by_byte() -> None:
    assert string_literal('tab\t"é\x01') == '"tab\\t\\"\\xC3\\xA9\\x01"'


@pytest.mark.parametrize(
    ("type", "text"),
    [
        (TensorType(()), "float32"),
        (TensorType((1, ANY, IntImm(2)), "int8"), "Tensor[(1, ?, 2i64), int8]"),
        (TensorType((SizeVar("n"),)), "Tensor[(n), float32]"),
        (TupleType(()), "()"),
        (TupleType((SCALAR,)), "(int32,)"),
        (FuncType((SCALAR, SCALAR), SCALAR), "fn (int32, int32) -> int32"),
        (RelayRefType(SCALAR), "ref(int32)"),
    ],
)
def test_types(type: Type, text: str) -> None:
    assert type_to_text(type) == text


def typed_call() -> tuple[Function, Call]:
    x = Var("x", SCALAR, Span(SourceName("m"), 1, 1, 5, 7))
    call = Call(RELU, (x,), span=Span(SourceName("m"), 2, 2, 3, 9))
    x.checked_type = call.checked_type = SCALAR
    return Function((x,), call, SCALAR), call


def test_types_and_spans_are_comments() -> None:
    function, _ = typed_call()
    assert body(function) == (
        "fn (%x: int32 /* ty=int32 span=m:1:5 */) -> int32 {\n  test.relu(%x) /* ty=int32 span=m:2:3 */\n}"
    )
    assert body(function, show_spans=False) == (
        "fn (%x: int32 /* ty=int32 */) -> int32 {\n  test.relu(%x) /* ty=int32 */\n}"
    )
    assert body(function, show_types=False) == (
        "fn (%x: int32 /* span=m:1:5 */) -> int32 {\n  test.relu(%x) /* span=m:2:3 */\n}"
    )


def test_a_comment_is_printed_once_and_may_be_the_callers() -> None:
    function, _ = typed_call()
    seen: list[Expr] = []

    def annotate(expr: Expr) -> str:
        seen.append(expr)
        return " /* here */" if isinstance(expr, Var) else ""

    assert to_text(function, annotate=annotate) == (HEADER + "fn (%x: int32 /* here */) -> int32 {\n  test.relu(%x)\n}")
    assert len(seen) == len(set(seen))


def test_positions_are_those_of_the_text() -> None:
    x = Var("x")
    inner = Call(RELU, (x,))
    one = scalar(1, "int32")
    outer = Call(ADD, (inner, one))
    function = Function((x,), outer)
    printed = to_text_with_positions(function)
    assert printed.text == to_text(function)
    printed_parts = {expr: printed.text[span.start : span.end] for expr, span in printed.positions.items()}
    assert printed_parts[inner] == "test.relu(%x)"
    assert printed_parts[outer] == "test.add(%0, 1)"
    assert printed_parts[one] == "1"
    assert printed_parts[x] == "%x"
    assert printed_parts[function] == printed.text.removeprefix(HEADER)


def test_each_let_reaches_to_the_end_of_its_scope() -> None:
    a, b = Var("a"), Var("b")
    inner = Let(b, scalar(2, "int32"), b)
    outer = Let(a, scalar(1, "int32"), inner)
    printed = to_text_with_positions(outer)
    spans = [printed.positions[expr] for expr in (outer, inner)]
    assert [printed.text[span.start : span.end] for span in spans] == [
        "let %a = 1;\nlet %b = 2;\n%b",
        "let %b = 2;\n%b",
    ]


def chain(length: int) -> Function:
    x = Var("x", TensorType((1, 64)))
    x.checked_type = x.type_annotation
    value: Expr = x
    for _ in range(length):
        value = Call(RELU, (value,))
        value.checked_type = TensorType((1, 64))
    return Function((x,), value)


def test_chains_of_calls_and_lets_of_100_000() -> None:
    lines = to_text(chain(100_000)).splitlines()
    assert len(lines) == 100_003
    assert lines[-2] == "  test.relu(%99998) /* ty=Tensor[(1, 64), float32] */"
    value: Expr = Var("x")
    for _ in range(100_000):
        var = Var("y")
        value = Let(var, Call(RELU, (var,)), value)
    assert to_text(value).count("\nlet %y") == 100_000


def test_functions_nested_1000_deep() -> None:
    value: Expr = Tuple(())
    for _ in range(1000):
        value = Function((), value)
    assert to_text(value).count("fn ()") == 1000


def test_ten_thousand_typed_statements_take_well_under_half_a_second() -> None:
    function = chain(10_000)
    to_text(chain(10))
    gc.freeze()
    start = time.process_time()
    to_text(function)
    taken = time.process_time() - start
    gc.unfreeze()
    assert taken < 1.5  # a generous bound for a machine under load
