"""Asking from an editor for the smallest module on which a pass still goes wrong."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types

from relay_lsp.ir.syntax import parse
from relay_lsp.passes import PassError, create
from tests.server.protocol.conftest import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAIN = "\n".join(f"  %{number} = nn.relu(%{number - 1});" for number in range(1, 30))
QUANTIZED = "relay.op.annotation.simulated_quantize(%29, %s, %s, %s, kind=1)"
MODEL = f"""#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32], %s: float32) {{
  %0 = exp(%x);
{CHAIN}
  %30 = {QUANTIZED};
  tanh(%30)
}}
"""


async def reduced(editor: Editor, **asked: object) -> Any:
    argument = {"uri": editor.document.uri, **asked}
    return await editor.client.workspace_execute_command_async(
        types.ExecuteCommandParams("relay-lsp.reduce", [argument])
    )


async def test_what_is_left_is_a_text_that_still_fails(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await reduced(editor, passes=["QuantizeRealize"], until="raises")
    assert (answer["before"], answer["after"]) == (32, 1)
    assert answer["message"] == "reduce QuantizeRealize: 1 of 32 values are left"
    with pytest.raises(PassError, match="scale and limits must be finite numbers"):
        create("QuantizeRealize")(parse(answer["text"]).module)
    assert not editor.applied, "the buffer stays as it is"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"passes": ["FuseOps"], "until": "explodes"}, "'explodes' is no condition; there are: raises"),
        ({"passes": ["FuseOps"]}, "nothing to reduce"),
        ({"passes": ["FuseOp"]}, "did you mean FuseOps?"),
    ],
)
async def test_why_there_is_nothing_is_said(editor: Editor, asked: dict[str, object], message: str) -> None:
    editor.open(MODEL)
    answer = await reduced(editor, **asked)
    assert answer["text"] is None
    assert message in answer["message"]
    assert any(message in shown for shown in editor.messages)
