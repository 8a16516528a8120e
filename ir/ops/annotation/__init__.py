"""Operators that say something about their argument and leave its value alone."""

from . import compiler_regions, markers, simulated_quantize

__all__ = ["compiler_regions", "markers", "simulated_quantize"]
