"""``tvm.relay.op.op``: operators by name."""

from __future__ import annotations

from relay_lsp.ir.ops import get
from relay_lsp.ir.ops.operator import Op, OpPattern

__all__ = ["Op", "OpPattern", "get"]
