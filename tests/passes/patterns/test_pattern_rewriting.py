"""What callbacks make of matches, in the scenarios of TVM's own tests.

Facts: ``tests/python/relay/test_dataflow_pattern.py`` of v0.12.0.
"""

from __future__ import annotations

import pytest

from relay_lsp.ir.expressions import Call, Expr, Tuple, TupleGetItem
from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.application import apply, attrs_of
from relay_lsp.ir.ops.nn.normalization import BatchNormAttrs
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes.patterns import DFPattern, DFPatternCallback, dominates, is_expr, is_op, rewrite, wildcard
from tests.passes.modules import read
from tests.passes.patterns.pattern_pieces import BN, BN_PARAMETERS, FuseBatchNorm, any_call, body, unary


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


WAYS = {
    "as it is": BN.format("%x"),
    "the addition the other way round": (
        "add(%beta, divide(multiply(%gamma, subtract(%x, %mean)), sqrt(add(%var, 1e-05f))))"
    ),
    "the product outside": "add(multiply(%gamma, divide(subtract(%x, %mean), sqrt(add(%var, 1e-05f)))), %beta)",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_normalisation_is_found_in_every_order(way: str) -> None:
    fused = rewrite(FuseBatchNorm(), body(WAYS[way], BN_PARAMETERS))
    assert isinstance(fused, TupleGetItem)
    call = fused.tuple_value
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
