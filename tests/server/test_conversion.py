"""Places as the protocol has them, where there are thousands of them."""

import json

import pytest

from relay_lsp.ir.source import LineIndex, TextSpan
from relay_lsp.server.conversion import Converter
from relay_lsp.server.encoding import Encoding


@pytest.mark.parametrize("text", ["ab\ncd%d\n\nefg", "aé\nc𝒯%d\n\nefg"])
def test_written_locations_are_those_that_are_made_one_by_one(text: str):
    converter = Converter('file:///a%20"b.relay', LineIndex(text), Encoding.UTF_16)
    spans = [TextSpan(0, 1), TextSpan(3, 7), TextSpan(4, 9), TextSpan(9, 11)]
    for some in (spans, []):
        assert json.loads(converter.written_locations(some)) == [converter.plain_location(span) for span in some]
