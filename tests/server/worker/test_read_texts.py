"""Where the expressions of a module stand in a text that says the same."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir import Call, Constant, Function, GlobalVar, IRModule, ops, to_text
from relay_lsp.server.worker.read_texts import places_in


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
