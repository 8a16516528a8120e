"""Types that follow from the types of the parts."""

from __future__ import annotations

from collections.abc import Callable

from relay_lsp.ir import infer_expr, infer_types, to_text
from relay_lsp.ir.expressions import Call, Constant, Function, Tuple, TupleGetItem, Var
from relay_lsp.ir.inference import infer_local
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops import get
from relay_lsp.ir.types import TensorType, Type

Typed = Callable[[str], IRModule]


def result_of(module: IRModule) -> str:
    type = module["main"].ret_type
    assert type is not None
    return repr(type)


def test_an_operator_gives_what_its_relation_says(typed: Typed) -> None:
    module = typed("def @main(%x: Tensor[(1, 64), float32]) { nn.relu(%x) }")
    assert result_of(module) == "Tensor[(1, 64), float32]"
    assert module["main"].body.checked_type == TensorType((1, 64), "float32")


def test_broadcasting_keeps_an_unknown_dimension(typed: Typed) -> None:
    module = typed("def @main(%x: Tensor[(?, 64), float32], %y: Tensor[(1, 64), float32]) { add(%x, %y) }")
    assert result_of(module) == "Tensor[(?, 64), float32]"


def test_tuples_and_their_fields(typed: Typed) -> None:
    module = typed("def @main(%x: int32, %y: float32) { let %t = (%x, (%y, %x)); %t.1 }")
    assert result_of(module) == "(float32, int32)"


def test_the_annotation_of_the_text_is_filled_in(typed: Typed) -> None:
    module = typed("def @main(%x: Tensor[(1), float32]) { let %y = add(%x, %x); %y }")
    assert "let %y: Tensor[(1), float32] /* ty=Tensor[(1), float32] */ =" in to_text(module, show_spans=False)


def test_a_type_in_a_comment_is_not_believed(typed: Typed) -> None:
    module = typed("def @main(%x: float32) { add(%x, %x) /* ty=int8 */ }")
    assert result_of(module) == "float32"


def test_an_unknown_branch_makes_both_unknown(typed: Typed) -> None:
    """The types of both branches become what they have in common, as in the reference."""
    module = typed("""
def @main(%c: bool, %x: Tensor[(3), float32], %y: Tensor[(?), float32]) {
  if (%c) { add(%x, %x) } else { %y }
}
""")
    assert result_of(module) == "Tensor[(?), float32]"


def test_references(typed: Typed) -> None:
    module = typed("def @main(%x: float32) { let %r = ref(%x); let %u = ref_write(%r, %x); (ref_read(%r), %u) }")
    assert result_of(module) == "(float32, ())"


def test_free_variables_of_an_expression_have_their_annotations() -> None:
    var = Var("x", TensorType((2, 3), "float32"))
    inferred = infer_expr(Call(get("nn.relu"), (var,)))
    assert inferred.expr.checked_type == TensorType((2, 3), "float32")
    assert not inferred.replaced


def test_what_needs_no_change_stays_the_same_object() -> None:
    var = Var("x", TensorType((2, 3), "float32"))
    body = TupleGetItem(Tuple((Call(get("nn.relu"), (var,)), var)), 0)
    first = infer_types(IRModule.from_expr(body))
    function = first.module["main"]
    assert function.body is body
    # The function lacked its return type, so that it is another one now, and it is known which one it was.
    assert isinstance(first.replaced[function], Function)
    assert infer_types(first.module).module is first.module


def test_an_expression_is_rebuilt_where_its_recorded_type_no_longer_holds() -> None:
    shared = Call(get("nn.relu"), (Var("x", TensorType((2, 3), "float32")),))
    infer_expr(shared)
    wider = Call(shared.op, (Var("x", TensorType((4, 3), "float32")),))
    wider.checked_type = shared.checked_type
    inferred = infer_expr(wider)
    assert inferred.expr.checked_type == TensorType((4, 3), "float32")
    assert inferred.replaced == {inferred.expr: wider}
    assert wider.checked_type == TensorType((2, 3), "float32")


def test_a_constant_has_the_type_of_its_data() -> None:
    import numpy

    inferred = infer_expr(Constant(numpy.zeros((2, 3), "int8")))
    assert inferred.expr.checked_type == TensorType((2, 3), "int8")


def test_local_inference_does_not_look_below_what_has_a_type() -> None:
    below = Call(get("nn.relu"), (Var("x"),))
    below.checked_type = TensorType((2, 3), "float32")
    inferred = infer_local(Call(get("nn.relu"), (below,)))
    assert inferred.expr.checked_type == TensorType((2, 3), "float32")
    assert not inferred.diagnostics


def _written(type: Type | None) -> str:
    assert type is not None
    return to_text(type, show_header=False)


def test_a_call_like_another_has_a_type_of_its_own_where_dimensions_are_of_another_dtype(typed: Typed) -> None:
    calls = "(nn.batch_flatten(%x), nn.batch_flatten(%y), nn.batch_flatten(%y))"
    head = "def @main(%x: Tensor[(10, 2, 2), float32], %y: Tensor[(10i64, 2i64, 2i64), float32])"
    module = typed(f"{head} {{ {calls} }}")
    alone = typed("def @main(%y: Tensor[(10i64, 2i64, 2i64), float32]) { nn.batch_flatten(%y) }")
    plain = typed("def @main(%x: Tensor[(10, 2, 2), float32]) { nn.batch_flatten(%x) }")
    result = module["main"].body
    assert isinstance(result, Tuple)
    expected = (plain["main"].ret_type, alone["main"].ret_type, alone["main"].ret_type)
    assert list(map(_written, [field.checked_type for field in result.fields])) == list(map(_written, expected))
    assert _written(expected[0]) != _written(expected[1])


def test_calls_with_the_same_types_and_attributes_do_not_share_a_type(typed: Typed) -> None:
    module = typed("def @main(%x: Tensor[(4, 8), float32]) { (nn.batch_flatten(%x), nn.batch_flatten(%x)) }")
    result = module["main"].body
    assert isinstance(result, Tuple)
    first, second = (field.checked_type for field in result.fields)
    assert first == second
    assert first is not second, "the solver merges type objects: what it learns of one must not be said of the other"
