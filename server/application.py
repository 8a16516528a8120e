"""The server put together."""

from __future__ import annotations

from .handlers import diagnostics, files, language, passes, provenance, structure, synchronization
from .protocol import RelayLanguageServer

__all__ = ["create_server"]


def create_server() -> RelayLanguageServer:
    """A server that answers everything that :mod:`.capabilities` promises."""
    server = RelayLanguageServer()
    for handlers in (synchronization, files, language, structure, diagnostics, passes, provenance):
        handlers.register(server)
    return server
