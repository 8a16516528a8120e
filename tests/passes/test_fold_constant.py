"""FoldConstant leaves a call alone whose value no array can hold, and says so in a remark."""

from __future__ import annotations

import pytest

from relay_lsp.ir import to_text
from relay_lsp.passes import create
from tests.passes.modules import read, typed


@pytest.mark.parametrize(
    "call",
    [
        'shape_of(zeros(shape=[2, 3], dtype="float32"))',
        'shape_of(zeros(shape=[2, 3], dtype="float32"), dtype="int3")',
        'ndarray_size(zeros(shape=[2, 3], dtype="float32"), dtype="custom[posites2]32")',
        *(f'cast(1f, dtype="{dtype}")' for dtype in ("int3", "float24", "handle", "custom[posites2]32", "float32x4")),
    ],
)
def test_what_no_array_can_hold_stays(call: str) -> None:
    folded = create("FoldConstant")(typed(read(f"def @main() {{ {call} }}")))
    name = call.partition("(")[0]
    assert f"{name}(" in to_text(folded, show_types=False, show_spans=False)
