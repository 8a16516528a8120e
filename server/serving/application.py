"""The server put together."""

from __future__ import annotations

from ..handlers import diagnostics, synchronization
from ..handlers.loading import HandlersOnDemand
from ..lsp.protocol import RelayLanguageServer

__all__ = ["create_server"]


def create_server(trusted: bool | None = None) -> RelayLanguageServer:
    """A server that answers everything that :mod:`..lsp.capabilities` promises.

    ``trusted``: whether the workspace's code may run and files be written; ``None`` where the client, an editor that
    has started the server, says so itself.
    """
    server = RelayLanguageServer()
    server.granted_trust = trusted
    for handlers in (synchronization, diagnostics):
        handlers.register(server)
    on_demand = HandlersOnDemand(server)
    server.protocol.register_for = on_demand.register_for
    server.register_rest = on_demand.register_rest
    return server
