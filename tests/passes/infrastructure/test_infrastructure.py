"""Passes, contexts and pipelines, as TVM's pass infrastructure has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.expressions import Call, Constant, Function, GlobalVar, Tuple
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.nn.activation import LeakyReluAttrs
from relay_lsp.passes import (
    FunctionPass,
    ModulePass,
    PassContext,
    PassError,
    PassInfo,
    PassInstrument,
    Pipeline,
    Sequential,
    Trace,
    create,
    function_pass,
    module_pass,
)
from tests.passes.modules import assert_same, read

RELU = "def @main(%x: Tensor[(4), float32]) { nn.relu(%x) }"
REPEATED = """
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.relu(%x);
  %1 = add(%0, 1f);
  %2 = add(%0, 1f);
  add(%1, %2)
}
"""


class Ran(PassInstrument):
    """Notes which passes run, with their levels."""

    def __init__(self) -> None:
        self.passes: list[str] = []

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        self.passes.append(info.name)


# ---- decorators


def test_a_function_becomes_a_pass():
    @module_pass(opt_level=2)
    def transform(mod, ctx):
        return mod

    assert isinstance(transform, ModulePass)
    assert transform.info == PassInfo(2, "transform")
    module = read(RELU)
    assert transform(module) is module


def test_a_class_becomes_a_class_of_passes():
    @function_pass(opt_level=1, name="Replace", required=["InferType"])
    class ReplaceFunction:
        def __init__(self, new):
            self.new = new

        def transform_function(self, func, mod, ctx):
            return self.new

    other = read("def @main(%x: Tensor[(4), float32]) { exp(%x) }")
    replace = ReplaceFunction(other["main"])
    assert isinstance(replace, FunctionPass)
    assert replace.info == PassInfo(1, "Replace", ("InferType",))
    own: Any = replace
    assert own.new is other["main"]
    assert_same(replace(read(RELU)), other)


@pytest.mark.parametrize("decorator", [module_pass, function_pass])
def test_a_decorator_needs_a_level(decorator):
    with pytest.raises(ValueError, match="Please provide opt_level"):
        decorator(lambda *_: None)
    with pytest.raises(TypeError, match="list/tuple"):
        decorator(lambda *_: None, opt_level=1, required="InferType")
    with pytest.raises(TypeError, match="callable"):
        decorator(opt_level=1, name="none")(3)


# ---- options


def test_an_option_is_checked_wherever_the_pass_is_made():
    with pytest.raises(PassError, match="option inline_once takes True or False"):
        create("DeadCodeElimination", inline_once="perhaps")
    with pytest.raises(PassError, match="there is no option inline_onse; did you mean inline_once"):
        create("DeadCodeElimination", inline_onse=True)
    with pytest.raises(PassError, match="there is no pass called SimplifyInferense; did you mean SimplifyInference"):
        create("SimplifyInferense")


def test_equal_passes_are_equal():
    assert create("DeadCodeElimination") == create("DeadCodeElimination", inline_once=False)
    assert create("DeadCodeElimination") != create("DeadCodeElimination", inline_once=True)
    assert repr(create("PrintIR", header="here")) == "PrintIR(header='here', show_meta_data=False)"


# ---- contexts


def test_contexts_nest():
    outer, inner = PassContext(opt_level=1), PassContext(opt_level=3)
    default = PassContext.current()
    assert default.opt_level == 2
    with outer:
        assert PassContext.current() is outer
        with inner:
            assert PassContext.current() is inner
        assert PassContext.current() is outer
    assert PassContext.current() is default


def test_an_unknown_config_option_lists_the_candidates():
    with pytest.raises(AttributeError, match=r"Invalid config option .*max_dept'; did you mean") as raised:
        PassContext(config={"relay.FuseOps.max_dept": 3})
    assert "candidates are:" in str(raised.value)
    assert "relay.ToMixedPrecision.keep_orig_output_dtype" in str(raised.value)


def test_a_config_option_has_a_kind():
    with pytest.raises(AttributeError, match=r"expect config \S+max_depth to have type int but get str"):
        PassContext(config={"relay.FuseOps.max_depth": "three"})
    assert PassContext(config={"relay.FuseOps.max_depth": 3}).get_config("relay.FuseOps.max_depth", 0) == 3
    assert PassContext().get_config("relay.FuseOps.max_depth", 7) == 7


def test_names_of_passes_are_a_collection():
    with pytest.raises(TypeError, match="required_pass"):
        PassContext(required_pass="InferType")
    with pytest.raises(TypeError, match="disabled_pass"):
        PassContext(disabled_pass="InferType")


# ---- pipelines

# As TVM's instruments see it: types before each pass that requires them, and after each pass over functions.
TYPED = ["sequential", "InferType"]
ELIMINATED = ["InferType", "EliminateCommonSubexpr", "InferType"]
SIMPLIFIED = ["InferType", "SimplifyInference", "InferType"]
PIPELINE_RUNS = [
    ({"opt_level": 2}, [*TYPED, "ToANormalForm", *SIMPLIFIED]),
    ({"opt_level": 3}, [*TYPED, *ELIMINATED, "ToANormalForm", *SIMPLIFIED]),
    ({"opt_level": 3, "disabled_pass": ["EliminateCommonSubexpr"]}, [*TYPED, "ToANormalForm", *SIMPLIFIED]),
    (
        {"opt_level": 2, "required_pass": ["EliminateCommonSubexpr"]},
        [*TYPED, *ELIMINATED, "ToANormalForm", *SIMPLIFIED],
    ),
    ({"opt_level": 0}, [*TYPED, *SIMPLIFIED]),
]


@pytest.mark.parametrize(("context", "ran"), PIPELINE_RUNS)
def test_what_a_pipeline_runs(context, ran):
    pipeline = Sequential(
        [create("InferType"), create("EliminateCommonSubexpr"), create("ToANormalForm"), create("SimplifyInference")]
    )
    instrument = Ran()
    with PassContext(**context, instruments=[instrument]):
        pipeline(read(REPEATED))
    assert instrument.passes == ran


def test_a_pipeline_takes_passes_only():
    no_passes: Any = ["InferType"]
    with pytest.raises(TypeError, match="list of Pass objects"):
        Sequential(no_passes)
    no_list: Any = create("InferType")
    with pytest.raises(TypeError, match="list of Pass objects"):
        Sequential(no_list)


def test_a_pass_that_changes_nothing_gives_the_same_module():
    module = create("InferType")(read(RELU))
    for name in ("InferType", "SimplifyInference", "EliminateCommonSubexpr", "DeadCodeElimination"):
        assert create(name)(module) is module


def test_function_passes_leave_external_functions_alone():
    module = read(
        """
        def @main(%x: Tensor[(4), float32]) {
          @other(%x)
        }

        def @other(%x: Tensor[(4), float32], Compiler="dnnl", Primitive=1) -> Tensor[(4), float32] {
          %0 = nn.dropout(%x);
          %0.0
        }
        """
    )
    assert_same(create("SimplifyInference")(module), module)


def test_a_pass_refuses_an_ill_typed_module_with_every_place():
    module = read("def @main(%x: Tensor[(4), float32], %y: Tensor[(3), float32]) { (add(%x, %y), multiply(%y, %x)) }")
    with Trace() as trace, pytest.raises(PassError) as raised:
        create("SimplifyInference")(module)
    assert raised.value.pass_name == "InferType"
    assert len(raised.value.diagnostics) == 2
    assert all(diagnostic.place is not None for diagnostic in raised.value.diagnostics)
    assert trace.steps == ()


# ---- what users get wrong


def test_a_pass_that_gives_no_module_says_so():
    @module_pass(opt_level=0)
    def forgets_to_return(mod, ctx):
        del mod, ctx

    @function_pass(opt_level=0)
    def gives_the_body(func, mod, ctx):
        return func.body

    with pytest.raises(
        PassError, match=r"forgets_to_return: the pass gave nothing \(None\), and must give an IRModule"
    ):
        forgets_to_return(read(RELU))
    with pytest.raises(
        PassError, match="gives_the_body: what the pass does to @main gave a Call, and must give a Func"
    ):
        gives_the_body(read(RELU))


def test_a_pass_gives_a_module_of_functions_under_names_of_their_own():
    class ForgetsTheFunction(ModulePass):
        def transform_module(self, module: Any, context: PassContext) -> IRModule:
            return module.with_functions(dict.fromkeys(module.functions))

    class NamesTwoAlike(ModulePass):
        def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
            return module.with_functions({**module.functions, GlobalVar("main"): module["main"]})

    class ClearsTheModule(FunctionPass):
        def transform_function(self, function: Function, module: Any, context: PassContext) -> Function:
            module.functions.clear()
            return function

    class HasNothing(Pipeline):
        def passes(self) -> Any:
            return [None]

    for item, message in (
        (ForgetsTheFunction(), r"the pass, for @main, gave nothing \(None\), and must give a Function"),
        (NamesTwoAlike(), "the pass gave a module with two functions @main"),
        (ClearsTheModule(), "changed the functions of the module that it was given"),
        (HasNothing(), r"nothing \(None\) is in the pipeline, and is no Pass"),
    ):
        with pytest.raises(PassError, match=message):
            item(read(RELU))


def test_a_decorated_pass_leaves_what_it_is_given_as_it_is():
    @function_pass(opt_level=0)
    def adds_a_layer_in_place(func, mod, ctx):
        object.__setattr__(func.body, "args", (func.body,))
        return func

    @module_pass(opt_level=0)
    def names_two_alike(mod, ctx):
        return mod.with_functions({**mod.functions, GlobalVar("main"): mod["main"]})

    for item, message in (
        (adds_a_layer_in_place, "adds_a_layer_in_place: changed the args of a Call that it was given, in place"),
        (names_two_alike, "names_two_alike: the pass gave a module with two functions @main"),
    ):
        with pytest.raises(PassError, match=message):
            item(read(RELU))


def test_what_a_users_pass_makes_has_a_text():
    @function_pass(opt_level=0)
    def marks(func, mod, ctx):
        return func.with_attr("owner", object())

    @function_pass(opt_level=0)
    def marks_deep_inside(func, mod, ctx):
        inner = Function((), func.body).with_attr("notes", {"by": [{1}]})
        return Function(func.params, inner())

    @function_pass(opt_level=0)
    def slopes(func, mod, ctx):
        slope: Any = {0.5}
        return Function(func.params, Call(ops.get("nn.leaky_relu"), (func.body,), LeakyReluAttrs(alpha=slope)))

    @function_pass(opt_level=0)
    def adds_complex_numbers(func, mod, ctx):
        return Function((*func.params,), Tuple([func.body, Constant(np.zeros(2, "complex64"))]))

    @function_pass(opt_level=0)
    def marks_well(func, mod, ctx):
        return func.with_attr({"a": 1, "b": "c", "d": (0.5, None), "e": {"f": [True]}})

    for item, message in (
        (
            marks,
            "marks: the attribute owner that it gave @main holds a value of the class object, which no text can say",
        ),
        (
            marks_deep_inside,
            "the attribute notes that it gave a function holds a value of the class set, which no text can say",
        ),
        (
            slopes,
            "slopes: the attribute alpha that it gave nn.leaky_relu holds a value of the class set, which no text",
        ),
        (adds_complex_numbers, "made a constant of the dtype complex64, which no text can say"),
    ):
        with pytest.raises(PassError, match=message):
            item(read(RELU))
    assert "b" in marks_well(read(RELU)).text()


def test_a_pass_takes_a_module():
    no_module: Any = read(RELU)["main"]
    with pytest.raises(TypeError, match="FastMath takes an IRModule, and got a Function"):
        create("FastMath")(no_module)


def test_a_context_takes_a_level_and_instruments():
    no_level: Any = "3"
    with pytest.raises(TypeError, match="opt_level is expected to be an integer, not '3'"):
        PassContext(opt_level=no_level)
    no_object: Any = [Ran]
    with pytest.raises(TypeError, match=r"must be PassInstrument objects, and .*; make an object of it"):
        PassContext(instruments=no_object)
    with pytest.raises(TypeError, match="PassInstrument objects, and 3 is none"):
        PassContext.current().override_instruments([*no_object, 3][1:])
    no_key: Any = {3: True}
    with pytest.raises(AttributeError, match="Invalid config option '3'"):
        PassContext(config=no_key)
