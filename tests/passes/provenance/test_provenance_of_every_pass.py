"""No pass can forget: after any of them, everything has an origin, and nothing disappears without a word.

Here every registered pass runs over some of its own records and of the modules of all passes;
``./dev conformance provenance`` runs every pass over all of them.
"""

from __future__ import annotations

from functools import cache

import pytest

from relay_lsp.ir.expressions import Function, Var
from relay_lsp.ir.ops.application import apply
from relay_lsp.passes import Trace, create, function_pass, registered
from tests.conformance import provenance
from tests.passes.modules import read
from tests.passes.provenance.expectations import assert_nothing_is_forgotten, options_of

OWN_RECORDS = 25
COMMON_MODULES = 15
LARGEST_TEXT = 20_000


@cache
def modules() -> dict[str, list[provenance.Record]]:
    """The small modules of the records by the pass that they were recorded for."""
    by_pass: dict[str, list[provenance.Record]] = {}
    for record in provenance.recorded_modules():
        if len(record["before"]) <= LARGEST_TEXT:
            by_pass.setdefault(record["pass"], []).append(record)
    return by_pass


def sample(items: list[provenance.Record], count: int) -> list[provenance.Record]:
    return items[:: max(1, len(items) // count)][:count]


@pytest.mark.parametrize("name", registered())
def test_everything_has_an_origin(name: str) -> None:
    everything = [record for of_pass in modules().values() for record in of_pass]
    ran = 0
    for record in sample(modules().get(name, []), OWN_RECORDS):
        ran += provenance.run(name, record["args"], record["before"])
    for record in sample(everything, COMMON_MODULES):
        ran += provenance.run(name, options_of(name), record["before"])
    assert ran, f"{name} refuses every module of the sample"


def test_a_pass_that_forgets_is_found_out() -> None:
    @function_pass(opt_level=0)
    def forgets(func, mod, ctx):
        x = Var("x", func.params[0].type_annotation)
        return Function((x,), apply("exp", x))

    with Trace() as trace:
        forgets(read("def @main(%x: Tensor[(4), float32]) { nn.relu(%x) }"))
    with pytest.raises(AssertionError, match="forgets did not say where"):
        assert_nothing_is_forgotten(trace.steps[-1])


def test_passes_one_after_the_other_forget_nothing() -> None:
    module = read(
        """
        def @main(%x: Tensor[(1, 4, 8, 8), float32], %g: Tensor[(4), float32], %b: Tensor[(4), float32]) {
          %0 = nn.batch_norm(%x, %g, %b, %g, %b);
          nn.relu(%0.0)
        }
        """
    )
    with Trace() as trace:
        for name in (
            "SimplifyInference",
            "ToANormalForm",
            "OutLiner",
            "InlineOutlined",
            "ToGraphNormalForm",
            "FuseOps",
        ):
            module = create(name)(module)
    for step in trace.steps:
        assert_nothing_is_forgotten(step)
