"""Building expressions from Python."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir.builder import BuilderError, ScopeBuilder, call, constant, function, item, set_span, var
from relay_lsp.ir.expressions import Call, Expr, GlobalVar, Tuple
from relay_lsp.ir.ops.nn.convolution_attributes import Conv2DAttrs
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.spans import SourceName, Span


def text(expr: Expr) -> str:
    return to_text(expr).split("\n", 1)[1]


def test_calls_by_name_with_attributes() -> None:
    x = var("x", (1, 3, 8, 8))
    conv = call("nn.conv2d", x, var("w"), channels=4, kernel_size=[3, 3])
    assert text(function(conv)) == (
        "fn (%x: Tensor[(1, 3, 8, 8), float32], %w) {\n"
        "  nn.conv2d(%x, %w, padding=[0, 0, 0, 0], channels=4, kernel_size=[3, 3])\n}"
    )


@pytest.mark.parametrize(
    ("padding", "sides"), [(1, (1, 1, 1, 1)), ((1, 2), (1, 2, 1, 2)), ((1, 2, 3, 4), (1, 2, 3, 4))]
)
def test_a_padding_is_spelled_out_for_each_side(padding: object, sides: tuple[int, ...]) -> None:
    conv = call("nn.conv2d", var("x"), var("w"), padding=padding, kernel_size=3)
    assert isinstance(conv.attrs, Conv2DAttrs)
    assert (conv.attrs.padding, conv.attrs.kernel_size) == (sides, (3, 3))


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: call("nn.conv2dd"), "no operator nn.conv2dd"),
        (lambda: call("nn.relu", axis=1), "nn.relu takes no attributes"),
        (lambda: call("nn.softmax", axes=1), "no attribute axes; it has axis"),
        (lambda: call("nn.softmax", axis="one"), "axis takes an integer"),
        (lambda: call(GlobalVar("f"), axis=1), "only calls of operators"),
        (lambda: call("nn.conv2d", var("x"), var("w"), padding=(1, 1, 1)), "3 numbers, and takes 2 or 4"),
    ],
)
def test_mistakes_show_where_they_are_made(build: object, reason: str) -> None:
    assert callable(build)
    with pytest.raises(BuilderError, match=reason):
        build()


def test_python_numbers_become_the_usual_dtypes() -> None:
    assert constant(1).dtype == "int32"
    assert constant(1.5).dtype == "float32"
    assert constant(True).dtype == "bool"
    assert constant(np.float64(1)).dtype == "float64"
    assert constant([1, 2], "bfloat16").dtype == "bfloat16"


def test_a_scope_collects_lets() -> None:
    scope = ScopeBuilder()
    x = var("x")
    y = scope.let("y", call("nn.relu", x))
    z = scope.let("z", Tuple((y, y)))
    assert text(function(scope.result(item(z, 0)))) == (
        "fn (%x) {\n  let %y = nn.relu(%x);\n  let %z = (%y, %y);\n  %z.0\n}"
    )


def test_a_layers_name_goes_down_to_the_layer_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_SPANFILLING", raising=False)
    x = set_span(var("x"), "input")
    first = set_span(call("nn.relu", x), "relu1")
    second = set_span(call("add", call("nn.relu", first), constant(1.0)), "block")
    assert [str(expr.span) for expr in (x, first, second, *second.args)] == [
        "input:0:0",
        "relu1:0:0",
        "block:0:0",
        "block:0:0",
        "block:0:0",
    ]


def test_an_annotator_gives_finer_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_SPANFILLING", raising=False)
    here = Span(SourceName("model.py"), 3, 3, 1, 9)
    x = var("x")
    made = set_span(call("nn.relu", x), "layer", lambda expr: here if isinstance(expr, Call) else None)
    assert made.span == here
    assert str(x.span) == "layer:0:0"


def test_span_filling_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TVM_SPANFILLING", "0")
    assert set_span(var("x"), "input").span is None


def test_what_is_no_expression_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TVM_SPANFILLING", raising=False)
    x = var("x")
    assert set_span((x, None), "input") == (x, None)
    assert x.span is not None
    assert set_span(3, "input") == 3
