"""Places and findings as the protocol has them, where there are many of them."""

import json

import pytest

from relay_lsp.ir.semantic.snapshot import Snapshot
from relay_lsp.ir.text.line_index import LineIndex
from relay_lsp.ir.text.text_span import TextSpan
from relay_lsp.server.documents.encoding import Encoding
from relay_lsp.server.lsp.conversion import ProtocolConverter


@pytest.mark.parametrize("text", ["ab\ncd%d\n\nefg", "aé\nc𝒯%d\n\nefg"])
def test_written_locations_are_those_that_are_made_one_by_one(text: str):
    converter = ProtocolConverter('file:///a%20"b.relay', LineIndex(text), Encoding.UTF_16)
    spans = [TextSpan(0, 1), TextSpan(3, 7), TextSpan(4, 9), TextSpan(9, 11)]
    for some in (spans, []):
        assert json.loads(bytes(converter.written_locations(some))) == [converter.plain_location(span) for span in some]


@pytest.mark.parametrize("name", ["%value", "%wert_ü_𝛼"])
def test_written_diagnostics_are_those_that_are_made_one_by_one(name: str):
    text = f'def @main(%x: int32) {{ %0 = {name}; /* 𝛼 */ %0 = nn.rulu(%x);\n let %y = %x;\n add(%0, "open }}'
    snapshot = Snapshot.open(text, "model.relay")
    found = snapshot.diagnostics
    assert any(item.related for item in found)
    for encoding in Encoding:
        converter = ProtocolConverter("file:///a%20b.relay", snapshot.lines, encoding)
        for some in (found, ()):
            assert json.loads(converter.written_diagnostics(some)) == [converter.diagnostic(item) for item in some]
