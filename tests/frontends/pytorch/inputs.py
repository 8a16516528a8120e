"""Random inputs of the programs whose numbers are compared."""

from __future__ import annotations

from typing import Any

from .programs import torch

GENERATOR = torch.Generator().manual_seed(0)


def r(*shape: int) -> Any:
    """Numbers around 0."""
    return torch.randn(*shape, generator=GENERATOR)


def p(*shape: int) -> Any:
    """Positive numbers."""
    return torch.rand(*shape, generator=GENERATOR) + 0.1


def i(bound: int, *shape: int) -> Any:
    """Whole numbers from 0 below a bound."""
    return torch.randint(0, bound, shape, generator=GENERATOR)


def X() -> Any:  # noqa: N802
    """A batch."""
    return r(2, 3, 4)
