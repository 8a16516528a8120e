"""How a sample of a faulty call is written down, and how it is checked."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from relay_lsp.ir.diagnostics import Severity
from tests.fixture import read_fixture

__all__ = ["Sample", "check_sample", "each_sample"]

Sample = tuple[str, str, str]
"""What is at fault; the code of the error; and a text with carets under the place where its one error stands, beside
which stands how the message begins."""


def each_sample(samples: Sequence[Sample]) -> pytest.MarkDecorator:
    """Run a test of ``code`` and ``text`` with each of the samples."""
    return pytest.mark.parametrize(("code", "text"), [each[1:] for each in samples], ids=[each[0] for each in samples])


def check_sample(code: str, text: str) -> None:
    """Check that the one error of a text has this code, and stands and reads as the carets in it say."""
    fixture = read_fixture(text)
    (marked,) = fixture.annotations
    (error,) = [diagnostic for diagnostic in fixture.snapshot.diagnostics if diagnostic.severity is Severity.ERROR]
    assert (error.code, error.span) == (code, marked.span)
    assert error.message.startswith(marked.label)
