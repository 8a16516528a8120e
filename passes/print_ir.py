"""``PrintIR``."""

from __future__ import annotations

import sys
from typing import ClassVar

from relay_lsp.ir.module import IRModule
from relay_lsp.ir.printing import to_text

from .infrastructure import ModulePass, PassContext, declare_pass, option


@declare_pass(opt_level=0)
class PrintIR(ModulePass):
    """Show the module on the error stream as it is at this point of the pipeline, and leave it alone.

    Source of the rule: ``src/ir/transform.cc`` (``PrintIR``).

    Before::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }

    After::

        def @main(%x: Tensor[(4), float32]) {
          nn.relu(%x)
        }
    """

    shows_spans: ClassVar[bool] = True
    header: str = option(default="", doc="What is shown above the module.")
    show_meta_data: bool = option(default=False, doc="Whether the metadata section is shown as well.")

    def transform_module(self, module: IRModule, context: PassContext) -> IRModule:
        """The module itself."""
        text = to_text(module, show_meta_data=self.show_meta_data)
        print(f"PrintIR({self.header}):\n{text}", file=sys.stderr)
        return module
