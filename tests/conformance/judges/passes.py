"""Judges of passes: what a pass makes of a module, what it refuses, and what a module then computes."""

from __future__ import annotations

import difflib
import re
from typing import Any

from relay_lsp import ir, passes
from relay_lsp.ir.visitor import rewrite_post_order
from relay_lsp.passes import verification
from relay_lsp.passes.compiler_regions import register_target_support

from ..records import Record
from .comparison import errors, inferred, module_difference, typed_module
from .inverses import with_inverses_of
from .kills import with_kills_in_order
from .layout_rules import target_of

_LIFTED = re.compile(r"lifted_name\d+")


def _create(name: str, args: dict[str, Any]) -> passes.Pass:
    if name == "Sequential":
        return passes.Sequential([_create(step["pass"], step["args"]) for step in args["passes"]])
    return passes.create(name, **args)


# Operators that TVM's tests of AnnotateTarget register for a compiler of their own, by test and compiler.
_TEST_TARGETS = {
    ("test_multiple_ends", "test"): ("nn.relu",),
    ("test_type_propagation", "test_type_propagation"): ("nn.relu",),
    ("test_ref_create_read_write", "relu"): ("nn.relu",),
    ("test_tuple", "test_tuple"): ("nn.relu", "concatenate"),
    ("test_ends_with_tuple", "clip"): ("clip",),
    ("test_if_else", "test_if_else"): ("equal", "tanh", "sigmoid", "erf"),
    ("test_while_let", "test_while_let"): ("less", "add", "zeros_like"),
    ("test_if_free_vars", "test_if_free_vars"): ("equal", "sigmoid", "erf"),
    ("test_duplicate_outputs", "test_duplicate_outputs"): ("abs",),
    ("test_duplicate_merge_and_tuplegetitem", "test_duplicate_merge_and_tuplegetitem"): ("nn.batch_norm", "nn.relu"),
    ("test_constant_tuples", "const_tuples"): ("qnn.concatenate",),
    ("test_flatten_tuple_output", "test_flatten_tuple_output"): ("split", "abs"),
    ("test_double_target", "double.A"): ("nn.relu",),
    ("test_different_targets", "different.A"): ("nn.relu",),
    ("test_different_targets", "different.B"): ("add",),
    ("test_multiple_runs", "A"): ("nn.relu",),
    ("test_multiple_runs", "B"): ("add",),
}


def _register_test_targets(record: Record) -> None:
    test = record["origin"].rpartition("::")[2]
    for (name, target), operators in _TEST_TARGETS.items():
        if name == test:
            register_target_support(target, *operators)


def _numbered(module: ir.IRModule) -> ir.IRModule:
    """``module`` with the lifted functions numbered as ``@main`` reaches them: their names hold a hash of TVM's own."""
    if not any(_LIFTED.fullmatch(var.name_hint) for var in module):
        return module
    text = ir.to_text(module, show_meta_data=True, show_spans=False)
    mains = ir.to_text(module["main"], show_meta_data=False) if "main" in module else ""
    names = list(dict.fromkeys(_LIFTED.findall(mains) + _LIFTED.findall(text)))
    numbered = _LIFTED.sub(lambda match: f"lifted_{names.index(match[0])}", text)
    return ir.infer_types(ir.parse(numbered).module).module


_DEFAULT_CONTEXT: dict[str, Any] = {"opt_level": 3, "required_pass": [], "disabled_pass": [], "config": {}}


def missing_pass(record: Record) -> str | None:
    """A sentence where the record is of a pass that does not exist here."""
    missing = [name for name in _pass_names(record) if passes.find(name) is None]
    return f"no pass {missing[0]}" if missing else None


def run(record: Record, before: ir.IRModule) -> ir.IRModule:
    """What the recorded pass makes of ``before`` under the recorded context.

    Raises:
        PassError: it refuses.
    """
    _register_test_targets(record)
    context = record.get("ctx") or _DEFAULT_CONTEXT
    with (
        passes.PassContext(
            opt_level=context["opt_level"],
            required_pass=context["required_pass"],
            disabled_pass=context["disabled_pass"],
            config=context["config"],
        ),
        target_of(record),
    ):
        return _create(record["pass"], record["args"])(before)


def run_pass(record: Record) -> str | None:
    """The pass under the recorded context gives the recorded module, compared after inference on both sides."""
    missing = missing_pass(record)
    if missing:
        return missing
    before, problem = typed_module(record["before"], "before")
    if before is None:
        return problem
    expected, problem = typed_module(record["after"], "after")
    if expected is None:
        return problem
    actual, problem = inferred(run(record, before), "the result")
    if actual is None:
        return problem
    expected, actual = (with_kills_in_order(_numbered(module)) for module in (expected, actual))
    if record["pass"] == "DivToMul":
        expected = with_inverses_of(actual, expected, before)
    return module_difference(expected, actual)


class SaysNothing(Exception):
    """A record that neither agrees nor disagrees; the message says why."""


def meaning(record: Record) -> str | None:
    """The pass leaves the module's results as they were, on random inputs.

    A module that takes too long to run is made smaller before.

    Raises:
        SaysNothing: the module does not run.
    """
    missing = missing_pass(record)
    if missing:
        return missing
    before, problem = typed_module(record["before"], "before")
    if before is None:
        return problem
    before = verification.shrink(before)
    after = run(record, before)
    if ir.structural_equal(before, after):
        return None
    try:
        verdict = verification.verify(before, after, bound=verification.bound_of(_pass_names(record)))
    except verification.Unverifiable as reason:
        raise SaysNothing(str(reason)) from None
    return None if verdict.agrees or verdict.largest is None else verdict.largest.message


def _pass_names(record: Record) -> list[str]:
    return [step["pass"] for step in record["args"]["passes"]] if record["pass"] == "Sequential" else [record["pass"]]


class _Order(passes.PassInstrument):
    """The names of the passes in the order in which they start, each with how many others it runs in.

    ``InferType`` is left out: TVM runs it after every pass and every rewriting by a pattern, and here it runs where
    the types may have changed.
    """

    def __init__(self) -> None:
        self.names: list[list[Any]] = []
        self._depth = 0

    def run_before_pass(self, mod: ir.IRModule, info: passes.PassInfo) -> None:
        if info.name != "InferType":
            self.names.append([self._depth, info.name])
        self._depth += 1

    def run_after_pass(self, mod: ir.IRModule, info: passes.PassInfo) -> None:
        self._depth -= 1


def optimize(record: Record) -> str | None:
    """The passes of a build run in the recorded order, and give the recorded module apart from the hashes on it."""
    before, problem = typed_module(record["before"], "before")
    if before is None:
        return problem
    expected, problem = typed_module(record["after"], "after")
    if expected is None:
        return problem
    order = _Order()
    with passes.PassContext(instruments=[order]):
        actual = passes.optimize(before, record.get("target", "llvm"), opt_level=record["opt_level"])
    wanted = [[depth, name] for depth, name in record["passes"] if name != "InferType"]
    if order.names != wanted:
        lines = difflib.unified_diff([f"{a} {b}" for a, b in wanted], [f"{a} {b}" for a, b in order.names], lineterm="")
        return "the passes run in another order: " + ", ".join(list(lines)[3:15])
    return module_difference(_without_hashes(expected), _without_hashes(actual))


def _without_hashes(module: ir.IRModule) -> ir.IRModule:
    """``module`` without the hashes that ``LabelOps`` writes, which are numbers of TVM's own, and typed."""

    def bare(_: ir.Expr, expr: ir.Expr) -> ir.Expr:
        if not isinstance(expr, ir.Function) or "hash" not in expr.attrs:
            return expr
        attrs = {name: value for name, value in expr.attrs.items() if name != "hash"}
        return ir.Function(
            expr.params, expr.body, expr.ret_type, expr.type_params, attrs, expr.span, expr.virtual_device
        )

    for var, function in module.functions.items():
        stripped = rewrite_post_order(function, bare)
        assert isinstance(stripped, ir.Function)
        module = module.with_function(var, stripped)
    return ir.infer_types(module).module


def refuse(record: Record) -> str | None:
    """TVM refuses, and so do we, with an error that names the pass."""
    missing = missing_pass(record)
    if missing:
        return missing
    parsed = ir.parse(record["before"])
    if errors(parsed.diagnostics):
        return None
    try:
        run(record, parsed.module)
    except passes.PassError:
        return None
    return f"TVM refuses ({record['error'].strip().splitlines()[0][:160]}), and we do not"
