"""Texts that the worker reads, with spans where a pass may look at them, and the places of expressions in them."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir import Call, Constant, Function, GlobalVar, IRModule, ops, to_text
from relay_lsp.ir.visitor import post_order
from relay_lsp.server.pass_calls import PassCall
from relay_lsp.server.worker.jobs import RunPasses
from relay_lsp.server.worker.read_texts import need_spans, open_snapshot, places_in

TEXT = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(4), float32]) {\n  %0 = exp(%x);\n  nn.relu(%0)\n}\n'


def test_the_expressions_of_a_text_have_spans_where_they_are_wanted() -> None:
    for with_spans in (True, False):
        module = open_snapshot(TEXT, "a.relay", with_spans=with_spans).parsed.module
        spans = [expr.span for expr in post_order(module["main"].body)]
        assert any(span is not None for span in spans) == with_spans


def test_a_text_is_read_once_in_each_way() -> None:
    assert open_snapshot(TEXT, "a.relay") is open_snapshot(TEXT, "a.relay", with_spans=True)
    assert open_snapshot(TEXT, "a.relay") is not open_snapshot(TEXT, "a.relay", with_spans=False)


@pytest.mark.parametrize(
    ("text", "passes", "needed"),
    [
        (TEXT, ["FuseOps", "ToANormalForm"], False),
        (TEXT, ["FuseOps", "AnnotateSpans"], True),
        (TEXT, ["PrintIR"], True),
        (TEXT, ["DebugPrint"], True),
        (TEXT, ["NoSuchPass"], True),
        (TEXT.replace("exp(%x)", "exp(%x) /* span=a:1:1 */"), ["FuseOps"], True),
    ],
)
def test_spans_are_worked_out_for_passes_that_look_at_them(text: str, passes: list[str], needed: bool) -> None:
    assert need_spans(text, passes) == needed


def test_what_a_pass_prints_has_spans(capsys: pytest.CaptureFixture[str]) -> None:
    RunPasses(TEXT, "a.relay", (PassCall("FastMath"), PassCall("PrintIR"))).run(lambda _: None)
    assert "span=a.relay:3:" in capsys.readouterr().err


def test_equal_constants_may_be_one_entry_of_the_metadata_and_have_places_all_the_same() -> None:
    first, second = (Constant(np.array([1, 2], dtype="float32")) for _ in range(2))
    module = IRModule({GlobalVar("main"): Function([], Call(ops.get("add"), [first, second]))})
    text = to_text(module).replace("meta[relay.Constant][1]", "meta[relay.Constant][0]")
    places = places_in(text, "constants.relay", module)
    for constant in (first, second):
        span = places(constant)
        assert span is not None
        assert text[span.start : span.end] == "meta[relay.Constant][0]"


def test_a_text_that_says_something_else_has_no_place_for_any() -> None:
    module = IRModule({GlobalVar("main"): Function([], Call(ops.get("exp"), [Constant(np.array(1, "float32"))]))})
    places = places_in('#[version = "0.0.5"]\ndef @main() { add(1f, 1f) }\n', "another.relay", module)
    assert places(module.functions[next(iter(module.functions))].body) is None
