"""Operators over images: resizing, sampling on a grid, morphology."""

from . import dilation, grid, resize

__all__ = ["dilation", "grid", "resize"]
