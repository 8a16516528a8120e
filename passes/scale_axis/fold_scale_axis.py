"""``FoldScaleAxis``."""

from __future__ import annotations

from collections.abc import Sequence

from ..infrastructure import Pass, Pipeline, create, declare_pass


@declare_pass(opt_level=0)
class FoldScaleAxis(Pipeline):
    """Move multiplications along channels into weights, backwards and then forwards, and fold the constants.

    The three passes ``BackwardFoldScaleAxis``, ``ForwardFoldScaleAxis`` and ``FoldConstant``, each as its level admits
    it. Source of the rule: ``src/relay/transforms/fold_scale_axis.cc``.

    Before::

        def @main(%x: Tensor[(1, 2), float32], %w: Tensor[(3, 2), float32], %s: Tensor[(3), float32]) {
          %0 = nn.dense(%x, %w, units=3);
          multiply(%0, %s)
        }

    After::

        def @main(%x: Tensor[(1, 2), float32], %w: Tensor[(3, 2), float32], %s: Tensor[(3), float32]) {
          %0 = expand_dims(%s, axis=1);
          %1 = multiply(%w, %0);
          nn.dense(%x, %1, units=3)
        }
    """

    def passes(self) -> Sequence[Pass]:
        """The three passes."""
        return [create(name) for name in ("BackwardFoldScaleAxis", "ForwardFoldScaleAxis", "FoldConstant")]
