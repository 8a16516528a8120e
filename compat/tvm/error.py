"""``tvm.error``: what TVM raises, by the names that scripts catch."""

from __future__ import annotations

from relay_lsp.passes import PassError as TVMError

__all__ = ["DiagnosticError", "TVMError"]

DiagnosticError = TVMError
