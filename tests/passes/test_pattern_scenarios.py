"""The dataflow pattern language in the scenarios in which TVM's own tests use it.

Facts: ``tests/python/relay/test_dataflow_pattern.py`` of v0.12.0. TVM's calls with free-form attributes have no
counterpart here, since attributes of calls are always of a declared class.
"""

from __future__ import annotations

import pytest

from relay_lsp.ir.expressions import Call, Constant, Expr, Function, GlobalVar, Tuple, TupleGetItem
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.nn.convolution import Conv2DAttrs
from relay_lsp.ir.ops.nn.normalization import BatchNormAttrs
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes.patterns import (
    DFPattern,
    DFPatternCallback,
    FunctionPattern,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    match,
    partition,
    rewrite,
    wildcard,
)

from .modules import read, typed

PARAMETERS = (
    "%x: Tensor[(1, 3, 12, 12), float32], %w: Tensor[(3, 3, 3, 3), float32], %b: Tensor[(3), float32], "
    "%y: Tensor[(1, 3, 12, 12), float32], %w2: Tensor[(3, 3, 3, 3), float32]"
)
ELEMENTWISE, BROADCAST = 0, 1


def body(text: str, parameters: str = PARAMETERS) -> Expr:
    """The typed body of a function over the parameters above."""
    return typed(read(f"def @main({parameters}) {{ {text} }}"))["main"].body


def any_call(name: str) -> DFPattern:
    """A call of a binary operator."""
    return is_op(name)(wildcard(), wildcard())


conv = any_call("nn.conv2d")
unary = has_attr({"TOpPattern": ELEMENTWISE})(wildcard())
DIAMOND = dominates(conv, unary, any_call("add"))
FUZZY = dominates(conv, unary | any_call("add"), any_call("add"))
BRANCHES = is_op("add")(is_op("nn.relu")(conv), is_op("nn.leaky_relu")(conv))
C = "%0 = nn.conv2d(%x, %w); "

DOMINATORS = {
    "two branches": (DIAMOND, C + "%1 = nn.relu(nn.relu(%0)); add(%1, nn.leaky_relu(%0, alpha=0f))", True),
    "a deeper branch": (DIAMOND, C + "%1 = tanh(nn.relu(nn.relu(%0))); add(%1, nn.leaky_relu(%0, alpha=0f))", True),
    "one branch that splits": (DIAMOND, C + "%1 = nn.relu(nn.relu(%0)); add(%1, tanh(%1))", True),
    "a diamond in a diamond": (
        FUZZY,
        C + "%1 = nn.relu(%0); %2 = add(%1, %1); add(tanh(%2), nn.leaky_relu(%0, alpha=0f))",
        True,
    ),
    "two parents": (
        DIAMOND,
        C + "%1 = nn.conv2d(%x, %w2); add(nn.relu(%0), nn.leaky_relu(%1, alpha=0f))",
        False,
    ),
    "something else on the path": (
        DIAMOND,
        C + "%1 = nn.relu(%0); add(add(%1, %1), nn.leaky_relu(%0, alpha=0f))",
        False,
    ),
    "a branch beside the parent": (DIAMOND, C + "add(nn.relu(nn.conv2d(%y, %w)), nn.leaky_relu(%0, alpha=0f))", False),
    "no parent": (DIAMOND, "%0 = nn.relu(nn.relu(%x)); add(%0, tanh(%0))", False),
    "the same parent at two places": (
        dominates(conv, is_op("nn.relu")(wildcard()), any_call("add")),
        "%0 = nn.conv2d(%x, %w, padding=[1, 1, 1, 1]); %1 = nn.conv2d(tanh(%0), %w, padding=[1, 1, 1, 1]); "
        "add(nn.relu(%1), nn.relu(%0))",
        False,
    ),
    "types on the way": (
        dominates(conv, unary.has_dtype("float32"), any_call("add").has_shape((1, 3, 10, 10))),
        C + "%1 = nn.relu(nn.relu(%0)); add(%1, nn.leaky_relu(%0, alpha=0f))",
        True,
    ),
    "another shape at the end": (
        dominates(conv, unary.has_dtype("float32"), any_call("add").has_shape((1, 1, 10, 10))),
        C + "%1 = nn.relu(nn.relu(%0)); add(%1, nn.leaky_relu(%0, alpha=0f))",
        False,
    ),
    "another dtype on the way": (
        dominates(conv, unary.has_dtype("float16"), any_call("add").has_shape((1, 3, 10, 10))),
        C + "%1 = nn.relu(nn.relu(%0)); add(%1, nn.leaky_relu(%0, alpha=0f))",
        False,
    ),
    "a diamond written out": (BRANCHES, C + "add(nn.relu(%0), nn.leaky_relu(%0, alpha=0f))", True),
    "half a diamond": (BRANCHES, C + "nn.leaky_relu(%0, alpha=0f)", False),
    "a diamond whose halves are of different calls": (
        BRANCHES,
        C + "add(nn.relu(%0), nn.leaky_relu(nn.conv2d(%y, %w), alpha=0f))",
        False,
    ),
    "a diamond used once more": (BRANCHES, C + "add(add(nn.relu(%0), nn.leaky_relu(%0, alpha=0f)), %0)", False),
}


@pytest.mark.parametrize("which", DOMINATORS)
def test_dominators(which: str) -> None:
    pattern, text, matches = DOMINATORS[which]
    assert match(pattern, body(text)) is matches


def optional_bias() -> DFPattern:
    return is_op("nn.relu")(conv.optional(lambda inner: is_op("nn.bias_add")(inner, wildcard())))


def optional_twice() -> DFPattern:
    return any_call("nn.conv2d").optional(is_op("nn.relu")).optional(is_op("tanh"))


OPTIONS = [
    (optional_bias, "nn.relu(nn.conv2d(%x, %w))", True),
    (optional_bias, "nn.relu(nn.bias_add(nn.conv2d(%x, %w), %b))", True),
    (optional_bias, "tanh(nn.conv2d(%x, %w))", False),
    (optional_bias, "nn.relu(nn.bias_add(%x, %b))", False),
    (optional_bias, "nn.relu(add(nn.conv2d(%x, %w), 1f))", False),
    (optional_twice, "nn.conv2d(%x, %w)", True),
    (optional_twice, "nn.relu(nn.conv2d(%x, %w))", True),
    (optional_twice, "tanh(nn.conv2d(%x, %w))", True),
    (optional_twice, "tanh(nn.relu(nn.conv2d(%x, %w)))", True),
    (optional_twice, "nn.relu(tanh(nn.conv2d(%x, %w)))", False),
]


@pytest.mark.parametrize(("pattern", "text", "matches"), OPTIONS)
def test_options(pattern, text, matches) -> None:
    assert match(pattern(), body(text)) is matches


def test_what_is_no_value_by_itself_matches_as_well() -> None:
    assert match(is_op("add"), get("add"))
    assert not match(is_op("add"), get("subtract"))
    assert match(is_op("add") | is_op("subtract"), get("subtract"))
    fields = (body("%x"), body("%y"), get("add"))
    triple = Tuple(fields)
    assert match(is_tuple((is_var("x"), wildcard(), is_op("add"))), triple)
    assert not match(is_tuple((is_var("x"), wildcard(), is_op("add"), wildcard())), triple)
    taken = is_tuple_get_item(is_tuple((is_var("x"), wildcard(), is_op("add"))), 1)
    assert match(taken, TupleGetItem(triple, 1))
    assert not match(taken, TupleGetItem(triple, 2))
    for index in range(3):
        for any_index in (is_tuple_get_item(is_tuple(None)), is_tuple_get_item(is_tuple(None), -1)):
            assert match(any_index, TupleGetItem(triple, index))


def test_attributes_of_operators_functions_and_calls() -> None:
    assert match(is_op("add").has_attr({"TOpPattern": BROADCAST})(wildcard(), wildcard()), body("add(%x, %y)"))
    assert not match(is_op("nn.conv2d").has_attr({"TOpPattern": ELEMENTWISE})(None), body("nn.conv2d(%x, %w)"))
    composite = wildcard().has_attr({"Composite": "add"})
    function = "fn (%p: Tensor[(4), float32], {}) {{ add(%p, %p) }}"
    assert match(composite, body(function.format('Composite="add"')))
    assert not match(composite, body(function.format('RandomTest="add"')))
    assert not match(composite, body(function.format('Composite="conv_bias"')))
    call = body("nn.conv2d(%x, %w, kernel_size=[3, 3])")
    assert match(conv.has_attr({"data_layout": "NCHW"}), call)
    assert match(conv.has_attr({"kernel_size": [3, 3]}), call)
    assert match(conv.has_attr({}), call)
    assert not match(conv.has_attr({"data_layout": "NHWC"}), call)
    assert not match(conv.has_attr({"RandomAttr": "NCHW"}), call)
    assert not match(conv.has_attr({"kernel_size": [2, 1]}), call)
    assert match(is_op("cast")(wildcard()).has_attr({"dtype": "float32"}), body('cast(%x, dtype="float32")'))


def test_types_of_variables() -> None:
    x = body("%x")
    assert match(has_type(TensorType((1, 3, 12, 12), "float32")), x)
    assert not match(has_type(TensorType((1, 3, 12, 12), "int32")), x)
    assert match(has_dtype("float32"), x)
    assert not match(has_dtype("float16"), x)
    assert match(has_shape((1, 3, 12, 12)), x)
    assert not match(has_shape((1, 3, 12)), x)


# Rewriting


class AddBecomesSubtract(DFPatternCallback):
    def __init__(self) -> None:
        super().__init__()
        self.pattern = any_call("add")

    def callback(self, pre, post, node_map):
        assert isinstance(post, Call)
        return apply("subtract", *post.args)


def same(got: Expr, text: str) -> None:
    assert structural_equal(got, body(text), map_free_vars=True)


def test_a_match_is_rewritten_beside_a_function_and_inside_of_a_match() -> None:
    same(rewrite(AddBecomesSubtract(), body("add(%x, %y)")), "subtract(%x, %y)")
    called = "%0 = fn (%p: Tensor[(1, 3, 12, 12), float32]) -> Tensor[(1, 3, 12, 12), float32] { nn.relu(%p) }; "
    same(rewrite(AddBecomesSubtract(), body(called + "add(%0(%x), %y)")), called + "subtract(%0(%x), %y)")
    arms = """
        type Maybe[A] { None, Some(A), }
        def @main(%m: Maybe[int32], %x: int32) -> int32 { match (%m) { Some(%v) => { add(%v, %x) }, None => { %x } } }
        """
    inside = rewrite(AddBecomesSubtract(), read(arms)["main"])
    calls = [expr for expr in post_order(inside) if isinstance(expr, Call)]
    assert [repr(call.op) for call in calls] == ["subtract"]


def test_a_call_of_a_function_with_an_attribute_is_rewritten() -> None:
    class Inline(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            self.pattern = wildcard().has_attr({"Composite": "add"})(wildcard(), wildcard())

        def callback(self, pre, post, node_map):
            assert isinstance(post, Call)
            return apply("add", *post.args)

    types = "Tensor[(1, 3, 12, 12), float32]"
    text = f'%0 = fn (%p: {types}, %q: {types}, Composite="add") -> {types} {{ add(%p, %q) }}; abs(%0(%x, %y))'
    same(rewrite(Inline(), body(text)), "abs(add(%x, %y))")


def test_a_callback_that_changes_nothing_ends_in_a_nested_match() -> None:
    class Keep(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            first, second = wildcard(), wildcard()
            inner = is_op("add")(first, second)
            self.pattern = is_op("add")(inner, is_op("add")(inner, first))

        def callback(self, pre, post, node_map):
            return post

    text = "%0 = add(%x, add(%y, %y)); add(add(%x, %0), %0)"
    same(rewrite(Keep(), body(text)), text)


class FuseBatchNorm(DFPatternCallback):
    """A normalisation that is written out becomes one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.x, self.var, self.mean, self.beta, self.gamma = (wildcard() for _ in range(5))
        self.eps = is_constant()
        root = is_op("sqrt")(self.var + self.eps)
        self.pattern = self.gamma * (self.x - self.mean) / root + self.beta

    def callback(self, pre, post, node_map):
        parts = [node_map[part][0] for part in (self.x, self.gamma, self.beta, self.mean, self.var)]
        eps = node_map[self.eps][0]
        assert isinstance(eps, Constant)
        return TupleGetItem(apply("nn.batch_norm", *parts, epsilon=eps.data.item()), 0)


BN_PARAMETERS = ", ".join(f"%{name}: Tensor[(4, 3), float32]" for name in ("x", "var", "mean", "beta", "gamma"))
BN = "add(divide(multiply(%gamma, subtract({}, %mean)), sqrt(add(%var, 1e-05f))), %beta)"
WAYS = {
    "as it is": BN.format("%x"),
    "the addition the other way round": (
        "add(%beta, divide(multiply(%gamma, subtract(%x, %mean)), sqrt(add(%var, 1e-05f))))"
    ),
    "the product outside": "add(multiply(%gamma, divide(subtract(%x, %mean), sqrt(add(%var, 1e-05f)))), %beta)",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_normalisation_is_found_in_every_order(way: str) -> None:
    found = rewrite(FuseBatchNorm(), body(WAYS[way], BN_PARAMETERS))
    assert isinstance(found, TupleGetItem)
    call = found.tuple_value
    assert isinstance(call, Call)
    assert call.op is get("nn.batch_norm")
    assert attrs_of(call, BatchNormAttrs).epsilon == pytest.approx(1e-5)
    assert [repr(arg) for arg in call.args] == ["%x", "%gamma", "%beta", "%mean", "%var"]


def test_one_inside_the_other_and_one_that_is_none() -> None:
    twice = rewrite(FuseBatchNorm(), body(BN.format(BN.format("%x")), BN_PARAMETERS))
    assert isinstance(twice, TupleGetItem)
    assert isinstance(twice.tuple_value, Call)
    assert isinstance(twice.tuple_value.args[0], TupleGetItem)
    no_sum = BN.format("%x").replace("add(divide", "subtract(divide")
    none = body(no_sum, BN_PARAMETERS)
    assert rewrite(FuseBatchNorm(), none) is none
    outer = rewrite(FuseBatchNorm(), body(BN.format(no_sum), BN_PARAMETERS))
    assert isinstance(outer, TupleGetItem)
    assert isinstance(outer.tuple_value, Call)
    assert structural_equal(outer.tuple_value.args[0], none, map_free_vars=True)


def test_dominated_pieces_are_replaced_one_after_the_other() -> None:
    class OnlyTheParent(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            self.data, self.weight = wildcard(), wildcard()
            parent = is_op("nn.conv2d")(self.data, self.weight)
            self.pattern = dominates(parent, unary | any_call("add"), any_call("add"))

        def callback(self, pre, post, node_map):
            return apply("nn.conv2d", node_map[self.data][0], node_map[self.weight][0], padding=(1, 1, 1, 1))

    pad = "padding=[1, 1, 1, 1]"
    text = f"""
        %0 = nn.conv2d(%x, %w, {pad}); %1 = add(nn.relu(nn.relu(%0)), nn.leaky_relu(%0, alpha=0f));
        %2 = nn.conv2d(%1, %w, {pad}); %3 = add(tanh(nn.relu(nn.relu(%2))), nn.leaky_relu(%2, alpha=0f));
        %4 = nn.conv2d(%3, %w, {pad}); %5 = nn.relu(nn.relu(%4)); %6 = add(%5, tanh(%5));
        %7 = nn.conv2d(%6, %w, {pad}); %8 = nn.relu(%7); %9 = add(%8, %8);
        add(tanh(%9), nn.leaky_relu(%7, alpha=0f))"""
    four = f"nn.conv2d(nn.conv2d(nn.conv2d(nn.conv2d(%x, %w, {pad}), %w, {pad}), %w, {pad}), %w, {pad})"
    same(rewrite(OnlyTheParent(), body(text)), four)


def simplify(text: str) -> Expr:
    """Zeros and ones are left out, by six callbacks together."""

    class Keep(DFPatternCallback):
        def __init__(self, kept: DFPattern, pattern: DFPattern) -> None:
            super().__init__()
            self.kept = kept
            self.pattern = pattern

        def callback(self, pre, post, node_map):
            return node_map[self.kept][0]

    def either(value: float) -> DFPattern:
        return is_expr(body(f"{int(value)}")) | is_expr(body(f"{int(value)}f"))

    def keeps(make) -> Keep:
        kept = wildcard()
        return Keep(kept, make(kept))

    zero, one = either(0), either(1)
    callbacks = [
        keeps(lambda x: x + zero),
        keeps(lambda x: x - zero),
        keeps(lambda x: x * one),
        keeps(lambda x: x / one),
        Keep(zero, zero * wildcard()),
        Keep(zero, zero / wildcard()),
    ]
    return rewrite(callbacks, body(text))


SIMPLE = [
    ("add(%x, 0f)", "%x"),
    ("add(0f, %x)", "%x"),
    ("subtract(%x, 0f)", "%x"),
    ("multiply(%x, 1f)", "%x"),
    ("multiply(1f, %x)", "%x"),
    ("divide(%x, 1f)", "%x"),
    ("multiply(%x, 0f)", "0f"),
    ("divide(0f, %x)", "0f"),
    ("subtract(add(divide(add(%x, multiply(0f, %y)), 1f), multiply(%y, 1f)), divide(0f, %x))", "add(%x, %y)"),
]


@pytest.mark.parametrize(("text", "left"), SIMPLE)
def test_several_callbacks_go_on_until_nothing_changes(text: str, left: str) -> None:
    same(simplify(text), left)


class DropLast(DFPatternCallback):
    """A concatenation loses its last part; one of a single part is that part."""

    def __init__(self, rewrite_once: bool) -> None:
        super().__init__(rewrite_once=rewrite_once)
        self.pattern = is_op("concatenate")(None)

    def callback(self, pre, post, node_map):
        assert isinstance(post, Call)
        parts = post.args[0]
        assert isinstance(parts, Tuple)
        rest = parts.fields[:-1]
        return apply("concatenate", Tuple(rest), axis=0) if rest else parts.fields[0]


class ReluBehind(DFPatternCallback):
    def __init__(self) -> None:
        super().__init__(rewrite_once=True)
        self.pattern = is_op("nn.softmax")(None)

    def callback(self, pre, post, node_map):
        return apply("nn.relu", post)


def test_rewriting_once_and_rewriting_to_the_end() -> None:
    three = "concatenate((%x, %y, %x), axis=0)"
    same(rewrite(DropLast(False), body(three)), "%x")
    same(rewrite(DropLast(True), body(three)), "concatenate((%x, %y), axis=0)")
    behind = body(f"nn.softmax({three})")
    same(rewrite([ReluBehind(), DropLast(True)], behind), "nn.relu(nn.softmax(concatenate((%x, %y), axis=0)))")
    same(rewrite([ReluBehind(), DropLast(False)], behind), "nn.relu(nn.softmax(%x))")


# Partitioning


def parts(expr: Expr) -> list[tuple[str, int]]:
    """The partitions below an expression from the outermost inwards, each with its label and count of parameters."""
    found: list[tuple[str, int]] = []
    while isinstance(expr, Call) and isinstance(expr.op, Function):
        found.append((str(expr.op.attrs["PartitionedFromPattern"]), len(expr.op.params)))
        expr = expr.args[0]
    return found


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


def test_names_of_functions_are_values_like_others() -> None:
    module = typed(read("def @main(%x: int32) { @f(%x) } def @f(%x: int32) -> int32 { add(%x, 1) }"))
    assert match(wildcard()(is_var("x")), module["main"].body)
    assert match(is_expr(GlobalVar("f"))(wildcard()), module["main"].body) is False
