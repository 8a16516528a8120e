"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes says something about the machine, nothing about what is right.
settings.register_profile("relay-lsp", deadline=None)
settings.load_profile("relay-lsp")
