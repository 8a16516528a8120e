"""Layers in comments survive passes."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable

import pytest

from relay_lsp.ir import testing
from relay_lsp.ir.diagnostics import Place, apply_edits
from relay_lsp.ir.expressions import Call, Expr, Function, TupleGetItem, Var
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.printing import to_text, to_text_with_positions
from relay_lsp.ir.spans import SequentialSpan, SourceName, Span
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import Trace, create
from relay_lsp.passes.layers import layer_annotation, layer_edits, layers_in, provenance_edits
from relay_lsp.passes.layers.outputs import layer_outputs
from tests.passes.modules import VERSION

MODEL = VERSION + textwrap.dedent(
    """\
    def @main(%x: Tensor[(4, 8), float32], %g: Tensor[(8), float32], %b: Tensor[(8), float32],
              %m: Tensor[(8), float32], %v: Tensor[(8), float32]) {
      %0 = nn.relu(%x) /* ty=Tensor[(4, 8), float32] span=model.py:3:7 */;
      %1 = nn.batch_norm(%0, %g, %b, %m, %v, scale=False, center=False); /* torch.batch_norm_8 */
      %2 = %1.0; /* si=[torch.batch_norm_8] */
      exp(%2) /* si=[torch.exp_9, torch.out] */
    }
    """
)


def test_three_forms_are_read():
    parsed = parse(MODEL)
    layers = {
        type(expr).__name__ if not isinstance(expr, Call) else repr(expr.op): str(span)
        for expr, span in layers_in(parsed).items()
    }
    assert layers == {
        "nn.relu": "model.py:3:7",
        "nn.batch_norm": "torch.batch_norm_8:0:0",
        "TupleGetItem": "torch.batch_norm_8:0:0",
        "exp": "torch.exp_9:0:0, torch.out:0:0",
    }


def test_a_bare_name_is_a_layer():
    parsed = parse(MODEL)
    projection = next(expr for expr in layers_in(parsed) if isinstance(expr, TupleGetItem))
    assert layers_in(parsed)[projection] == Span(SourceName("torch.batch_norm_8"))


def test_what_a_layer_became_says_so_and_reading_it_back_continues_the_chain():
    parsed = parse(MODEL)
    with Trace() as trace:
        after = create("SimplifyInference")(parsed.module)
    text = to_text(after, annotate=layer_annotation(layers_in(parsed), trace))
    assert re.search(r"= sqrt\(%\d\) /\* si=\[torch\.batch_norm_8\] \*/;", text)
    assert "nn.relu(%x) /* si=[model.py:3:7] */;" in text
    assert "/* si=[torch.exp_9, torch.out] */" in text
    again = parse(text)
    assert {str(span) for span in layers_in(again).values()} == {
        "model.py:3:7",
        "torch.batch_norm_8:0:0",
        "torch.exp_9:0:0, torch.out:0:0",
    }


def annotated(text: str, *names: str) -> str:
    """``text`` after passes, printed and with comments that say where each value comes from."""
    parsed = parse(text, "model.relay")
    module = parsed.module
    with Trace() as trace:
        for name in names:
            module = create(name)(module)
    printed = to_text_with_positions(module, show_spans=False)
    return apply_edits(printed.text, provenance_edits(parsed, trace, module, printed.text, printed.positions.get))


def test_a_text_says_of_each_value_its_layer_its_place_in_the_text_before_and_whether_it_is_a_layers_output():
    lines = [line.strip() for line in annotated(MODEL, "SimplifyInference").splitlines()]
    places = "from=model.relay:6:8, model.relay:5:8"
    of_layer = f"/* si=[torch.batch_norm_8] {places} */"
    assert any(line.startswith("%1 = sqrt(") and of_layer in line for line in lines)
    outputs = [line for line in lines if "output=torch.batch_norm_8" in line]
    assert len(outputs) == 1
    assert f"/* si=[torch.batch_norm_8] {places} output=torch.batch_norm_8 */" in outputs[0]
    assert "/* si=[torch.exp_9, torch.out] from=model.relay:7:3 output=torch.exp_9, torch.out */" in lines[-2]


def test_the_chain_goes_on_through_texts():
    first = annotated(MODEL, "SimplifyInference")
    second = annotated(first, "ToANormalForm", "DeadCodeElimination")
    layers = {str(span) for span in layers_in(parse(second)).values()}
    assert layers == {"model.py:3:7", "torch.batch_norm_8:0:0", "torch.exp_9:0:0, torch.out:0:0"}
    assert second.count("output=torch.batch_norm_8") == 1
    line = next(number for number, line in enumerate(first.splitlines(), 1) if "= sqrt(" in line)
    (sqrt,) = [line for line in second.splitlines() if "= sqrt(" in line]
    assert f"/* si=[torch.batch_norm_8] from=model.relay:{line}:8 */" in sqrt


NESTED = VERSION + textwrap.dedent(
    """\
    def @main(%c: bool, %x: Tensor[(4), float32]) {
      let %a = exp(%x) /* si=[layer.a] */;
      %0 = if (%c) {
        %1 = nn.relu(%a); /* layer.b */
        tanh(%1) /* si=[layer.c, layer.d] */
      } else {
        %x
      };
      let %f = fn (%y: Tensor[(4), float32]) {
        sin(%y) /* layer.e */
      };
      // layer.of_nobody
      add(%f(%0), multiply(cos(%x) /* layer.inner */, 2f)) /* layer.f */
    }
    """
)


def test_comments_are_read_in_branches_and_closures_and_inside_of_values():
    layers = {
        repr(expr.op) if isinstance(expr, Call) and not isinstance(expr.op, Var) else type(expr).__name__: str(span)
        for expr, span in layers_in(parse(NESTED)).items()
    }
    assert layers == {
        "exp": "layer.a:0:0",
        "nn.relu": "layer.b:0:0",
        "tanh": "layer.c:0:0, layer.d:0:0",
        "sin": "layer.e:0:0",
        "cos": "layer.inner:0:0",
        "add": "layer.f:0:0",
        # What has no comment of its own.
        "Call": "layer.f:0:0",
        "multiply": "layer.f:0:0",
        "Constant": "layer.f:0:0",
    }


def test_comments_are_written_in_branches_and_closures():
    lines = [line.strip() for line in annotated(NESTED, "FastMath").splitlines()]
    for layer, operator in (("a", "fast_exp("), ("b", "nn.relu("), ("c, layer.d", "fast_tanh("), ("e", "sin(")):
        (line,) = [line for line in lines if operator in line]
        assert f"/* si=[layer.{layer}] from=model.relay:" in line, line
    again = layers_in(parse("\n".join(lines)))
    assert {str(span) for span in again.values()} >= {"layer.b:0:0", "layer.c:0:0, layer.d:0:0", "layer.e:0:0"}


def test_after_fusion_the_output_of_a_layer_is_what_other_layers_use():
    lines = [line.strip() for line in annotated(MODEL, "SimplifyInference", "FuseOps").splitlines()]
    marked = [line for line in lines if "output=torch.batch_norm_8" in line]
    assert [line.partition(" /*")[0] for line in marked] == ["%7 = add(%5, %6)"]
    (exp,) = [line for line in lines if line.startswith("exp(")]
    assert "output=torch.exp_9, torch.out" in exp


def test_a_fused_function_lists_the_layers_of_what_is_inside():
    lines = [line.strip() for line in annotated(MODEL, "SimplifyInference", "FuseOps").splitlines()]
    behind = [line for line in lines if line.startswith("} /* si=")]
    assert any("torch.batch_norm_8" in line and "torch.exp_9, torch.out" in line for line in behind), lines
    assert len(behind) == sum("Primitive=1" in line for line in lines)


MODELS: dict[str, Callable[[], IRModule]] = {
    "dcgan": lambda: testing.dcgan(layer_names=True),
    "densenet": lambda: testing.densenet(layer_names=True),
    "dqn": lambda: testing.dqn(layer_names=True),
    "inception_v3": lambda: testing.inception_v3(layer_names=True),
    "lstm": lambda: testing.lstm(layer_names=True),
    "mlp": lambda: testing.mlp(layer_names=True),
    "mobilenet": lambda: testing.mobilenet(layer_names=True),
    "resnet": lambda: testing.resnet(layer_names=True),
    "squeezenet": lambda: testing.squeezenet(layer_names=True),
    "vgg": lambda: testing.vgg(layer_names=True),
}


@pytest.mark.parametrize("name", MODELS)
def test_fusion_changes_no_output_of_a_layer(name: str):
    before = create("SimplifyInference")(MODELS[name]())
    assert outputs_of_calls(before)
    assert outputs_of_calls(create("FuseOps")(before)) == outputs_of_calls(before)


def outputs_of_calls(module: IRModule) -> Counter[tuple[str, str]]:
    """How often a call of an operator is the output of a layer."""
    layers_of = {expr: layers(expr) for expr in post_order(*module.functions.values())}
    return Counter(
        (expr.op.name, layer)
        for expr, leaving in layer_outputs(module, layers_of).items()
        for layer in leaving
        if isinstance(expr, Call) and isinstance(expr.op, Op)
    )


def layers(expr: Expr) -> frozenset[str]:
    spans = expr.span.spans if isinstance(expr.span, SequentialSpan) else (expr.span,)
    if isinstance(expr, (Function, Var)):
        return frozenset()
    return frozenset(span.source_name.name for span in spans if span is not None)


def test_layers_of_new_statements_are_named_and_what_is_named_already_is_left_alone():
    parsed = parse(MODEL, "model.relay")
    with Trace(lambda: layers_in(parsed)) as trace:
        module = create("SimplifyInference")(parsed.module)
    printed = to_text_with_positions(module, show_spans=False)
    whole = [TextSpan(0, len(printed.text))]
    edits = layer_edits(trace, module, printed.text, printed.positions.get, whole)
    text = apply_edits(printed.text, edits)
    (sqrt,) = [line for line in text.splitlines() if "= sqrt(" in line]
    assert "/* si=[torch.batch_norm_8] */" in sqrt
    again = parse(text, "model.relay")
    whole = [TextSpan(0, len(text))]
    with Trace(lambda: layers_in(again)) as trace:
        assert layer_edits(trace, again.module, text, lambda expr: again.locate(Place(expr)), whole) == ()
