"""Reducing a module to the smallest on which passes still go wrong in the same way."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relay_lsp.ir.builder import call, function, var
from relay_lsp.ir.expressions import Call, Constant, Expr, Function
from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.application import apply
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import ExprMutator, PassError, create, function_pass
from relay_lsp.passes.verification import FailureCondition, reduce, statement_count
from relay_lsp.server.command_line.program import run
from tests.passes.modules import read


def operators(module: IRModule) -> set[str]:
    return {repr(expr.op) for each in module.functions.values() for expr in post_order(each) if isinstance(expr, Call)}


def refuses(*names: str) -> Any:
    """A pass that raises where all these operators are called."""

    @function_pass(opt_level=0, name="Fragile")
    def fragile(func: Function, mod: IRModule, ctx: Any) -> Function:
        calls = [repr(expr.op) for expr in post_order(func) if isinstance(expr, Call)]
        if set(names) <= set(calls):
            raise PassError(f"cannot do %{len(calls)}")
        return func

    return fragile


def many(count: int) -> IRModule:
    """A function of so many values, each of two of the last few; two are ``nn.softmax`` and ``erf``."""
    generator = random.Random(1)
    pool: list[Expr] = [var("x", (4, 4))]
    for number in range(count):
        lhs, rhs = generator.choices(pool[-6:], k=2)
        special = {count // 3: "nn.softmax", 2 * count // 3: "erf"}.get(number)
        name = special or generator.choice(["add", "multiply", "subtract"])
        pool.append(call(name, lhs) if special else call(name, lhs, rhs))
    body = pool[-1]
    for each in (*pool[-8:-1], pool[count // 3 + 1], pool[2 * count // 3 + 1]):
        body = body + each
    return infer_types(IRModule.from_expr(function(body))).module


def test_a_thousand_values_become_the_two_that_matter_in_seconds() -> None:
    module = many(1200)
    assert statement_count(module) >= 1000
    counts: list[int] = []
    started = time.perf_counter()
    smallest = reduce(module, [refuses("nn.softmax", "erf")], FailureCondition("raises"), counts.append)
    assert time.perf_counter() - started < 60
    assert statement_count(smallest) <= 10
    assert operators(smallest) == {"nn.softmax", "erf"}
    assert counts == sorted(counts, reverse=True)
    assert not infer_types(smallest).diagnostics


NESTED = """
    def @main(%x: Tensor[(4), float32], %c: bool) -> Tensor[(4), float32] {
      let %a = exp(%x);
      let %b = @inner(%a);
      let %d = if (%c) { negative(%b) } else { %b };
      add(%d, meta[relay.Constant][0])
    }

    def @inner(%y: Tensor[(4), float32]) -> Tensor[(4), float32] {
      %0 = nn.relu(%y);
      %1 = sigmoid(%0);
      tanh(%1)
    }

    def @unused(%y: Tensor[(4), float32]) -> Tensor[(4), float32] {
      sqrt(%y)
    }
"""


@pytest.mark.parametrize("names", [("sigmoid",), ("exp",), ("negative",), ("exp", "add")])
def test_bindings_branches_and_calls_by_name_are_taken_apart(names: tuple[str, ...]) -> None:
    module = read(NESTED.replace("meta[relay.Constant][0]", "1f"))
    smallest = reduce(module, [refuses(*names)], FailureCondition("raises"))
    assert set(names) <= operators(smallest)
    assert statement_count(smallest) <= len(names) + 1
    assert [var.name_hint for var in smallest.functions] == ["main"]


def test_tensors_that_do_not_matter_become_parameters() -> None:
    x, big = var("x", (64,)), Constant(np.ones(64, "float32"))
    smallest = reduce(
        IRModule.from_expr(function(call("erf", call("add", x, big)))),
        [refuses("add", "erf")],
        FailureCondition("raises"),
    )
    assert not [expr for expr in post_order(smallest["main"]) if isinstance(expr, Constant)]


@pytest.mark.parametrize(
    ("words", "condition"),
    [
        ("raises", FailureCondition("raises")),
        ('raises "no kernel"', FailureCondition("raises", "no kernel")),
        ("raises: no kernel", FailureCondition("raises", "no kernel")),
        ("breaks typing", FailureCondition("breaks typing")),
        ("changes the result", FailureCondition("changes the result")),
        ("takes longer than 2 s", FailureCondition("takes longer", seconds=2.0)),
        ("slower than 500 ms", FailureCondition("takes longer", seconds=0.5)),
    ],
)
def test_conditions_are_written_in_words(words: str, condition: FailureCondition) -> None:
    assert FailureCondition.parse(words) == condition


def test_what_is_no_condition_is_refused_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"'explodes' is no condition; there are: raises, .*breaks typing"):
        FailureCondition.parse("explodes")
    with pytest.raises(ValueError, match="is no condition"):
        FailureCondition.parse('raises "no end')


def test_a_result_that_changes() -> None:
    @function_pass(opt_level=0)
    def wrong(func: Function, mod: IRModule, ctx: Any) -> Expr:
        class Wrong(ExprMutator):
            def rewrite_call(self, pre: Call, post: Call) -> Expr:
                return apply("subtract", *post.args) if repr(pre.op) == "add" else post

        return Wrong().visit(func)

    text = "def @main(%x: Tensor[(4), float32]) { %0 = exp(%x); %1 = tanh(%0); %2 = add(%1, %0); sigmoid(%2) }"
    smallest = reduce(read(text), [wrong], FailureCondition("changes the result"))
    assert operators(smallest) == {"add"}


def test_typing_that_breaks() -> None:
    @function_pass(opt_level=0)
    def breaking(func: Function, mod: IRModule, ctx: Any) -> Expr:
        class Breaking(ExprMutator):
            def rewrite_call(self, pre: Call, post: Call) -> Expr:
                return apply("nn.dense", *post.args, *post.args, units=None) if repr(pre.op) == "tanh" else post

        return Breaking().visit(func)

    text = "def @main(%x: Tensor[(4), float32]) { %0 = exp(%x); %1 = tanh(%0); %2 = add(%1, %0); sigmoid(%2) }"
    smallest = reduce(read(text), [breaking], FailureCondition("breaks typing"))
    assert operators(smallest) == {"tanh"}


def test_time_that_is_too_long() -> None:
    @function_pass(opt_level=0)
    def slow(func: Function, mod: IRModule, ctx: Any) -> Function:
        time.sleep(0.05 * ("erf" in {repr(expr.op) for expr in post_order(func) if isinstance(expr, Call)}))
        return func

    slow(many(10))
    smallest = reduce(many(30), [slow], FailureCondition.parse("takes longer than 50 ms"))
    assert "erf" in operators(smallest)
    assert statement_count(smallest) <= 10


def test_where_nothing_fails_there_is_nothing_to_reduce() -> None:
    with pytest.raises(PassError, match="nothing to reduce: on the whole module it is not so that a pass raises"):
        reduce(many(10), [create("FoldConstant")], FailureCondition("raises"))


FRAGILE = """\
from relay_lsp.ir.expressions import Call
from relay_lsp.ir.visitor import post_order
from relay_lsp.passes import PassError, function_pass


@function_pass(opt_level=0)
def fragile(func, mod, ctx):
    if any(isinstance(expr, Call) and repr(expr.op) == "tanh" for expr in post_order(func)):
        raise PassError("no tanh")
    return func
"""


def test_the_command_writes_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extension, model, out = tmp_path / "fragile.py", tmp_path / "model.relay", tmp_path / "small.relay"
    extension.write_text(FRAGILE)
    body = "%0 = exp(%x);\n  %1 = tanh(%0);\n  sigmoid(%1)"
    model.write_text(f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {{\n  {body}\n}}\n')
    options = ["--extension", str(extension), "-p", "fragile", str(model)]
    assert run(["reduce", "--until", "raises", *options, "-o", str(out)]) == 0
    assert capsys.readouterr().err.splitlines()[0] == "3 values"
    assert "  tanh(%v0)\n" in out.read_text()
    assert len(out.read_text().splitlines()) == 4
    assert run(["reduce", "--until", "breaks typing", *options]) == 1
    assert "nothing to reduce" in capsys.readouterr().err
    assert run(["reduce", "--until", "explodes", *options]) == 2
