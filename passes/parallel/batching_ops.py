"""``BatchingOps``."""

from __future__ import annotations

from collections.abc import Sequence

from ..infrastructure import Pass, Pipeline, create, declare_pass


@declare_pass(opt_level=0, name="sequential")
class BatchingOps(Pipeline):
    """Join parallel convolutions, dense layers and batched products.

    The three passes ``CombineParallelConv2D``, ``CombineParallelDense`` and ``CombineParallelBatchMatmul``, each as its
    level admits it. Source of the rule: ``python/tvm/relay/transform/transform.py``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          nn.relu(%x)
        }
    """

    def passes(self) -> Sequence[Pass]:
        """The three passes."""
        names = ("CombineParallelConv2D", "CombineParallelDense", "CombineParallelBatchMatmul")
        return [create(name) for name in names]
