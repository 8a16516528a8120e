"""Serving over TCP and WebSocket: one client, and the server ends with it."""

from __future__ import annotations

from .application import create_server

__all__ = ["serve_tcp", "serve_websocket"]


def serve_tcp(host: str, port: int) -> None:
    """Wait for a client on a TCP port and serve it."""
    server = create_server()
    try:
        server.start_tcp(host, port)
    finally:
        server.state.shut_down()


def serve_websocket(host: str, port: int) -> None:
    """Wait for a client on a WebSocket and serve it: an editor in a browser."""
    server = create_server()
    try:
        server.start_ws(host, port)
    finally:
        server.state.shut_down()
