"""What holds for all tests."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings

from relay_lsp.server.session.workspace import COLLECTOR_THRESHOLDS

# How long an example takes says something about the machine, nothing about what is right.
settings.register_profile("relay-lsp", deadline=None)
settings.load_profile("relay-lsp")


@pytest.fixture
def collecting_as_a_server() -> Iterator[None]:
    """Collect garbage as seldom as a server does, and without walking what other tests of the process hold."""
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
