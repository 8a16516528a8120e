"""A pass applied to a text changes only what the pass changed."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from relay_lsp.ir.builder import call
from relay_lsp.ir.diagnostics import Place, apply_edits
from relay_lsp.ir.expressions import Function, GlobalVar, Let, Var
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassContext, Sequential, Trace, create, function_pass
from relay_lsp.passes.text_edits import edited_text, text_edits
from relay_lsp.passes.text_edits.edited_layout import edited_layout
from relay_lsp.passes.text_edits.layout import FunctionTokens, TextTokens, layout_of
from tests.passes.modules import VERSION, assert_same


@pytest.fixture(autouse=True)
def _edited_layouts_are_those_of_the_texts(monkeypatch: pytest.MonkeyPatch):
    """Whatever these tests edit: what is known of the edited text from its edits is what reading it gives."""

    def checked(text: str, *arguments: Any, **options: Any) -> TextTokens:
        known, read = edited_layout(text, *arguments, **options), layout_of(text)
        assert sorted(map(described, known.functions)) == sorted(map(described, read.functions))
        return known

    def described(function: FunctionTokens) -> tuple[object, ...]:
        rows = [function.header, *(each.tokens for each in function.statements)]
        tokens = [[row[number] for number in range(len(row))] for row in rows]
        names = [(list(row.names), list(row.not_plain)) for row in rows]
        binders = [(each.binder, each.is_let) for each in function.statements]
        return function.name, function.is_regular, *((tokens, names, binders) if function.is_regular else ())

    monkeypatch.setattr("relay_lsp.passes.text_edits.editing.edited_layout", checked)


def check(before: str, passes: str, after: str) -> None:
    """Run ``passes`` over the text and compare the edited text, byte by byte."""
    text = VERSION + textwrap.dedent(before)
    parsed = parse(text)
    with PassContext(opt_level=4), Trace() as trace:
        module = Sequential([create(name) for name in passes.split(", ")])(parsed.module)
    edits = text_edits(text, parsed, module, trace)
    edited = apply_edits(text, edits)
    assert edited == VERSION + textwrap.dedent(after)
    assert_same(parse(edited).module, module)


def test_a_removed_value_hands_its_users_on():
    check(
        """
        // A network of mine.
        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(  %x );   // the first
          %1 = nn.dropout(%0);
          /* tanh, of course */
          %2 = tanh( %1.0 );
          exp(%2)
        }
        """,
        "SimplifyInference",
        """
        // A network of mine.
        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(  %x );   // the first
          /* tanh, of course */
          %2 = tanh(%0);
          exp(%2)
        }
        """,
    )


def test_a_replaced_value_keeps_its_name_and_new_ones_take_free_numbers():
    check(
        """
        def @main(%x: Tensor[(4, 8), float32], %g: Tensor[(8), float32], %b: Tensor[(8), float32],
                  %m: Tensor[(8), float32], %v: Tensor[(8), float32]) {
          %0 = nn.batch_norm(%x, %g, %b, %m, %v, scale=False, center=False); // normalise
          %1 = %0.0;
          nn.relu(  %1  ) // done
        }
        """,
        "SimplifyInference",
        """
        def @main(%x: Tensor[(4, 8), float32], %g: Tensor[(8), float32], %b: Tensor[(8), float32],
                  %m: Tensor[(8), float32], %v: Tensor[(8), float32]) {
          %2 = add(%v, 1e-05f);
          %3 = sqrt(%2);
          %4 = divide(1f, %3);
          %5 = negative(%m);
          %6 = multiply(%x, %4);
          %7 = multiply(%5, %4);
          %1 = add(%6, %7);
          nn.relu(  %1  ) // done
        }
        """,
    )


def test_a_duplicate_goes_and_the_rest_stays():
    check(
        """
        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(%x);
          %1 = exp( %0 ); // kept
          %2 = exp( %0 ); // a duplicate
          add(%1, %2)
        }
        """,
        "EliminateCommonSubexpr",
        """
        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.relu(%x);
          %1 = exp( %0 ); // kept
          add(%1, %1)
        }
        """,
    )


def test_an_unused_binding_goes_with_its_comment():
    check(
        """
        def @main(%x: Tensor[(4), float32]) {
          let %a = exp(%x); // unused
          let %b = nn.relu( %x ); // wanted
          %b
        }
        """,
        "DeadCodeElimination",
        """
        def @main(%x: Tensor[(4), float32]) {
          let %b = nn.relu( %x ); // wanted
          %b
        }
        """,
    )


def test_other_functions_are_not_touched():
    check(
        """
        def @first(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { /* odd */ nn.relu(  %x) }
        def @main(%x: Tensor[(4), float32]) {
          %0 = nn.dropout(%x);
          @first(%0.0)
        }
        """,
        "SimplifyInference",
        """
        def @first(%x: Tensor[(4), float32]) -> Tensor[(4), float32] { /* odd */ nn.relu(  %x) }
        def @main(%x: Tensor[(4), float32]) {
          @first(%x)
        }
        """,
    )


def test_a_number_has_the_digits_that_give_it_back():
    # TVM's printer writes six.
    check(
        """
        def @main(%x: Tensor[(4), float64], %y: Tensor[(4), float32]) {
          %0 = divide(%x, 7f64); // a seventh
          %1 = divide(%y, 7f);
          %2 = nn.dropout(%1);
          (%0, %1, add(%2.0, 1234567f), multiply(%2.0, 0.1f))
        }
        """,
        "SimplifyInference, DivToMul",
        """
        def @main(%x: Tensor[(4), float64], %y: Tensor[(4), float32]) {
          %0 = multiply(%x, 0.14285714285714285f64); // a seventh
          %1 = multiply(%y, 0.14285715f);
          %3 = add(%1, 1234567f);
          %4 = multiply(%1, 0.1f);
          (%0, %1, %3, %4)
        }
        """,
    )


def test_a_value_that_two_functions_then_have_in_common_keeps_its_name_in_both():
    # TVM's format binds it in the first of them, and the numbers go on from function to function.
    check(
        """
        def @main(%x: Tensor[(3), float32]) {
          // the ones
          %0 = ones(shape=[3], dtype="float32");
          %1 = tanh(%x);
          %2 = fn (%y: Tensor[(3), float32]) { add(%y, %0) };
          %3 = %2(%1);
          add(%3, %0)
        }
        """,
        "LambdaLift",
        """\
        def @lifted_name3224117205658688944(%y: Tensor[(3), float32]) -> Tensor[(3), float32] {
          %0 = ones(shape=[3], dtype="float32");
          add(%y, %0)
        }

        def @main(%x: Tensor[(3), float32]) -> Tensor[(3), float32] {
          %1 = tanh(%x);
          %2 = @lifted_name3224117205658688944(%1);
          add(%2, %0)
        }
        """,
    )


@pytest.mark.parametrize("passes", ["InferType", "SimplifyInference", "SimplifyInference, EliminateCommonSubexpr"])
def test_a_pass_with_nothing_to_do_edits_nothing(passes):
    text = (
        VERSION
        + "def @main(%x: Tensor[(4), float32], %w) { nn.dense(nn.relu(reshape(%x, newshape=[1, 4])), %w, units=3) }"
    )
    parsed = parse(text)
    with Trace() as trace:
        module = Sequential([create(name) for name in passes.split(", ")])(parsed.module)
    assert text_edits(text, parsed, module, trace) == ()


def test_a_text_with_errors_is_refused():
    text = VERSION + "def @main(%x: Tensor[(4), float32]) { nn.relu(%y) }"
    parsed = parse(text)
    with pytest.raises(ValueError, match="errors"):
        text_edits(text, parsed, parsed.module.with_functions({}))


@pytest.mark.parametrize("passes", ["FuseOps", "ToANormalForm", "SimplifyInference", "FastMath, FuseOps"])
def test_where_values_stand_is_known_without_reading_the_edited_text(passes: str) -> None:
    text = VERSION + textwrap.dedent("""
        def @main(%x: Tensor[(4), float32], %y: Tensor[(4), float32]) {
          %0 = nn.relu(  %x );   // the first
          %1 = nn.dropout(%0);
          %2 = exp( %1.0 );
          %3 = add(%2, %y);
          %4 = tanh(%0);
          (%3, %4, %0)
        }
        """)
    parsed = parse(text)
    with PassContext(opt_level=4), Trace() as trace:
        module = Sequential([create(name) for name in passes.split(", ")])(parsed.module)
    edited = edited_text(text, parsed, module, trace)
    assert edited.places is not None
    assert edited.text == apply_edits(text, edited.edits) != text
    read = parse(edited.text)
    ours, theirs = (post_order(*each.functions.values()) for each in (module, read.module))
    for expr, same in zip(ours, theirs, strict=True):
        if not isinstance(expr, (Op, Var, GlobalVar, Let)):
            assert edited.places(expr) == read.locate(Place(same)), expr


LETS = """
def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  let %a: Tensor[(4), float32] /* ty=Tensor[(4), float32] */ = nn.relu(%x) /* ty=Tensor[(4), float32] */;
  let %b: Tensor[(4), float32] /* ty=Tensor[(4), float32] */ = divide(%a, 4f) /* ty=Tensor[(4), float32] */;
  %b
}
"""


@pytest.mark.parametrize(
    ("old", "new", "is_known"),
    [
        ("", "", True),
        ("relu(%x) /* ty=Tensor[(4), float32] */", "relu(%x)", False),
        ("relu(%x) /* ty=Tensor[(4), float32] */", "relu(%x) /* ty=Tensor[(5), float32] */", False),
        (" /* ty=Tensor[(4), float32] */ = nn.relu(%x) /* ty=Tensor[(4), float32] */", " = nn.relu(%x)", True),
    ],
)
def test_that_kept_bytes_state_the_types_of_the_module_is_known_where_the_printer_would_write_them(
    old: str, new: str, is_known: bool
) -> None:
    text = VERSION + LETS.replace(old, new, 1) if old else VERSION + LETS
    parsed = parse(text)
    with Trace() as trace:
        module = Sequential([create("DivToMul")])(infer_types(parsed.module).module)
    edited = edited_text(text, parsed, module, trace)
    assert "multiply(%a, " in edited.text
    assert edited.states_its_types is is_known


@pytest.mark.parametrize("name", ["w.data", "w data)(", "let", "wörter", "a/*b", "a/", "x"])
def test_a_value_gets_a_name_that_can_be_read(name: str) -> None:
    text = VERSION + "\ndef @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {\n  nn.relu(%x)\n}\n"

    @function_pass(opt_level=0)
    def names_the_result(func: Function, mod: IRModule, ctx: PassContext) -> Function:
        var = Var(name, TensorType((4,)))
        return Function(func.params, Let(var, func.body, call("add", var, var)), func.ret_type)

    parsed = parse(text)
    with Trace() as trace:
        module = names_the_result(parsed.module)
    edited = edited_text(text, parsed, module, trace)
    again = parse(edited.text)
    assert not again.diagnostics
    assert structural_equal(infer_types(again.module).module, module)
