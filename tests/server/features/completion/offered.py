"""What is offered at the mark ``$0`` of a text."""

from __future__ import annotations

from relay_lsp.server.features.completion import Completion, completions
from tests.fixture import read_fixture


def completed(source: str) -> dict[str, Completion]:
    """The items at the mark, by their labels, likeliest first."""
    fixture = read_fixture(source)
    return {item.label: item for item in completions(fixture.snapshot, fixture.offset).items}


def labels(source: str) -> list[str]:
    """The labels at the mark, likeliest first."""
    return list(completed(source))
