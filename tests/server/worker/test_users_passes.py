"""A user's pass may loop, eat memory or corrupt the module: it is stopped and reported, and the buffer stays."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from relay_lsp.ir.diagnostics import Diagnostic
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.session.extensions import WithExtensions
from relay_lsp.server.worker.jobs import RunPasses
from relay_lsp.server.worker.pass_outcomes import PassesOutcome
from relay_lsp.server.worker.verification import VerifyOutcome, VerifyPasses
from relay_lsp.server.worker.worker import JobError, JobTimeout, Worker
from relay_lsp.server.worker.worker_process import Job

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = exp(%x);
  nn.relu(%0)
}
"""
PASSES = """
from relay_lsp.ir.expressions import Call, Var
from relay_lsp.ir.ops import get
from relay_lsp.passes import ModulePass, declare_pass
from relay_lsp.passes.provenance import ExprMutator


@declare_pass(opt_level=0)
class Loops(ModulePass):
    '''Never come to an end.'''

    def transform_module(self, module, context):
        while True:
            pass


@declare_pass(opt_level=0)
class EatsMemory(ModulePass):
    '''Take all the memory that there is.'''

    def transform_module(self, module, context):
        taken = []
        while True:
            taken.append(bytearray(1 << 26))


@declare_pass(opt_level=0)
class Unbinds(ModulePass):
    '''Leave a variable that nothing binds.'''

    def transform_module(self, module, context):
        return changed(module, lambda call: Call(call.op, (Var("nowhere", call.args[0].checked_type),)))


@declare_pass(opt_level=0)
class BreaksTypes(ModulePass):
    '''Leave out an argument.'''

    def transform_module(self, module, context):
        return changed(module, lambda call: Call(call.op, ()))


@declare_pass(opt_level=0)
class Lies(ModulePass):
    '''Compute something else.'''

    def transform_module(self, module, context):
        return changed(module, lambda call: Call(get("sqrt"), call.args))


def changed(module, change):
    var = module.get_global_var("main")
    return module.with_function(var, Rewriter(change).visit_function(module[var]))


class Rewriter(ExprMutator):
    def __init__(self, change):
        super().__init__()
        self.change = change

    def rewrite_call(self, pre, post):
        return self.change(post) if pre.op is get("nn.relu") else post
"""


@pytest_asyncio.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker(memory_limit=2 << 30)
    yield made
    await made.close()


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(PASSES)
    return str(path)


def with_file(job: Job, file: str) -> Job:
    return WithExtensions(job, ((file, None),))


def run_pass(name: str, file: str) -> Job:
    return with_file(RunPasses(MODEL, "model.relay", (PassCall("InferType"), PassCall(name))), file)


def only(diagnostics: tuple[Diagnostic, ...]) -> Diagnostic:
    (diagnostic,) = diagnostics
    return diagnostic


async def test_a_pass_that_loops_is_stopped_and_the_worker_goes_on(worker: Worker, file: str) -> None:
    with pytest.raises(JobTimeout, match="stopped after 3 seconds"):
        await worker.run(run_pass("Loops", file), timeout=3)
    outcome: PassesOutcome = await worker.run(run_pass("FastMath", file))
    assert "fast_exp" in outcome.text


async def test_a_pass_that_eats_memory_meets_the_limit(worker: Worker, file: str) -> None:
    with pytest.raises(JobError, match=r"out of memory: the limit is relay\.worker\.memoryLimit"):
        await worker.run(run_pass("EatsMemory", file), timeout=60)
    assert (await worker.run(run_pass("FastMath", file))).changed


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Unbinds", "Unbinds: left a broken module: %nowhere is not bound by anything"),
        ("BreaksTypes", "BreaksTypes: left a broken module: nn.relu"),
    ],
)
async def test_a_pass_that_corrupts_the_module_is_named_and_undone(
    worker: Worker, file: str, name: str, reason: str
) -> None:
    outcome: PassesOutcome = await worker.run(run_pass(name, file))
    assert str(outcome.failed).startswith(reason)
    assert (outcome.text, outcome.edits) == (MODEL, ())
    assert only(outcome.diagnostics).span is not None


async def test_a_pass_that_changes_the_result_is_shown_at_the_value_that_differs(worker: Worker, file: str) -> None:
    calls = (PassCall("FastMath"), PassCall("Lies"))
    outcome: VerifyOutcome = await worker.run(with_file(VerifyPasses(MODEL, "model.relay", calls), file))
    assert (outcome.culprit, outcome.number, outcome.kind) == ("Lies", 1, "changes the result")
    span = only(outcome.diagnostics).span
    assert span is not None
    assert MODEL[span.start : span.end] == "nn.relu(%0)"
