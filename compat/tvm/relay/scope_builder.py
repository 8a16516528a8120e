"""``tvm.relay.scope_builder``."""

from __future__ import annotations

from relay_lsp.ir.builder import ScopeBuilder

__all__ = ["ScopeBuilder"]
