"""The layout of a canonical text is read off its lines, and is the one that its tokens give."""

from __future__ import annotations

import numpy as np
import pytest

from relay_lsp.ir.inference import infer_types
from relay_lsp.ir.printing import to_text_with_positions
from relay_lsp.ir.syntax import parse
from relay_lsp.passes import bind_params_by_name
from relay_lsp.passes.text_edits.canonical_layout import canonical_layout
from relay_lsp.passes.text_edits.layout import FunctionLayout, layout_of
from tests.passes.modules import VERSION

TEXTS = {
    "statements": "def @main(%x: Tensor[(2), float32]) {\n %0 = nn.relu(%x);\n add(%0, %0)\n}",
    "a function as a value": """
        def @main(%x: Tensor[(2), float32]) {
          %0 = fn (%y: Tensor[(2), float32], Name="%no, meta[no][0]") { %1 = exp(%y); add(%1, %x) };
          %0(%x)
        }""",
    "a binding inside the value of another": """
        def @main(%x: Tensor[(2), float32]) {
          let %a = let %b = let %c = exp(%x); %0 = add(%c, %c); add(%0, %0); nn.relu(%b);
          let %e = tanh(%a);
          (%a, %e)
        }""",
    "type parameters": "def @f[A](%x: A) -> A { %x }\ndef @main[A, B](%x: A, %y: B) -> A { @f(%x) }",
    "branches": "def @main(%c: bool, %x: float32) {\n let %a = if (%c) { exp(%x) } else { %x };\n %a\n}",
    "functions and weights": """
        def @other(%x: Tensor[(2), float32]) { %x }
        def @main(%x: Tensor[(2), float32], %w: Tensor[(2), float32]) { add(@other(%x), %w) }""",
    "a data type": "type T { A, B, }\ndef @main(%t: T) { match (%t) { A => { 1 }, B => { 2 }, } }",
}


def described(function: FunctionLayout) -> object:
    statements = [
        (each.binder, each.is_let, each.start, each.value_start, each.value_end, each.end, each.line_end)
        for each in function.statements
    ]
    tokens = [
        (row.start, row.kinds, list(row.texts), list(row.not_plain), list(row.names), [row[n] for n in range(len(row))])
        for row in function.rows
    ]
    return function.name, function.start, function.end, function.is_regular, statements, tokens


@pytest.mark.parametrize("show_types", [True, False])
@pytest.mark.parametrize("name", TEXTS)
def test_the_lines_tell_what_the_tokens_tell(name: str, show_types: bool):
    parsed = parse(VERSION + TEXTS[name])
    assert not parsed.diagnostics
    weights = {"w": np.zeros(2, "float32")} if name == "functions and weights" else {}
    module = infer_types(bind_params_by_name(parsed.module, weights)).module
    text = to_text_with_positions(module, show_types=show_types, show_spans=False).text
    from_lines, from_tokens = canonical_layout(text), layout_of(text)
    assert list(map(described, from_lines.functions)) == list(map(described, from_tokens.functions))
    assert from_lines.metadata == from_tokens.metadata
