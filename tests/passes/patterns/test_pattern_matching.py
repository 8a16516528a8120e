"""What patterns match, in the scenarios of TVM's own tests.

Facts: ``tests/python/relay/test_dataflow_pattern.py`` of v0.12.0. TVM's calls with free-form
attributes have no counterpart here, since attributes of calls are always of a declared class.
"""

from __future__ import annotations

import pytest

from relay_lsp.ir.expressions import GlobalVar, Tuple, TupleGetItem
from relay_lsp.ir.ops import get
from relay_lsp.ir.types import TensorType
from relay_lsp.passes.patterns import (
    DFPattern,
    dominates,
    has_dtype,
    has_shape,
    has_type,
    is_expr,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    match,
    wildcard,
)
from tests.passes.modules import read, typed
from tests.passes.patterns.pattern_pieces import (
    BRANCHES,
    BROADCAST,
    DIAMOND,
    ELEMENTWISE,
    FUZZY,
    C,
    any_call,
    body,
    conv,
    unary,
)

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


def test_names_of_functions_are_values_like_others() -> None:
    module = typed(read("def @main(%x: int32) { @f(%x) } def @f(%x: int32) -> int32 { add(%x, 1) }"))
    assert match(wildcard()(is_var("x")), module["main"].body)
    assert match(is_expr(GlobalVar("f"))(wildcard()), module["main"].body) is False
