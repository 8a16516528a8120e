"""The server put together."""

from __future__ import annotations

from ..handlers import (
    code_actions,
    diagnostics,
    document_links,
    explanations,
    exploring,
    files,
    formatting,
    history,
    language,
    layers,
    models,
    passes,
    provenance,
    reduction,
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
    exploring,
    structure,
    diagnostics,
    code_actions,
    explanations,
    passes,
    history,
    provenance,
    reduction,
    layers,
    models,
)


def create_server(trusted: bool | None = None) -> RelayLanguageServer:
    """A server that answers everything that :mod:`.capabilities` promises.

    ``trusted``: whether the workspace's code may run and files be written; ``None`` where the client, an editor that
    has started the server, says so itself.
    """
    server = RelayLanguageServer()
    server.granted_trust = trusted
    for handlers in _HANDLERS:
        handlers.register(server)
    return server
