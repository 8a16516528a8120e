"""``tvm.relay.function``."""

from __future__ import annotations

from relay_lsp.ir.expressions import Function

__all__ = ["Function"]
