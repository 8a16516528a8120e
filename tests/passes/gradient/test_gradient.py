"""The gradients of functions are what finite differences say."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from relay_lsp import ir
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import PassError, create
from relay_lsp.passes.binding import bind
from relay_lsp.passes.gradient import registry, rules
from tests.passes.modules import computed, read, typed

INDICES = "Tensor[(3), int32]"
VECTOR = "Tensor[(4), float64]"
MATRIX = "Tensor[(3, 4), float64]"
SQUARE = "Tensor[(4, 4), float64]"
BATCHES = "Tensor[(2, 3, 4), float64]"
IMAGE = "Tensor[(1, 2, 6, 6), float64]"

NAMES = """
log log2 log10 tan cos cosh sin sinh acos asin asinh atan atanh exp sqrt sigmoid tanh erf negative copy abs nn.relu
ones_like zeros_like
"""
UNARY = {name: (f"def @main(%x: {VECTOR}) {{ {name}(%x) }}", (0.2, 0.9)) for name in NAMES.split()}
OPERATORS = (
    UNARY
    | {
        "acosh": (f"def @main(%x: {VECTOR}) {{ acosh(%x) }}", (1.5, 3.0)),
        "clip": (f"def @main(%x: {VECTOR}) {{ clip(%x, a_min=-1f, a_max=2f) }}", (-3.0, 4.0)),
        "add": (f"def @main(%x: {MATRIX}, %y: {VECTOR}) {{ add(%x, %y) }}", (0.2, 0.9)),
        "subtract": (f"def @main(%x: {VECTOR}, %y: {MATRIX}) {{ subtract(%x, %y) }}", (0.2, 0.9)),
        "multiply": (f"def @main(%x: {MATRIX}, %y: {VECTOR}) {{ multiply(%x, %y) }}", (0.2, 0.9)),
        "divide": (f"def @main(%x: {MATRIX}, %y: {VECTOR}) {{ divide(%x, %y) }}", (0.2, 0.9)),
        "where": (f"def @main(%x: {VECTOR}, %y: {VECTOR}) {{ where(less_equal(%x, %y), %x, %y) }}", (0.2, 0.9)),
        "not_equal": (f'def @main(%x: {VECTOR}) {{ cast(not_equal(%x, %x), dtype="float64") }}', (0.2, 0.9)),
        "cast": (f'def @main(%x: {VECTOR}) {{ cast(%x, dtype="float64") }}', (0.2, 0.9)),
        "cast_like": (f"def @main(%x: {VECTOR}, %y: {VECTOR}) {{ cast_like(%x, %y) }}", (0.2, 0.9)),
        "collapse_sum_like": (f"def @main(%x: {MATRIX}, %y: {VECTOR}) {{ collapse_sum_like(%x, %y) }}", (0.2, 0.9)),
        "reshape": (f"def @main(%x: {MATRIX}) {{ reshape(%x, newshape=[2, -1]) }}", (0.2, 0.9)),
        "contrib_reverse_reshape": (
            f"def @main(%x: {MATRIX}) {{ contrib_reverse_reshape(%x, newshape=[-1, 2]) }}",
            (0.2, 0.9),
        ),
        "reshape_like": (
            f"def @main(%x: {SQUARE}, %y: Tensor[(2, 8), float64]) {{ reshape_like(%x, %y) }}",
            (0.2, 0.9),
        ),
        "nn.batch_flatten": (f"def @main(%x: {BATCHES}) {{ nn.batch_flatten(%x) }}", (0.2, 0.9)),
        "squeeze": ("def @main(%x: Tensor[(1, 4, 1), float64]) { squeeze(%x, axis=[0]) }", (0.2, 0.9)),
        "expand_dims": (f"def @main(%x: {VECTOR}) {{ expand_dims(%x, axis=1, num_newaxis=2) }}", (0.2, 0.9)),
        "transpose": (f"def @main(%x: {BATCHES}) {{ transpose(%x, axes=[2, 0, 1]) }}", (0.2, 0.9)),
        "transpose of all": (f"def @main(%x: {BATCHES}) {{ transpose(%x, axes=None) }}", (0.2, 0.9)),
        "concatenate": (f"def @main(%x: {MATRIX}, %y: {SQUARE}) {{ concatenate((%x, %y, %x), axis=0) }}", (0.2, 0.9)),
        "stack": (f"def @main(%x: {VECTOR}, %y: {VECTOR}) {{ stack((%x, %y, %x), axis=1) }}", (0.2, 0.9)),
        "sum": (f"def @main(%x: {BATCHES}) {{ sum(%x, axis=[0, 2]) }}", (0.2, 0.9)),
        "sum but": (f"def @main(%x: {BATCHES}) {{ sum(%x, axis=[1], exclude=True, keepdims=True) }}", (0.2, 0.9)),
        "sum of all": (f"def @main(%x: {BATCHES}) {{ sum(%x) }}", (0.2, 0.9)),
        "mean": (f"def @main(%x: {BATCHES}) {{ mean(%x, axis=[1]) }}", (0.2, 0.9)),
        "max": (f"def @main(%x: {BATCHES}) {{ max(%x, axis=[1]) }}", (0.2, 0.9)),
        "max of all": (f"def @main(%x: {MATRIX}) {{ max(%x) }}", (0.2, 0.9)),
        "variance": (
            f"def @main(%x: {BATCHES}) {{ variance(%x, mean(%x, axis=[1], keepdims=True), axis=[1], keepdims=True) }}",
            (0.2, 0.9),
        ),
        "nn.softmax": (f"def @main(%x: {MATRIX}) {{ nn.softmax(%x) }}", (0.2, 0.9)),
        "nn.log_softmax": (f"def @main(%x: {MATRIX}) {{ nn.log_softmax(%x) }}", (0.2, 0.9)),
        "nn.bias_add": (f"def @main(%x: {MATRIX}, %b: {VECTOR}) {{ nn.bias_add(%x, %b) }}", (0.2, 0.9)),
        "nn.dense": (f"def @main(%x: {MATRIX}, %w: {SQUARE}) {{ nn.dense(%x, %w, units=4) }}", (0.2, 0.9)),
        "nn.conv2d": (
            f"def @main(%x: {IMAGE}, %w: Tensor[(4, 2, 3, 3), float64]) "
            "{ nn.conv2d(%x, %w, padding=[1, 1, 1, 1], strides=[2, 2], channels=4, kernel_size=[3, 3]) }",
            (0.2, 0.9),
        ),
        "nn.conv2d with groups": (
            f"def @main(%x: {IMAGE}, %w: Tensor[(4, 1, 3, 3), float64]) "
            "{ nn.conv2d(%x, %w, groups=2, channels=4, kernel_size=[3, 3]) }",
            (0.2, 0.9),
        ),
        "nn.max_pool2d": (
            f"def @main(%x: {IMAGE}) {{ nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2]) }}",
            (0.2, 0.9),
        ),
        "nn.avg_pool2d": (
            f"def @main(%x: {IMAGE}) {{ nn.avg_pool2d(%x, pool_size=[3, 3], padding=[1, 1], count_include_pad=True) }}",
            (0.2, 0.9),
        ),
        "nn.global_avg_pool2d": (f"def @main(%x: {IMAGE}) {{ nn.global_avg_pool2d(%x) }}", (0.2, 0.9)),
        "nn.cross_entropy": (f"def @main(%x: {MATRIX}, %y: {MATRIX}) {{ nn.cross_entropy(%x, %y) }}", (0.2, 0.9)),
        "nn.cross_entropy_with_logits": (
            f"def @main(%x: {MATRIX}, %y: {MATRIX}) {{ nn.cross_entropy_with_logits(%x, %y) }}",
            (0.2, 0.9),
        ),
        "take": (f"def @main(%i: {INDICES}, %x: {MATRIX}) {{ take(%x, %i, axis=1) }}", (0.2, 0.9)),
        "take of all": (f"def @main(%x: {MATRIX}) {{ take(%x, 5) }}", (0.2, 0.9)),
        "gather_nd": (
            f"def @main(%i: {INDICES}, %x: {MATRIX}) {{ gather_nd(%x, reshape(%i, newshape=[1, 3])) }}",
            (0.2, 0.9),
        ),
        "strided_slice": (
            f"def @main(%x: {BATCHES}) "
            "{ strided_slice(%x, begin=[0, 2, 1], end=[2, 0, 4], strides=[1, -1, 2], axes=None) }",
            (0.2, 0.9),
        ),
        "strided_slice of a size": (
            f"def @main(%x: {MATRIX}) "
            '{ strided_slice(%x, begin=[1, 1], end=[2, -1], strides=[1], slice_mode="size", axes=None) }',
            (0.2, 0.9),
        ),
        "one_hot": (
            f"def @main(%i: {INDICES}, %on: float64, %off: float64) "
            '{ one_hot(%i, %on, %off, depth=4, axis=-1, dtype="float64") }',
            (0.2, 0.9),
        ),
        "zeros": (f'def @main(%x: {VECTOR}) {{ add(%x, zeros(shape=[4], dtype="float64")) }}', (0.2, 0.9)),
        "ones": (f'def @main(%x: {VECTOR}) {{ multiply(%x, ones(shape=[4], dtype="float64")) }}', (0.2, 0.9)),
        "shape_of": (f'def @main(%x: {VECTOR}) {{ cast(shape_of(%x, dtype="int32"), dtype="float64") }}', (0.2, 0.9)),
        "projections": (
            f"def @main(%x: {VECTOR}, %y: {VECTOR}) "
            "{ %0 = ((%x, %y), sin(%x)); %1 = %0.0; multiply(%1.0, multiply(%1.1, %0.1)) }",
            (0.2, 0.9),
        ),
        "a function literal called twice": (
            f"def @main(%x: {VECTOR}) {{ %0 = fn (%y: {VECTOR}) {{ multiply(%y, sin(%y)) }}; %0(%0(%x)) }}",
            (0.2, 0.9),
        ),
    }
    | {
        f"nn.matmul {a} {b}": (
            f"def @main(%x: Tensor[({'4, 3' if a else '3, 4'}), float64], "
            f"%y: Tensor[({'5, 4' if b else '4, 5'}), float64]) "
            f"{{ nn.matmul(%x, %y, units=5, transpose_a={a}, transpose_b={b}) }}",
            (0.2, 0.9),
        )
        for a, b in itertools.product((False, True), repeat=2)
    }
    | {
        f"nn.batch_matmul {a} {b}": (
            f"def @main(%x: Tensor[(2, {'4, 3' if a else '3, 4'}), float64], "
            f"%y: Tensor[(2, {'5, 4' if b else '4, 5'}), float64]) "
            f"{{ nn.batch_matmul(%x, %y, transpose_a={a}, transpose_b={b}) }}",
            (0.2, 0.9),
        )
        for a, b in itertools.product((False, True), repeat=2)
    }
)
"""A function for each operator, and between which bounds its arguments lie."""

UNTESTED = {"dyn.zeros", "dyn.ones", "dyn.reshape", "collapse_sum_to", "arange"}
"""Operators whose arguments are shapes, or bounds that decide the shape of the result."""

STEP = 1e-6


def assert_gradients(module, inputs, differentiated):
    """The gradients that ``differentiated`` computes are the slopes of ``module``, summed up over the result."""
    values = computed(differentiated, *inputs)
    result, gradients = values
    np.testing.assert_allclose(result, computed(module, *inputs))
    for number, (value, gradient) in enumerate(zip(inputs, gradients, strict=True)):
        wanted = np.zeros_like(value)
        for index in np.ndindex(value.shape):
            total = []
            for step in (-STEP, STEP):
                moved = value.copy()
                moved[index] += step
                varied = [*inputs[:number], moved, *inputs[number + 1 :]]
                total.append(float(np.sum(computed(module, *varied))))
            wanted[index] = (total[1] - total[0]) / (2 * STEP)
        np.testing.assert_allclose(gradient, wanted, rtol=1e-4, atol=1e-5)


def case(name):
    """The function of an operator, whose parameter ``%i`` is a constant, and values for the others."""
    text, (low, high) = OPERATORS[name]
    module = read(text)
    main = module["main"]
    indices = {param: ir.Constant(np.array([2, 0, 2], "int32")) for param in main.params if param.name_hint == "i"}
    params = tuple(param for param in main.params if param not in indices)
    module = typed(module.with_function(module.get_global_var("main"), ir.Function(params, bind(main.body, indices))))
    random = np.random.default_rng(3)
    types = [param.type_annotation for param in params]
    shapes: list[Any] = [tuple(type.shape) for type in types if isinstance(type, ir.TensorType)]
    return module, [random.uniform(low, high, shape) for shape in shapes]


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_a_gradient_is_the_slope(name):
    module, inputs = case(name)
    assert_gradients(module, inputs, create("FirstOrderGradient")(module))


@pytest.mark.parametrize("name", sorted(set(OPERATORS) - {"where", "not_equal", "transpose", "projections"}))
def test_a_gradient_through_references_is_the_slope(name):
    module, inputs = case(name)
    normal = create("ToANormalForm")(module)
    assert_gradients(module, inputs, create("gradient")(normal))


def test_every_gradient_is_tested():
    tested = {name.partition(" ")[0] for name in OPERATORS} | {"less_equal"} | UNTESTED
    assert rules
    assert set(registry.gradients()) == tested - {"projections", "a"}


def test_a_gradient_of_several_results_is_that_of_their_sum():
    module = typed(read(f"def @main(%x: {VECTOR}) {{ (sin(%x), (multiply(%x, %x),)) }}"))
    x = np.array([0.1, 0.2, 0.3, 0.4])
    (_, (gradient,)) = computed(create("FirstOrderGradient")(module), x)
    np.testing.assert_allclose(gradient, np.cos(x) + 2 * x)


def test_the_gradients_of_a_range_are_those_of_its_bounds():
    params = tuple(ir.Var(name, ir.TensorType((), "float64")) for name in ("start", "stop", "step"))
    start, stop, step = (ir.Constant(np.array(value)) for value in (1.0, 3.5, 1.0))
    call = apply("arange", *params, start=start, stop=stop, step=step, dtype="float64")
    module = typed(ir.IRModule.from_expr(ir.Function(params, call)))
    assert_gradients(module, [np.array(1.0), np.array(3.5), np.array(1.0)], create("FirstOrderGradient")(module))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @main(%x: float32) { round(%x) }", "round has no gradient"),
        ("def @main(%x: float32) { let %y = exp(%x); %y }", "cannot have let bindings"),
        (
            "def @main(%x: float32) { let %r = ref(%x); ref_read(%r) }",
            "reads of references .*: run the pass before those that make them",
        ),
        ("def @main[A](%x: A) -> A { %x }", "type parameters"),
        ("def @main(%x: Tensor[(0, 4), float32]) { mean(%x) }", "this call of mean has no gradient: .* no elements"),
        (
            "def @main(%x: Tensor[(1, 8, 8, 2), float32], %w: Tensor[(3, 3, 2, 4), float32]) "
            '{ nn.conv2d(%x, %w, kernel_size=[3, 3], channels=4, data_layout="NHWC", kernel_layout="HWIO") }',
            "NCHW is needed",
        ),
        (
            "def @main(%x: Tensor[(2, 3, 4), float32], %w: Tensor[(5, 4), float32]) { nn.dense(%x, %w, units=5) }",
            "ill-typed",
        ),
    ],
)
def test_what_has_no_gradient_is_refused(text, message):
    with pytest.raises(PassError, match=message):
        create("FirstOrderGradient")(read(text))


def test_users_give_operators_gradients(monkeypatch):
    monkeypatch.setattr(registry, "_gradients", dict(registry.gradients()))

    @registry.register_gradient("sign")
    def sign(call, gradient):
        return [apply("zeros_like", call.args[0])]

    module = typed(read(f"def @main(%x: {VECTOR}) {{ sign(%x) }}"))
    assert_gradients(module, [np.full(4, 0.5)], create("FirstOrderGradient")(module))


LAZY = """
def @main(%x: Tensor[(4), float32], %y: Tensor[(4), float32]) -> (Tensor[(4), float32], Tensor[(4), float32]) {
  let %zeros = zeros_like(%x);
  let %ones = ones(shape=[4], dtype="float32");
  let %a = multiply(%ones, %y);
  let %b = add(%a, %zeros);
  let %c = exp(%b);
  (add(%c, %c), multiply(%zeros, %y))
}
"""


def test_ones_and_zeros_that_are_made_lazily_compute_the_same():
    module = typed(read(LAZY))
    lazy = create("LazyGradientInit")(module)
    inputs = [np.arange(4, dtype="float32"), np.linspace(0, 1, 4, dtype="float32")]
    for wanted, got in zip(computed(module, *inputs), computed(lazy, *inputs), strict=True):
        np.testing.assert_allclose(got, wanted)
    assert [var.name for var in lazy.type_definitions] == ["GradCell"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @main(%x: float32) { %0 = exp(%x); add(%0, %0) }", "shared without let"),
        ("def @main(%x: Tensor[(4), float32]) { %0 = split(%x, indices_or_sections=2); %0.0 }", "ill-typed"),
        ("def @FromGradCell(%x: float32) -> float32 { %x }", "a function @FromGradCell of its own"),
        ("def @main(%x: ((), ())) -> float32 { exp(1f) }", "the parameter %x of the type .* holds no tensor"),
    ],
)
def test_what_cannot_be_initialised_lazily_is_refused(text, message):
    with pytest.raises(PassError, match=message):
        create("LazyGradientInit")(read(text))


RECURSIVE = """
def @main(%x: Tensor[(4), float64], %y: Tensor[(4), float64]) -> Tensor[(4), float64] {
  let %twice = fn (%f: fn (Tensor[(4), float64]) -> Tensor[(4), float64], %z: Tensor[(4), float64])
      -> Tensor[(4), float64] { let %once = %f(%z); %f(%once) };
  let %a = %twice(@squared, %x);
  let %r = ref(%a);
  ref_write(%r, multiply(ref_read(%r), %y));
  let %c = ref_read(%r);
  let %b = annotation.checkpoint(sin(multiply(%c, %x)));
  add(%b, %x)
}

def @squared(%x: Tensor[(4), float64]) -> Tensor[(4), float64] { multiply(%x, %x) }
"""


def test_the_gradient_goes_through_closures_references_and_global_functions():
    module = typed(read(RECURSIVE))
    after = create("gradient")(module)
    assert "squared_grad" in after
    random = np.random.default_rng(1)
    assert_gradients(module, [random.uniform(0.2, 0.9, 4), random.uniform(0.2, 0.9, 4)], after)


def test_the_gradient_goes_through_data():
    text = """
    type Pair[A] { Both(A, A), }
    def @main(%x: Tensor[(4), float64]) -> Tensor[(4), float64] {
      let %p = Both(%x, sin(%x));
      match (%p) { Both(%a, %b) => { multiply(%a, %b) } }
    }
    """
    module = typed(read(text))
    assert_gradients(module, [np.linspace(0.1, 0.9, 4)], create("gradient")(module))


def test_partial_evaluation_clears_references_and_closures_away():
    module = typed(read("def @main(%x: Tensor[(4), float64]) { let %y = sin(%x); let %z = exp(%y); multiply(%y, %z) }"))
    names = ("gradient", "PartialEvaluate", "DeadCodeElimination")
    after = module
    for name in names:
        options = {"inline_once": True, "ignore_impurity": True} if name == "DeadCodeElimination" else {}
        after = create(name, **options)(after)
    assert "ref" not in ir.to_text(after, show_types=False)
    assert_gradients(module, [np.linspace(0.1, 0.9, 4)], after)


def test_the_first_order_of_main_alone():
    module = typed(read("def @main(%x: float32) -> float32 { exp(%x) }  def @other(%y: int32) -> int32 { %y }"))
    after = create("gradient", mode="first_order")(module)
    assert ir.structural_equal(after["main"], create("FirstOrderGradient")(module)["main"])
    assert ir.structural_equal(after["other"], module["other"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @main(%x: float32) { %0 = exp(%x); add(%0, %0) }", "shared without let"),
        ("def @main(%x: float32) { round(%x) }", "round has no gradient"),
        ("def @main(%x: float32) -> float32 { @f(%x) } def @f(%y: float32) -> float32 { round(%y) }", "round has no"),
        ("def @main(%x: (float32,)) { %x.0 }", "is no tensor"),
        ("def @main(%x: float32) { () }", "is empty"),
        ("def @f(%x: float32) -> float32 { %x }", "no function @main"),
    ],
)
def test_what_has_no_gradient_in_the_higher_order_is_refused(text, message):
    with pytest.raises(PassError, match=message):
        create("gradient")(read(text))


def test_a_module_without_functions_has_no_gradients_to_initialise():
    module = read("type Maybe { Some(int32), None, }")
    assert create("LazyGradientInit")(module) is module
