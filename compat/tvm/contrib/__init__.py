"""``tvm.contrib``: what scripts import from it."""

from __future__ import annotations

from . import download

__all__ = ["download"]
