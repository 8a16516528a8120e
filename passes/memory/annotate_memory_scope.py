"""``AnnotateMemoryScope``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function
from relay_lsp.ir.module import IRModule

from ..infrastructure import FunctionPass, PassContext, PassError, declare_pass
from ..targets import current_target

_TEXTURES = "adreno"


@declare_pass(opt_level=2)
class AnnotateMemoryScope(FunctionPass):
    """Put tensors into texture memory, for the targets that have it; for all others nothing changes.

    Every build runs it. Only ``opencl -device=adreno`` has texture memory; the rule for it is not built here, and such
    a target is refused.

    Source of the rule: ``src/relay/transforms/annotate_texture_storage.cc``.

    Before::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
          nn.relu(%x)
        }
    """

    def transform_function(self, function: Function, module: IRModule, context: PassContext) -> Function:
        """The function as it is.

        Raises:
            PassError: the current target has texture memory.
        """
        target = current_target()
        if target is not None and _TEXTURES in target.keys:
            raise PassError(f"the target {target} has texture memory, which cannot be planned here", place=function)
        return function
