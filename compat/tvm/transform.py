"""``tvm.transform``: contexts, pipelines, passes over modules."""

from __future__ import annotations

from relay_lsp.passes import ModulePass, Pass, PassContext, PassInfo
from relay_lsp.passes import Sequential as _Sequential

from ..pass_classes import adopt, pass_class
from ..pass_classes import module_pass_of as module_pass

__all__ = ["ModulePass", "Pass", "PassContext", "PassInfo", "PrintIR", "Sequential", "module_pass"]

Sequential = adopt(_Sequential)
PrintIR = pass_class("PrintIR")
