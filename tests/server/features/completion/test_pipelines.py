"""Passes and their options in the comment that names the pipeline of a file."""

from __future__ import annotations

from relay_lsp.server.features.completion import CompletionKind, documentation
from tests.server.features.completion.offered import completed, labels


def test_passes_and_their_options_in_the_comment_of_a_pipeline() -> None:
    assert "FoldConstant" in labels("// relay-lsp: $0\ndef @main() { 1f }")
    assert labels("// relay-lsp: SimplifyInference, FoldC$0\ndef @main() { 1f }")[0] == "FoldConstant"
    assert labels("// relay-lsp: FuseOps[$0]\ndef @main() { 1f }") == ["fuse_opt_level", "name_parameters"]
    assert labels("// relay-lsp: FuseOps[fuse_opt_level=$0]\ndef @main() { 1f }") == ["-1"]
    assert "True" in labels("// relay-lsp: SimplifyInference, FoldConstant[fold_qnn=$0\ndef @main() { 1f }")


def test_documentation_is_given_when_an_item_is_looked_at() -> None:
    items = completed("// relay-lsp: FoldC$0\ndef @main() { 1f }")
    assert items["FoldConstant"].kind is CompletionKind.PASS
    assert documentation(items["FoldConstant"].subject)
    assert "nn.softmax(" in documentation("op:nn.softmax")
    assert "`axis`" in documentation("attribute:nn.softmax:axis")
    assert documentation("op:no.such.operator") == ""


def test_passes_are_offered_in_the_comment_that_names_the_pipeline() -> None:
    items = completed("// relay-lsp: SimplifyInference, Fo$0\ndef @main(%x: float32) { %x }")
    assert "FoldConstant" in items
    assert items["FoldConstant"].detail
    assert documentation(items["FoldConstant"].subject)


def test_options_are_offered_between_the_brackets_of_a_pass() -> None:
    items = completed("// relay-lsp: FoldConstant[$0\ndef @main(%x: float32) { %x }")
    assert list(items) == ["fold_qnn"]
    assert items["fold_qnn"].snippet.startswith("fold_qnn=${1:")


def test_another_comment_offers_nothing() -> None:
    assert completed("// Fo$0\ndef @main(%x: float32) { %x }") == {}
