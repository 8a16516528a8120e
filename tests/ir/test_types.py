"""Types and dtypes."""

from __future__ import annotations

from relay_lsp.ir import DataType, infer_types, parse, to_text


def test_uint1_is_bool() -> None:
    assert DataType("uint1") == "bool"
    text = '#[version = "0.0.5"]\ndef @main(%c: uint1) {\n  if (%c) { 1 } else { 2 }\n}\n'
    typed = infer_types(parse(text).module)
    assert typed.diagnostics == ()
    assert "%c: bool" in to_text(typed.module, show_types=False)
