"""``tvm.relay.collage``: what estimates the costs of candidates for ``CollagePartition``."""

from __future__ import annotations

from relay_lsp.passes.collage import CostEstimator, MockCostEstimator

__all__ = ["CostEstimator", "MockCostEstimator"]
