"""The dataflow pattern language: match, rewrite, partition."""

from __future__ import annotations

import pytest

from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.tensor.unary import ClipAttrs
from relay_lsp.ir.types import TensorType
from relay_lsp.passes import PassError, Trace, function_pass
from relay_lsp.passes.patterns import (
    DFPatternCallback,
    FunctionPattern,
    dominates,
    has_attr,
    has_type,
    is_constant,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    match,
    partition,
    rewrite,
    wildcard,
)
from tests.passes.modules import assert_same, read, typed


def body(text: str) -> Expr:
    return typed(read(f"def @main(%x: Tensor[(4), float32], %y: Tensor[(4), float32]) {{ {text} }}"))["main"].body


x, y = wildcard(), wildcard()
relu = is_op("nn.relu")(x)

MATCHES = [
    (wildcard(), "nn.relu(%x)", True),
    (relu, "nn.relu(%x)", True),
    (relu, "exp(%x)", False),
    (is_op("nn.relu")(is_var("x")), "nn.relu(%x)", True),
    (is_op("nn.relu")(is_var("z")), "nn.relu(%x)", False),
    (is_op("nn.relu")(is_constant()), "nn.relu(%x)", False),
    (is_op("add")(is_constant(), wildcard()), "add(%x, 1f)", True),
    (is_op("subtract")(is_constant(), wildcard()), "subtract(%x, 1f)", False),
    (is_op("add")(x, x), "add(%x, %x)", True),
    (is_op("add")(x, x), "add(%x, %y)", False),
    (is_var("x") + is_var("y"), "add(%y, %x)", True),
    (is_op("nn.relu")(None), "nn.relu(%x)", True),
    (is_op("exp") | is_op("tanh"), "nn.relu(%x)", False),
    ((is_op("exp") | is_op("tanh"))(x), "tanh(%x)", True),
    (relu.optional(lambda inner: is_op("exp")(inner)), "nn.relu(%x)", True),
    (relu.optional(lambda inner: is_op("exp")(inner)), "exp(nn.relu(%x))", True),
    (is_tuple((x, y)), "(%x, %y)", True),
    (is_tuple(None), "(%x, %y)", True),
    (is_tuple((x,)), "(%x, %y)", False),
    (is_tuple_get_item(is_tuple(None), 1), "(%x, %y).1", True),
    (is_tuple_get_item(is_tuple(None), 0), "(%x, %y).1", False),
    (is_tuple_get_item(is_tuple(None)), "(%x, %y).1", True),
    (is_op("clip")(x).has_attr({"a_min": 0.0}), "clip(%x, a_min=0f, a_max=6f)", True),
    (is_op("clip")(x).has_attr({"a_min": 1.0}), "clip(%x, a_min=0f, a_max=6f)", False),
    (is_op("clip")(x).has_attr({"nothing": 1.0}), "clip(%x, a_min=0f, a_max=6f)", False),
    (has_attr({"TOpPattern": 0})(None), "nn.relu(%x)", True),
    (relu.has_shape((4,)), "nn.relu(%x)", True),
    (relu.has_shape((5,)), "nn.relu(%x)", False),
    (relu.has_dtype("float32"), "nn.relu(%x)", True),
    (relu.has_dtype("float16"), "nn.relu(%x)", False),
    (has_type(TensorType((4,), "float32")), "nn.relu(%x)", True),
    (is_if(x, y, wildcard()), "if (True) { %x } else { %y }", True),
    (is_let(is_var("v"), relu, is_var("v")), "let %v = nn.relu(%x); %v", True),
    (FunctionPattern((wildcard(),), relu), "fn (%z: Tensor[(4), float32]) { nn.relu(%z) }", True),
    (FunctionPattern((wildcard(), wildcard()), relu), "fn (%z: Tensor[(4), float32]) { nn.relu(%z) }", False),
]


@pytest.mark.parametrize(("pattern", "text", "matches"), MATCHES)
def test_match(pattern, text, matches):
    assert match(pattern, body(text)) is matches


def test_division_and_multiplication_match_the_other_way_round():
    a, b, c = is_var("x"), is_var("y"), is_constant()
    assert match((a * b) / c, body("multiply(%x, divide(%y, 2f))"))
    assert match((a / c) * b, body("divide(multiply(%x, %y), 2f)"))


def test_a_dominator_finds_its_parent_through_any_path():
    start, end = is_op("exp")(wildcard()), is_op("add")(wildcard(), wildcard())
    middle = has_attr({"TOpPattern": 0})(None)
    diamond = dominates(start, middle, end)
    assert match(diamond, body("%0 = exp(%x); %1 = nn.relu(%0); %2 = tanh(%0); add(%1, %2)"))
    assert not match(diamond, body("%0 = exp(%x); %1 = nn.relu(%0); %2 = tanh(%y); add(%1, %2)"))


class ReluOfRelu(DFPatternCallback):
    """One relu is as good as two."""

    def __init__(self) -> None:
        super().__init__()
        self.value = wildcard()
        self.pattern = is_op("nn.relu")(is_op("nn.relu")(self.value))

    def callback(self, pre, post, node_map):
        return apply("nn.relu", node_map[self.value][0])


def test_rewriting_goes_on_until_nothing_changes_and_keeps_origins():
    @function_pass(opt_level=0)
    def merge(func, mod, ctx):
        return rewrite(ReluOfRelu(), func)

    before = read("def @main(%x: Tensor[(4), float32]) { nn.relu(nn.relu(nn.relu(exp(%x)))) }")
    with Trace() as trace:
        after = merge(before)
    assert_same(after, read("def @main(%x: Tensor[(4), float32]) { nn.relu(exp(%x)) }"))
    assert len(trace.origins(after["main"].body)) >= 2
    assert trace.steps[-1].unexplained == ()


def test_a_callback_without_end_is_stopped():
    class Raise(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            self.value = wildcard()
            self.pattern = is_op("clip")(self.value)

        def callback(self, pre, post, node_map):
            assert isinstance(post, Call)
            limit = attrs_of(post, ClipAttrs).a_max
            return apply("clip", node_map[self.value][0], a_min=0.0, a_max=limit + 1)

    module = read("def @main(%x: Tensor[(4), float32]) { clip(%x, a_min=0f, a_max=6f) }")
    with pytest.raises(PassError, match="no end of rewriting after 100 rounds; Raise"):
        rewrite(Raise(), module["main"])


def test_a_partition_is_a_function_of_its_inputs():
    function = read(
        "def @main(%x: Tensor[(4), float32], %y: Tensor[(4), float32]) { nn.relu(add(nn.relu(add(%x, %y)), %y)) }"
    )["main"]
    pattern = is_op("nn.relu")(is_op("add")(wildcard(), wildcard()))
    new = partition(pattern, function, {"Composite": "add_relu"})
    assert isinstance(new, Function)
    assert isinstance(new.body, Call)
    made = new.body.op
    assert isinstance(made, Function)
    assert made.attrs == {"PartitionedFromPattern": "add_nn.relu_", "Composite": "add_relu"}
    assert [param.name_hint for param in made.params] == ["FunctionVar_0_0", "FunctionVar_0_1"]
    assert partition(pattern, function, check=lambda _: False) is function


def test_a_group_whose_inside_is_used_outside_is_left_alone():
    function = read("def @main(%x: Tensor[(4), float32]) { %0 = exp(%x); %1 = nn.relu(%0); (%0, %1) }")["main"]
    assert partition(is_op("nn.relu")(is_op("exp")(wildcard())), function) is function
