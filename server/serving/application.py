"""The server put together."""

from __future__ import annotations

from ..handlers import (
    code_actions,
    diagnostics,
    document_links,
    files,
    formatting,
    history,
    language,
    models,
    passes,
    provenance,
    semantic_tokens,
    structure,
    synchronization,
)
from ..lsp.protocol import RelayLanguageServer

__all__ = ["create_server"]

_HANDLERS = (
    synchronization,
    files,
    language,
    semantic_tokens,
    formatting,
    document_links,
    structure,
    diagnostics,
    code_actions,
    passes,
    history,
    provenance,
    models,
)


def create_server() -> RelayLanguageServer:
    """A server that answers everything that :mod:`.capabilities` promises."""
    server = RelayLanguageServer()
    for handlers in _HANDLERS:
        handlers.register(server)
    return server
