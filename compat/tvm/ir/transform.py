"""``tvm.ir.transform``, the same as ``tvm.transform``."""

from __future__ import annotations

from ..transform import ModulePass, Pass, PassContext, PassInfo, PrintIR, Sequential, module_pass

__all__ = ["ModulePass", "Pass", "PassContext", "PassInfo", "PrintIR", "Sequential", "module_pass"]
