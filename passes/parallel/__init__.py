"""Combining parallel operators on one input into one operator."""

from .combiner import Branch, ParallelOpCombiner

__all__ = ["Branch", "ParallelOpCombiner"]
