"""Places as the protocol has them, where there are many of them."""

import numpy as np
import pytest

from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.span_array import SpanArray
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents.positions import Encoding
from relay_lsp.server.lsp.conversion import ProtocolConverter


@pytest.mark.parametrize("text", ["ab\ncd%d\n\nefg", "aé\nc𝒯%d\n\nefg"])
def test_many_places_are_converted_as_one_is(text: str):
    converter = ProtocolConverter("file:///a.relay", LineIndex(text), Encoding.UTF_16)
    starts = np.array([0, 3, 4, 9])
    entries = converter.location_entries(SpanArray(starts, 2))
    assert [entry.range for entry in entries] == [
        converter.plain_range(TextSpan(start, start + 2)) for start in starts.tolist()
    ]
    assert converter.location_entries([]) == []
