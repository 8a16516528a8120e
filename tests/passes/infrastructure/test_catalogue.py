"""The page of all passes is made from their declarations."""

from __future__ import annotations

from pathlib import Path

from relay_lsp.passes import find
from relay_lsp.passes.infrastructure.catalogue import document_pass, document_passes

PAGE = Path(__file__).resolve().parents[3] / "docs" / "passes.md"


def page_of(name: str) -> str:
    pass_class = find(name)
    assert pass_class is not None
    return document_pass(pass_class.declaration())


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == document_passes(), "run `relay-lsp passes --markdown > docs/passes.md`"


def test_a_pass_shows_what_it_does_and_an_example() -> None:
    page = page_of("SimplifyInference")
    assert page.startswith("## `SimplifyInference`\n\nUnpack normalisations into arithmetic")
    assert "Before:\n\n```relay\ndef @main(" in page
    assert "A function pass of level 0; requires `InferType`." in page
    assert "``nn" not in page


def test_options_are_a_table() -> None:
    page = page_of("FoldConstant")
    assert "| option | takes | default | |" in page
    assert "| `fold_qnn` |" in page


def test_examples_with_options_say_so() -> None:
    assert "Before (" in page_of("ConvertLayout")
