"""Parts of functions for several targets and external compilers, chosen by what they cost (``CollagePartition``)."""

from .costs import CostEstimator, DeclaredCostEstimator, MockCostEstimator, Speed

__all__ = ["CostEstimator", "DeclaredCostEstimator", "MockCostEstimator", "Speed"]
