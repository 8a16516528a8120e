"""The explorer's request: a trace for the page, or the page with a trace in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from relay_lsp.server.explorer.page import PageNotBuiltError, explorer_page
from tests.server.protocol.conftest import URI, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32]) {
  %0 = nn.dropout(%x) /* si=torch.dropout_1 */;
  nn.relu(%0.0)
}
"""


def is_built() -> bool:
    try:
        return bool(explorer_page())
    except PageNotBuiltError:
        return False


needs_page = pytest.mark.skipif(not is_built(), reason="the page is not built: ./dev explorer")


async def explore(editor: Editor, **params: Any) -> Any:
    return await editor.client.protocol.send_request_async("relay/explore", {"textDocument": {"uri": URI}, **params})


@needs_page
async def test_a_pipeline_over_the_buffer_gives_its_trace(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await explore(editor, passes=["SimplifyInference"])
    records = [json.loads(line) for line in answer["trace"].splitlines()]
    assert records[0]["pipeline"] == ["SimplifyInference"]
    assert records[1]["text"] == MODEL
    assert any("torch.dropout_1" in string for string in records[1]["strings"])
    assert records[-1]["record"] == "end"


@needs_page
async def test_the_page_comes_with_the_trace_in_it(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await explore(editor, passes=["SimplifyInference"], withPage=True)
    assert 'id="trace">H4sI' in answer["page"]
    assert answer["failed"] is None


@needs_page
async def test_a_pass_that_fails_leaves_the_trace_up_to_it(editor: Editor) -> None:
    editor.open(MODEL)
    answer = await explore(editor, passes=["SimplifyInference", "NoSuchPass"])
    assert "NoSuchPass" in answer["failed"]
    assert '"record":"failure"' in answer["trace"]


@needs_page
async def test_what_cannot_be_explored_is_refused_with_the_reason(editor: Editor) -> None:
    editor.open(MODEL)
    with pytest.raises(JsonRpcException, match="0 to 4"):
        await explore(editor, passes=[], level=9)
    text = MODEL.replace("nn.relu", "nn.rellu")
    editor.open(text)
    with pytest.raises(JsonRpcException, match="has an error") as refused:
        await explore(editor, passes=["SimplifyInference"])
    assert refused.value.data is not None
    at = refused.value.data["errorAt"]["start"]
    assert text.splitlines()[at["line"]][at["character"] :].startswith("nn.rellu")
