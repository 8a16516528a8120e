"""Which framework reads a file, and what is said where its package is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from relay_lsp.frontends.diagnostics import MissingExtraError, load_extra
from relay_lsp.frontends.models import framework_of


@pytest.mark.parametrize(
    ("name", "framework"), [("a.onnx", "onnx"), ("a.pt2", "pytorch"), ("a.pt", "pytorch"), ("A.PT2", "pytorch")]
)
def test_the_name_of_a_file_tells_its_framework(name: str, framework: str) -> None:
    assert framework_of(Path(name)).name == framework


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a\.h5: a model's file ends with .*\.onnx.*\.pt2"):
        framework_of(Path("a.h5"))


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'relay-lsp\[torch\]'"):
        load_extra("torch", "torch")
