"""Outlining gathers what one source became, wherever it stands, and its inverse puts it back exactly."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from relay_lsp.ir.diagnostics import Severity
from relay_lsp.ir.evaluation import evaluate
from relay_lsp.ir.expressions import Call, Expr, Function, GlobalVar
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.printing import to_text
from relay_lsp.ir.spans import SourceName, Span
from relay_lsp.ir.syntax import parse
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import Trace, create
from relay_lsp.passes.instruments import faults
from relay_lsp.passes.layers import layers_in
from relay_lsp.passes.provenance import expressions_of
from tests.passes.modules import VERSION, assert_same, read, typed
from tests.passes.provenance.expectations import assert_nothing_is_forgotten

T = "Tensor[(4), float32]"
LAYERS = {"exp": "one.a", "tanh": "one.a", "add": "one.a", "sin": "two.b", "cos": "two.b"}
"""Which source the calls of an operator are said to be of."""


def of_layers(text: str, layers: Mapping[str, str] = LAYERS) -> IRModule:
    """A module whose calls stand for layers, each by its operator."""
    parsed = parse(VERSION + text)
    assert not [diagnostic for diagnostic in parsed.diagnostics if diagnostic.severity is Severity.ERROR], (
        parsed.diagnostics
    )
    module = typed(parsed.module)
    for expr in expressions_of(module):
        layer = layers.get(expr.op.name) if isinstance(expr, Call) and isinstance(expr.op, Op) else None
        expr.span = None if layer is None else Span(SourceName(layer))
    return module


def outlined(module: IRModule) -> IRModule:
    """The module after outlining, which must be sound, forget nothing, and be undone exactly."""
    with Trace() as trace:
        pass
    assert trace.steps == ()
    after = create("OutLiner")(module)
    assert not faults(after)
    with Trace() as trace:
        back = create("InlineOutlined")(after)
    for step in trace.steps:
        assert_nothing_is_forgotten(step)
    assert_same(back, module)
    return after


def operators(root: Expr) -> list[str]:
    return [expr.op.name for expr in post_order(root) if isinstance(expr, Call) and isinstance(expr.op, Op)]


def functions(module: IRModule) -> dict[str, list[str]]:
    """The outlined functions with the operators that they call."""
    return {
        var.name_hint: operators(function) for var, function in module.functions.items() if "Outlined" in function.attrs
    }


IN_EVERY_PLACE = {
    "a function's body": f"def @main(%x: {T}) {{ nn.relu(tanh(exp(%x))) }}",
    "let bindings": f"def @main(%x: {T}) {{ let %a = exp(%x); let %b = tanh(%a); nn.relu(%b) }}",
    "the end of let bindings": f"def @main(%x: {T}) {{ let %z = nn.relu(%x); let %a = exp(%z); tanh(%a) }}",
    "the value of one binding": f"def @main(%x: {T}) {{ let %a = tanh(exp(%x)); nn.relu(%a) }}",
    "a nested let": f"def @main(%x: {T}) {{ nn.relu((let %a = exp(%x); tanh(%a))) }}",
    "a branch": f"def @main(%c: bool, %x: {T}) {{ if (%c) {{ tanh(exp(%x)) }} else {{ %x }} }}",
    "a closure": f"def @main(%x: {T}) {{ let %f = fn (%y: {T}) -> {T} {{ tanh(exp(add(%y, %x))) }}; %f(%x) }}",
    "a match arm": f"""type Maybe[A] {{ None, Some(A), }}
        def @main(%m: Maybe[{T}], %x: {T}) {{ match (%m) {{ Some(%v) => {{ tanh(exp(%v)) }}, None => {{ %x }} }} }}""",
    "another function": f"def @main(%x: {T}) {{ @other(%x) }} def @other(%x: {T}) -> {T} {{ nn.relu(tanh(exp(%x))) }}",
}


@pytest.mark.parametrize("place", IN_EVERY_PLACE)
def test_a_group_is_gathered_wherever_it_stands(place: str) -> None:
    after = outlined(of_layers(IN_EVERY_PLACE[place]))
    (gathered,) = functions(after).values()
    assert gathered in (["exp", "tanh"], ["add", "exp", "tanh"])
    assert not {"exp", "tanh"} & set(operators(after["main"]))


def test_free_variables_become_parameters() -> None:
    after = outlined(of_layers(IN_EVERY_PLACE["a closure"]))
    function = after["outlined_a_0"]
    assert len(function.params) == 2
    assert function.attrs["Outlined"] == "one.a"


def test_a_closure_of_the_same_source_goes_along() -> None:
    module = of_layers(f"def @main(%x: {T}) {{ %0 = fn (%y: {T}) -> {T} {{ tanh(add(%y, %x)) }}; %0(exp(%x)) }}")
    for expr in expressions_of(module):
        if isinstance(expr, (Function, Call)) and expr is not module["main"]:
            expr.span = Span(SourceName("one.a"))
    after = outlined(module)
    assert functions(after) == {"outlined_a_0": ["add", "tanh", "exp"]}
    assert [param.name_hint for param in after["outlined_a_0"].params] == ["i0"]


def test_several_results_are_a_tuple() -> None:
    after = outlined(of_layers(f"def @main(%x: {T}) {{ %0 = exp(%x); %1 = tanh(%0); (nn.relu(%0), nn.relu(%1)) }}"))
    assert functions(after) == {"outlined_a_0": ["exp", "tanh"]}
    inside_of_bindings = f"""def @main(%x: {T}) {{
        let %a = exp(%x); let %b = tanh(%a); let %c = nn.relu(%a); add(%c, nn.relu(%b)) }}"""
    after = outlined(of_layers(inside_of_bindings))
    assert functions(after) == {"outlined_a_0": ["exp", "tanh"]}


NOT_ONE_CALL = {
    "a value flows out and back in": (
        f"def @main(%x: {T}) {{ tanh(exp(nn.relu(tanh(exp(%x))))) }}",
        [["exp", "tanh"], ["exp", "tanh"]],
    ),
    "two groups need each other": (
        f"def @main(%x: {T}) {{ %0 = exp(%x); %1 = sin(%x); (cos(%0), tanh(%1)) }}",
        [["sin", "cos"]],
    ),
    "another binding stands between": (
        f"""def @main(%x: {T}) {{
            let %a = exp(%x); let %b = tanh(%a); let %c = nn.relu(%x); let %d = exp(%c); tanh(%d) }}""",
        [["exp", "tanh"], ["exp", "tanh"]],
    ),
    "it reaches over several scopes": (
        f"def @main(%c: bool, %x: {T}) {{ %0 = tanh(exp(%x)); if (%c) {{ tanh(exp(%0)) }} else {{ %0 }} }}",
        [["exp", "tanh"], ["exp", "tanh"]],
    ),
}


@pytest.mark.parametrize("why", NOT_ONE_CALL)
def test_what_cannot_be_one_call_is_split(why: str) -> None:
    text, gathered = NOT_ONE_CALL[why]
    assert sorted(functions(outlined(of_layers(text))).values()) == gathered


EFFECTS = {
    "between bindings": f"""def @main(%x: {T}) {{
        let %r = ref(%x);
        let %a = exp(ref_read(%r));
        let %b = tanh(%a);
        let %u = ref_write(%r, %b);
        let %c = exp(ref_read(%r));
        let %d = tanh(%c);
        (%b, %d, ref_read(%r)) }}""",
    "inside of a value": f"""def @main(%x: {T}) {{
        let %r = ref(%x);
        %0 = ref_write(%r, exp(%x));
        %1 = (exp(ref_read(%r)), %0, tanh(ref_read(%r)));
        (%1.0, %1.2, exp(tanh(%1.0))) }}""",
    "of a closure": f"""def @main(%x: {T}) {{
        let %r = ref(%x);
        let %f = fn (%y: {T}) -> {T} {{ let %u = ref_write(%r, tanh(exp(%y))); ref_read(%r) }};
        let %a = exp(%x);
        let %b = %f(%a);
        let %c = tanh(ref_read(%r));
        add(%b, %c) }}""",
}


@pytest.mark.parametrize("where", EFFECTS)
def test_effects_keep_their_order(where: str) -> None:
    module = of_layers(EFFECTS[where], {**LAYERS, "add": ""})
    x = np.linspace(-1, 1, 4, dtype="float32")
    np.testing.assert_equal(evaluate(outlined(module), x), evaluate(module, x))


def test_bound_effects_of_one_source_go_into_its_function_in_order() -> None:
    module = of_layers(
        f"""def @main(%r: ref({T}), %x: {T}) {{
        let %a = ref_read(%r);
        let %u = ref_write(%r, exp(%x));
        let %b = tanh(%a);
        nn.relu(%b) }}"""
    )
    let = module["main"].body
    for expr in post_order(let):
        if type(expr).__name__ in ("RefRead", "RefWrite"):
            expr.span = Span(SourceName("one.a"))
    after = outlined(module)
    assert operators(after["main"]) == ["nn.relu"]
    kinds = [type(expr).__name__ for expr in post_order(after["outlined_a_0"])]
    assert kinds.index("RefRead") < kinds.index("RefWrite")


def test_what_is_fused_or_polymorphic_or_alone_stays() -> None:
    fused = f"""def @main(%x: {T}) {{
        %0 = fn (%y: {T}, Primitive=1) -> {T} {{ tanh(exp(%y)) }}; %0(%x) }}"""
    module = of_layers(fused)
    assert create("OutLiner")(module) is module
    polymorphic = "def @main[A](%x: A) -> (A, (A, A)) { %0 = copy(%x); (%0, (copy(%0), copy(%0))) }"
    module = of_layers(polymorphic, {"copy": "one.a"})
    assert create("OutLiner")(module) is module
    alone = of_layers(f"def @main(%x: {T}) {{ nn.relu(exp(%x)) }}")
    assert create("OutLiner")(alone) is alone


def test_the_map_tells_which_function_stands_for_which_source() -> None:
    before = read(
        """
        def @main(%x: Tensor[(1, 4, 8, 8), float32], %g: Tensor[(4), float32], %b: Tensor[(4), float32]) {
          %0 = nn.batch_norm(%x, %g, %b, %g, %b);
          %1 = nn.batch_norm(%0.0, %b, %g, %g, %b);
          nn.relu(%1.0)
        }
        """
    )
    with Trace() as trace:
        module = before
        for name in ("SimplifyInference", "ToANormalForm", "OutLiner"):
            module = create(name)(module)
    first, second = (
        expr for expr in post_order(before["main"]) if isinstance(expr, Call) and repr(expr.op) == "nn.batch_norm"
    )
    standing_for = {
        var.name_hint: [source for source in (first, second) if source in trace.origins(var)]
        for var in module.functions
        if var.name_hint != "main"
    }
    assert standing_for == {"outlined_batch_norm_0": [first], "outlined_batch_norm_1": [second]}
    assert any(isinstance(left, GlobalVar) for left in trace.descendants(first))


def test_a_function_that_is_called_twice_is_written_out_twice() -> None:
    module = typed(
        read(
            f"""
            def @main(%x: {T}) {{ let %a = @outlined_a_0(%x); let %b = @outlined_a_0(%a); (%a, %b, @outlined_a_0(%b)) }}

            def @outlined_a_0(%i0: {T}, Outlined="one.a") -> {T} {{ let %v = exp(%i0); tanh(%v) }}
            """
        )
    )
    after = create("InlineOutlined")(module)
    assert not faults(after)
    assert [var.name_hint for var in after.functions] == ["main"]
    assert operators(after["main"]) == ["exp", "tanh"] * 3
    x = np.linspace(-1, 1, 4, dtype="float32")
    np.testing.assert_equal(evaluate(after, x), evaluate(module, x))


def test_the_name_of_a_function_can_be_read_back() -> None:
    layers = {"exp": "größe.1/x:0", "tanh": "größe.1/x:0"}
    after = outlined(of_layers(f"def @outlined_1_x_0_0(%x: {T}) {{ tanh(exp(%x)) }}", layers))
    assert [var.name_hint for var in after.functions] == ["outlined_1_x_0_0", "outlined_1_x_0_1"]
    assert not parse(to_text(after)).diagnostics


def test_layers_in_comments_are_sources_too() -> None:
    text = f"""def @main(%x: {T}) {{
          %0 = erf(%x); /* torch.gelu_2 */
          %1 = multiply(%0, 2f); /* torch.gelu_2 */
          %2 = tanh(%1); /* torch.tanh_3 */
          exp(%2) /* si=[torch.tanh_3, torch.exp_4] */
        }}"""
    parsed = parse(VERSION + text)
    with Trace(lambda: layers_in(parsed)) as trace:
        after = create("OutLiner")(create("FastMath")(parsed.module))
    assert functions(after) == {"outlined_gelu_2_0": ["fast_erf", "multiply"]}
    for step in trace.steps:
        assert_nothing_is_forgotten(step)


def test_closures_that_each_use_what_the_one_before_gave_are_outlined_too() -> None:
    """The body of each holds those of all before it: 2^40 of them, where none were remembered."""
    lines = "".join(
        f"  %{n} = exp({f'%{n - 1}' if n else '%x'});\n"
        f"  %{n + 1} = tanh(%{n});\n"
        f"  %{n + 2} = fn (%y{n}: {T}) {{ sin(add(%y{n}, %{n + 1})) }};\n"
        f"  %{n + 3} = %{n + 2}(%{n + 1});\n"
        for n in range(0, 160, 4)
    )
    module = of_layers(f"def @main(%x: {T}) {{\n{lines}  %159\n}}")
    after = create("OutLiner")(module)
    assert sum(1 for var in after.functions if var.name_hint.startswith("outlined_")) >= 40
    assert_same(create("InlineOutlined")(after), module)
