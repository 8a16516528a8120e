"""How matches become functions, in the scenarios of TVM's own tests.

Facts: ``tests/python/relay/test_dataflow_pattern.py`` of v0.12.0.
"""

from __future__ import annotations

import pytest

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.nn.convolution_attributes import Conv2DAttrs
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.types import TensorType
from relay_lsp.passes.patterns import (
    DFPattern,
    DFPatternCallback,
    FunctionPattern,
    is_constant,
    is_expr,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    partition,
    rewrite,
    wildcard,
)
from tests.passes.patterns.pattern_pieces import (
    BN,
    BN_PARAMETERS,
    FUZZY,
    PARAMETERS,
    C,
    FuseBatchNorm,
    any_call,
    body,
    conv,
)


def parts(expr: Expr) -> list[tuple[str, int]]:
    """The partitions below an expression from the outermost inwards, each with its label and count of parameters."""
    partitions: list[tuple[str, int]] = []
    while isinstance(expr, Call) and isinstance(expr.op, Function):
        partitions.append((str(expr.op.attrs["PartitionedFromPattern"]), len(expr.op.params)))
        expr = expr.args[0]
    return partitions


def test_two_patterns_one_after_the_other() -> None:
    biased = is_op("nn.bias_add")(conv, wildcard())
    pad = "padding=[1, 1, 1, 1]"
    expr = body(f"nn.bias_add(nn.conv2d(nn.relu(nn.bias_add(nn.conv2d(%x, %w, {pad}), %b)), %w2, {pad}), %b)")
    for pattern, label in ((is_op("nn.relu")(biased), "conv_bias_relu"), (biased, "conv_bias")):
        expr = partition(pattern, expr, {"Composite": label})
    assert parts(expr) == [("nn.conv2d_nn.bias_add_", 3), ("nn.conv2d_nn.bias_add_nn.relu_", 3)]
    assert isinstance(expr, Call)
    assert isinstance(expr.op, Function)
    assert expr.op.attrs["Composite"] == "conv_bias"


def test_dominated_pieces_are_partitioned() -> None:
    pad = "padding=[1, 1, 1, 1]"
    text = f"""
        %0 = nn.conv2d(%x, %w, {pad}); %1 = add(nn.relu(nn.relu(%0)), nn.leaky_relu(%0, alpha=0f));
        %2 = nn.conv2d(%1, %w, {pad}); %3 = add(tanh(nn.relu(nn.relu(%2))), nn.leaky_relu(%2, alpha=0f));
        %4 = nn.conv2d(%3, %w, {pad}); %5 = nn.relu(nn.relu(%4)); %6 = add(%5, tanh(%5));
        %7 = nn.conv2d(%6, %w, {pad}); %8 = nn.relu(%7); %9 = add(%8, %8);
        add(tanh(%9), nn.leaky_relu(%7, alpha=0f))"""
    assert parts(partition(FUZZY, body(text))) == [
        ("nn.conv2d_nn.relu_add_tanh_nn.leaky_relu_add_", 2),
        ("nn.conv2d_nn.relu_nn.relu_tanh_add_", 2),
        ("nn.conv2d_nn.relu_nn.relu_tanh_nn.leaky_relu_add_", 2),
        ("nn.conv2d_nn.relu_nn.relu_nn.leaky_relu_add_", 2),
    ]


def test_a_partition_has_its_inputs_in_the_order_of_the_pattern() -> None:
    made = partition(FuseBatchNorm().pattern, body(BN.format("%x"), BN_PARAMETERS))
    assert parts(made) == [("subtract_multiply_add_sqrt_divide_add_", 5)]
    assert isinstance(made, Call)
    assert [repr(arg) for arg in made.args] == ["%gamma", "%x", "%mean", "%var", "%beta"]
    twice = partition(FuseBatchNorm().pattern, body(BN.format(BN.format("%x")), BN_PARAMETERS))
    assert isinstance(twice, Call)
    assert isinstance(twice.args[1], Call)
    assert parts(twice.args[1]) == [("subtract_multiply_add_sqrt_divide_add_", 5)]


def test_what_overlaps_or_is_used_outside_is_not_partitioned() -> None:
    statistics = "%x: Tensor[(4, 3), float32], %a: Tensor[(3), float32]"
    overlapping = body("%0 = nn.batch_norm(%x, %a, %a, %a, %a); add(%0.0, %0.0)", statistics)
    normalised = is_tuple_get_item(is_op("nn.batch_norm")(*(wildcard() for _ in range(5))), 0)
    assert partition(normalised, overlapping) is overlapping
    overused = body(C + "add(nn.relu(%0), %0)")
    assert partition(is_op("nn.relu")(conv), overused) is overused


@pytest.mark.parametrize("count", [1, 2, 3])
def test_any_number_of_fields_are_inputs(count: int) -> None:
    fields = ["%x", "%y", "add(%x, %y)"][:count]
    text = f"concatenate(({', '.join(fields)}{',' if count == 1 else ''}), axis=0)"
    assert parts(partition(is_op("concatenate")(is_tuple(None)), body(text))) == [("Tuple_concatenate_", count)]


def test_any_number_of_arguments_are_inputs() -> None:
    pattern = FunctionPattern(None, wildcard() + wildcard())(None) + wildcard()
    types = "Tensor[(1, 3, 12, 12), float32]"
    one = f"%0 = fn (%p: {types}) {{ add(%p, %p) }}; add(%0(%x), %b2)"
    two = f"%0 = fn (%p: {types}, %q: {types}) {{ add(%p, %q) }}; add(%0(%x, %y), %b2)"
    parameters = f"{PARAMETERS}, %b2: {types}"
    assert parts(partition(pattern, body(one, parameters))) == [("add_FunctionCall_add_", 2)]
    assert parts(partition(pattern, body(two, parameters))) == [("add_FunctionCall_add_", 3)]


def test_a_check_decides_by_attributes_and_types() -> None:
    pattern = is_op("nn.relu")(conv)

    def accept(pre: Expr) -> bool:
        assert isinstance(pre, Call)
        call = pre.args[0]
        assert isinstance(call, Call)
        type = call.checked_type
        layout = attrs_of(call, Conv2DAttrs).data_layout
        return layout == "NCHW" and isinstance(type, TensorType) and type.shape[0] == 1

    assert parts(partition(pattern, body("nn.relu(nn.conv2d(%x, %w))"), check=accept)) == [("nn.conv2d_nn.relu_", 2)]
    other = "%x: Tensor[(2, 3, 12, 12), float32], %w: Tensor[(3, 3, 3, 3), float32]"
    refused = body("nn.relu(nn.conv2d(%x, %w))", other)
    assert partition(pattern, refused, check=accept) is refused


@pytest.mark.parametrize(
    "pattern",
    [
        is_op("nn.relu")(conv.optional(lambda inner: is_op("nn.bias_add")(inner, wildcard()))),
        is_op("nn.bias_add")(conv, wildcard()).optional(is_op("nn.relu")),
    ],
    ids=["a bias in the middle", "a relu at the end"],
)
def test_an_option_is_partitioned_along(pattern: DFPattern) -> None:
    made = partition(pattern, body("nn.relu(nn.bias_add(nn.conv2d(%x, %w), %b))"))
    assert parts(made) == [("nn.conv2d_nn.bias_add_nn.relu_", 3)]


FUNCTION = """%0 = fn (%p: Tensor[(1, 3, 12, 12), float32], %q: Tensor[(3, 3, 3, 3), float32]) {{ {} }};
    add({}(%0(%x, %w), %b3), %b3)"""
WITH_BIAS = f"{PARAMETERS}, %b3: Tensor[(1, 3, 10, 10), float32]"


@pytest.mark.parametrize("fuzzy", [False, True])
def test_a_function_is_part_of_a_partition(fuzzy: bool) -> None:
    params = (wildcard(), wildcard())
    inside = wildcard() if fuzzy else is_op("nn.conv2d")(*params)
    pattern = FunctionPattern(params, inside)(wildcard(), wildcard()) + wildcard()
    made = partition(pattern, body(FUNCTION.format("nn.conv2d(%p, %q)", "add"), WITH_BIAS))
    assert isinstance(made, Call)
    assert parts(made.args[0]) == [("nn.conv2d_FunctionCall_add_", 3)]


def test_one_of_two_functions_is_partitioned_and_rewritten() -> None:
    params = (wildcard(), wildcard())
    inner = is_op("nn.conv2d")(*params)
    either = FunctionPattern(params, is_op("sigmoid")(inner))(wildcard(), wildcard()) | FunctionPattern(
        params, is_op("nn.relu")(inner)
    )(wildcard(), wildcard())
    made = partition(either, body(FUNCTION.format("nn.relu(nn.conv2d(%p, %q))", "add"), WITH_BIAS))
    assert isinstance(made, Call)
    assert isinstance(made.args[0], Call)
    assert parts(made.args[0].args[0]) == [("nn.conv2d_nn.relu_FunctionCall_", 2)]

    class Forget(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            self.other = wildcard()
            self.pattern = FunctionPattern(None, wildcard())(wildcard(), wildcard()) + self.other

        def callback(self, pre, post, node_map):
            return apply("nn.relu", node_map[self.other][0])

    rewritten = rewrite(Forget(), body(FUNCTION.format("nn.conv2d(%p, %q)", "add"), WITH_BIAS))
    assert structural_equal(rewritten, body("add(nn.relu(%b3), %b3)", WITH_BIAS), map_free_vars=True)


weight = is_expr(body("1f"))
EMBEDDING = [
    (wildcard(), 3, 3),
    (is_var(), 3, None),
    (is_constant(), None, 2),
    (weight, None, 2),
    (is_var() | is_constant(), 3, 2),
    (is_constant() | is_var(), 3, 2),
]


@pytest.mark.parametrize(("second", "of_variable", "of_constant"), EMBEDDING)
def test_a_constant_that_is_named_stays_inside(second, of_variable, of_constant) -> None:
    pattern = is_op("nn.relu")(is_op("add")(is_op("subtract")(wildcard(), second), wildcard()))
    variable, constant = body("nn.relu(add(subtract(%x, %y), %x))"), body("nn.relu(add(subtract(%x, 1f), %y))")
    for expr, count in ((variable, of_variable), (constant, of_constant)):
        made = partition(pattern, expr)
        if count is None:
            assert made is expr
        else:
            ((label, params),) = parts(made)
            assert label == "subtract_add_nn.relu_"
            # The first input stands twice in the one with a variable.
            assert params == (count - 1 if expr is variable else count)


def test_a_use_outside_that_comes_back_into_the_root_is_no_obstacle() -> None:
    text = C + "%1 = add(%0, %b4); %2 = sigmoid(%1); nn.relu(multiply(%1, %2))"
    pattern = is_op("multiply")(is_op("add")(conv, wildcard()), wildcard())
    made = partition(pattern, body(text, f"{PARAMETERS}, %b4: Tensor[(3, 1, 1), float32]"))
    assert isinstance(made, Call)
    (inner,) = made.args
    assert parts(inner) == [("nn.conv2d_add_multiply_", 4)]
    assert isinstance(inner, Call)
    assert [repr(arg.op) for arg in inner.args if isinstance(arg, Call)] == ["sigmoid"]


def test_an_input_of_two_branches_is_one_parameter() -> None:
    pattern = is_op("add")(any_call("multiply"), any_call("add"))
    made = partition(pattern, body("%0 = nn.relu(%x); add(multiply(%y, %0), add(%0, %y))"))
    assert parts(made) == [("multiply_add_add_", 2)]
