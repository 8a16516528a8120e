"""One judge per kind of record: what this project does with it, held against what TVM did.

Each judge returns ``None`` where the two agree, and otherwise a text that says how they differ.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from relay_lsp import ir, passes
from relay_lsp.ir import ops
from relay_lsp.ir.diagnostics import Diagnostic, Severity
from relay_lsp.ir.metadata import read_metadata, write_metadata
from relay_lsp.ir.source import LineIndex
from relay_lsp.ir.visitor import rewrite_post_order
from relay_lsp.passes import verification
from relay_lsp.passes.compiler_regions import register_target_support

from .kills import with_kills_in_order
from .records import Record

_SPAN = re.compile(r" span=[^*]*?(?= \*/)")
_LIFTED = re.compile(r"lifted_name\d+")
_TYPE = re.compile(r" /\* ty=(?:[^*]|\*(?!/))*\*/")

Judge = Callable[[Record], "str | None"]


def without_spans(text: str) -> str:
    """``text`` without the ``span=`` parts of its comments and metadata: modules that were not parsed have none."""
    body, mark, metadata = text.partition("\n#[metadata]\n")
    body = _SPAN.sub("", body).replace(" /* span=", " /* ")
    if '"type_key": "Span"' in metadata:
        # Writing orders the keys as TVM's hash table does, which puts what comes later in front.
        metadata = write_metadata(dict(reversed(read_metadata(metadata).items())), show_spans=False)
    return body + mark + metadata


def difference(expected: str, actual: str) -> str | None:
    """A unified diff, or ``None`` where the two are the same bytes."""
    if expected == actual:
        return None
    lines = difflib.unified_diff(expected.splitlines(), actual.splitlines(), "expected", "actual", lineterm="", n=1)
    return "\n".join(line[:1000] for line in list(lines)[:24]) or "the two differ in white space at a line's end"


def errors(diagnostics: Any) -> list[Diagnostic]:
    """The diagnostics that are errors."""
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]


def _typed(text: str, what: str) -> tuple[ir.IRModule | None, str | None]:
    parsed = ir.parse(text)
    found = errors(parsed.diagnostics)
    if found:
        return None, f"{what} does not parse: {found[0].code}: {found[0].message}"
    typed = ir.infer_types(parsed.module)
    found = errors(typed.diagnostics)
    if found:
        return None, f"{what} does not type: {found[0].code}: {found[0].message}"
    return typed.module, None


def parse(record: Record) -> str | None:
    """The source parses, and prints as TVM's canonical text, spans included."""
    if record["entry"] == "parse_expr":
        parsed = ir.parse_expr(record["source"])
        found = errors(parsed.diagnostics)
        if found:
            return f"{found[0].code}: {found[0].message}"
        return difference(record["canonical"], ir.to_text(parsed.expr, show_meta_data=True))
    parsed = ir.parse(record["source"], name="from_string")
    found = errors(parsed.diagnostics)
    if found:
        return f"{found[0].code}: {found[0].message}"
    typed = ir.infer_types(parsed.module)
    found = errors(typed.diagnostics)
    if found:
        return f"{found[0].code}: {found[0].message}"
    return difference(record["canonical"], ir.to_text(typed.module, show_meta_data=True))


def parse_error(record: Record) -> str | None:
    """TVM rejects the source, and so do we."""
    if record["entry"] == "parse_expr":
        found = errors(ir.parse_expr(record["source"]).diagnostics)
    else:
        parsed = ir.parse(record["source"])
        found = errors(parsed.diagnostics) or errors(ir.infer_types(parsed.module).diagnostics)
    return None if found else "TVM rejects it, and we find no error"


EXACT = {
    "unknown_operator",
    "unknown_attribute",
    "unknown_dtype",
    "undefined_local",
    "undefined_graph",
    "undefined_global",
    "tuple_index",
}
TOUCHING = {
    "inserted_junk",
    "deleted_close_brace",
    "deleted_open_brace",
    "deleted_close_paren",
    "deleted_open_paren",
    "deleted_equals",
    "deleted_semicolon",
    "deleted_colon",
    "deleted_comma",
}


def mutants(record: Record) -> str | None:
    """The same verdict; and where it is an error, at the place of the fault as its kind demands."""
    text = record["source"]
    snapshot = ir.Snapshot.open(text, "from_string")
    found = sorted(errors(snapshot.diagnostics), key=lambda diagnostic: diagnostic.span or ir.TextSpan(0, 0))
    verdict = record["verdict"]
    if verdict == "accepted":
        return f"TVM accepts it; we say {found[0].code}: {found[0].message}" if found else None
    if verdict != "rejected":
        return None
    if not found:
        return "TVM rejects it, and we find no error"
    lines = LineIndex(text)
    line, column, end_line, end_column = record["fault"]
    start, end = lines.offset(line - 1, column - 1), lines.offset(end_line - 1, end_column - 1)
    first = found[0].span
    said = f"{found[0].code}: {found[0].message}"
    if first is None:
        return f"the first error has no range: {said}"
    there = f"{text[first.start : first.end]!r} at {first.start}..{first.end}"
    shown = f"{there}, the fault is {text[start:end]!r} at {start}..{end}: {said}"
    kind = record["kind"]
    if kind in EXACT and (first.start, first.end) != (start, end):
        return f"not exactly the faulty token: {shown}"
    if kind in TOUCHING and (first.end < start or first.start > _next_token_end(text, end)):
        return f"does not touch the place: {shown}"
    return None


def _next_token_end(text: str, offset: int) -> int:
    """The end of the token that follows ``offset``: what is missing shows at the token found instead."""
    match = re.compile(r"\s*(?:[\w.%@]+|\S)?").match(text, offset)
    return match.end() if match else offset


def round_trip(record: Record, field: str, text: str) -> str | None:
    """A recorded text parses, and what we print of it parses to the same module, and prints the same again."""
    parsed = ir.parse(text)
    found = errors(parsed.diagnostics)
    if found:
        return f"{field}: {found[0].code}: {found[0].message}"
    printed = ir.to_text(parsed.module, show_meta_data=True, show_spans=False)
    again = ir.parse(printed)
    found = errors(again.diagnostics)
    if found:
        return f"{field}: what we print does not parse: {found[0].code}: {found[0].message}"
    if not ir.structural_equal(parsed.module, again.module, map_free_vars=True):
        return f"{field}: what we print is another module"
    return difference(printed, ir.to_text(again.module, show_meta_data=True, show_spans=False))


def typed(record: Record, field: str, text: str) -> str | None:
    """A wholly typed text, its types inferred afresh, prints as the same bytes.

    A pass leaves what it makes untyped, so that a text may show fewer types than inference finds: such a text says
    nothing here. The metadata section names positions and types of constants as TVM numbered them, and is left out.
    Nor is a text judged here that TVM's own InferType turns into another: ``infer`` asks for that one.
    """
    if not _TYPE.search(text):
        return None
    if field == "before" and record.get("pass") == "InferType":
        after = without_metadata(without_spans(record["after"]))
        if after != without_metadata(without_spans(text)):
            return None
    module, problem = _typed(text, field)
    if module is None:
        return problem
    expected = without_metadata(without_spans(text))
    actual = without_metadata(ir.to_text(module, show_meta_data=True, show_spans=False))
    return difference(expected, actual) if says_all_types(expected, actual) else None


def without_metadata(text: str) -> str:
    """A text without its metadata section."""
    return text.partition("\n#[metadata]")[0].rstrip()


def says_all_types(expected: str, actual: str) -> bool:
    """Whether ``expected`` shows as many types as inference found: ``actual`` is the text that it made of it."""
    return all(expected.count(mark) >= actual.count(mark) for mark in ("/* ty=", " -> "))


def infer(record: Record) -> str | None:
    """``InferType`` gives TVM's canonical text, to the byte."""
    module, problem = _typed(record["before"], "before")
    if module is None:
        return problem
    return difference(without_spans(record["after"]), ir.to_text(module, show_meta_data=True, show_spans=False))


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
    numbered = _LIFTED.sub(lambda found: f"lifted_{names.index(found[0])}", text)
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
    with passes.PassContext(
        opt_level=context["opt_level"],
        required_pass=context["required_pass"],
        disabled_pass=context["disabled_pass"],
        config=context["config"],
    ):
        return _create(record["pass"], record["args"])(before)


def run_pass(record: Record) -> str | None:
    """The pass under the recorded context gives the recorded module, compared after inference on both sides."""
    missing = missing_pass(record)
    if missing:
        return missing
    before, problem = _typed(record["before"], "before")
    if before is None:
        return problem
    expected, problem = _typed(record["after"], "after")
    if expected is None:
        return problem
    result = run(record, before)
    inferred = ir.infer_types(result)
    found = errors(inferred.diagnostics)
    if found:
        return f"the result does not type: {found[0].code}: {found[0].message}"
    expected, actual = (with_kills_in_order(_numbered(module)) for module in (expected, inferred.module))
    if ir.structural_equal(expected, actual, map_free_vars=True):
        return None
    return ir.first_difference(expected, actual, map_free_vars=True) or "structurally different"


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
    before, problem = _typed(record["before"], "before")
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


def optimize(record: Record) -> str | None:
    """The whole pipeline gives the recorded module, apart from what the back end writes on it.

    The passes are those that ``OptimizeImpl`` in ``src/relay/backend/build_module.cc`` runs for one target, as long as
    the level asks for them. ``PlanDevices`` and ``LabelOps`` do not exist here: what they write is the devices of
    parameters, functions and values (``on_device``), a hash of each function and the layouts of its operators, and is
    left out.
    """
    context = passes.PassContext(opt_level=record["opt_level"])
    pipeline = passes.Sequential(
        [
            passes.create("RemoveUnusedFunctions", entry_functions=["main"]),
            *(passes.create(name) for name in _PREPARATION),
            *(passes.create(f"CombineParallel{name}", min_num_branches=3) for name in _COMBINED),
            *(passes.create(name) for name in _SIMPLIFICATION),
        ]
    )
    wanted = {name for _, name in record["passes"]}
    if "AlterOpLayout" in wanted:
        return "no pass AlterOpLayout"
    before, problem = _typed(record["before"], "before")
    if before is None:
        return problem
    expected, problem = _typed(record["after"], "after")
    if expected is None:
        return problem
    with context:
        actual = pipeline(before)
    expected, actual = (_without_labels(module) for module in (expected, actual))
    if ir.structural_equal(expected, actual, map_free_vars=True):
        return None
    return ir.first_difference(expected, actual, map_free_vars=True) or "structurally different"


_PREPARATION = (
    "ToBasicBlockNormalForm",
    "QnnLegalize",
    "QnnCanonicalize",
    "Legalize",
    "SimplifyInference",
    "EliminateCommonSubexpr",
)
_COMBINED = ("Conv2D", "Dense", "BatchMatmul")
_SIMPLIFICATION = (
    "FoldConstant",
    "FoldScaleAxis",
    "SimplifyExpr",
    "CanonicalizeCast",
    "CanonicalizeOps",
    "FlattenAtrousConv",
    "SimplifyExprPostAlterOp",
    "FastMath",
    "FoldConstant",
    "SplitArgs",
    "FuseOps",
    "Inline",
)


def _without_labels(module: ir.IRModule) -> ir.IRModule:
    """``module`` without what ``PlanDevices`` and ``LabelOps`` write, and typed."""

    def bare(_: ir.Expr, expr: ir.Expr) -> ir.Expr:
        if isinstance(expr, ir.Var):
            return ir.Var(expr.name_hint, expr.type_annotation)
        if isinstance(expr, ir.Function):
            attrs = {name: value for name, value in expr.attrs.items() if name != "hash" and "layout" not in name}
            return ir.Function(expr.params, expr.body, expr.ret_type, expr.type_params, attrs)
        if isinstance(expr, ir.Call) and expr.op is ops.get("on_device"):
            return expr.args[0]
        return expr

    for var, function in module.functions.items():
        stripped = rewrite_post_order(function, bare)
        assert isinstance(stripped, ir.Function)
        module = module.with_function(var, stripped)
    return ir.infer_types(module).module


def pass_error(record: Record) -> str | None:
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


_TOLERANCE = {"float32": 1e-4, "float64": 1e-6, "float16": 2e-2, "bfloat16": 5e-2}


def _array(value: dict[str, Any]) -> Any:
    from relay_lsp.ir.types import DataType

    dtype = DataType(value["dtype"])
    if dtype == "bfloat16":
        import ml_dtypes

        return np.array(value["data"], dtype=ml_dtypes.bfloat16).reshape(value["shape"])
    return np.array(value["data"], dtype=str(dtype)).reshape(value["shape"])


def _same_value(expected: Any, actual: Any, place: str) -> str | None:
    if isinstance(expected, list):
        if not isinstance(actual, tuple) or len(actual) != len(expected):
            return f"{place}: expected a tuple of {len(expected)}, got {type(actual).__name__}"
        for index, (want, got) in enumerate(zip(expected, actual, strict=True)):
            problem = _same_value(want, got, f"{place}.{index}")
            if problem:
                return problem
        return None
    want, got = _array(expected), np.asarray(actual)
    if want.shape != got.shape:
        return f"{place}: shape {got.shape}, expected {want.shape}"
    if want.dtype != got.dtype:
        return f"{place}: dtype {got.dtype}, expected {want.dtype}"
    tolerance = _TOLERANCE.get(want.dtype.name, 0.0)
    wide_want, wide_got = want.astype("float64"), got.astype("float64")
    scale = float(np.max(np.abs(wide_want[np.isfinite(wide_want)]), initial=0.0))
    if np.allclose(wide_want, wide_got, rtol=tolerance, atol=tolerance * max(1e-3, min(scale, 1.0)), equal_nan=True):
        return None
    worst = float(np.nanmax(np.abs(wide_want - wide_got)))
    return f"{place}: largest difference {worst:g} at scale {scale:g} ({want.dtype})"


def evaluate(record: Record) -> str | None:
    """``@main``, or the only function, gives the recorded output on the inputs, within the dtype's rounding."""
    module, problem = _typed(record["module"], "module")
    if module is None:
        return problem
    names = [var.name_hint for var in module]
    function = names[0] if len(names) == 1 else "main"
    value = ir.evaluate(module, *map(_array, record["inputs"]), function=function)
    return _same_value(record["output"], value, "output")
