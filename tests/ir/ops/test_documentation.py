"""Documentation is made from the declarations, and every declaration has some."""

from __future__ import annotations

from pathlib import Path

import pytest

from relay_lsp.ir import ops
from relay_lsp.ir.ops.documentation import document_operator, document_operators, signature

PAGE = Path(__file__).resolve().parents[3] / "docs" / "operators.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == document_operators(), (
        "run `relay-lsp ops --markdown > docs/operators.md`"
    )


@pytest.mark.parametrize("name", sorted(ops.registered()))
def test_everything_is_documented(name: str) -> None:
    op = ops.get(name)
    assert op.doc.strip()
    assert all(argument.doc.strip() for argument in op.arguments)
    for attrs in (op.attrs_type, op.metadata_attrs_type):
        assert attrs is None or all(field.doc.strip() for field in attrs.fields().values())


def test_a_signature_shows_defaults_and_what_is_required() -> None:
    assert signature(ops.get("nn.leaky_relu")) == "nn.leaky_relu(data, alpha=0.25)"
    assert signature(ops.get("cast")) == "cast(data, dtype=…)"


def test_a_page_tells_arguments_attributes_and_behaviour() -> None:
    page = document_operator(ops.get("qnn.quantize"))
    assert "| `output_zero_point` | The number that stands for 0.0: a scalar, or one for each channel. |" in page
    assert "| `axis` | an integer | `-1` |" in page
    assert page.rstrip().endswith("Fusion: elementwise; level 11.")


def test_attributes_that_only_metadata_holds_are_named_as_such() -> None:
    page = document_operator(ops.get("annotation.compiler_begin"))
    assert "meta[relay.attrs.CompilerAttrs][…]" in page
    assert "annotation.compiler_begin(data)" in page
