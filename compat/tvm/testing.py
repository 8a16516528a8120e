"""``tvm.testing``: what scripts ask about the machine that they run on."""

from __future__ import annotations

import numpy as np

from relay_lsp.ir.expressions import NDArray, VirtualDevice

from .runtime import cpu

__all__ = ["assert_allclose", "enabled_targets"]


def enabled_targets() -> list[tuple[str, VirtualDevice]]:
    """The targets that tests run for: evaluation is numpy's, so ``llvm`` on the processor."""
    return [("llvm", cpu())]


def assert_allclose(actual: NDArray, desired: NDArray, rtol: float = 1e-7, atol: float = 1e-7) -> None:
    """Raise where two arrays differ by more than tolerances."""
    np.testing.assert_allclose(actual, desired, rtol, atol, verbose=True)
