"""``relay-lsp serve``: the language server over stdio, TCP or WebSocket."""

from __future__ import annotations

import argparse
import sys

from .problems import EXIT_OK, CommandError

__all__ = ["serve"]

_SWITCH_SECONDS = 0.0005
"""How long a thread of Python that reads a text may go on while the event loop waits for its turn.

Python's own 5 ms are felt two or three times in every answer: 15 ms while another text is read, where the goal is 15.
"""


def serve(options: argparse.Namespace) -> int:
    """Serve one client until it leaves; over a port every one that comes and has the token."""
    from ..serving.log_output import log_to_standard_error

    # To standard error: standard output may carry the protocol.
    log_to_standard_error(options.log_level.upper())
    sys.setswitchinterval(_SWITCH_SECONDS)
    if options.tcp or options.ws:
        from ..serving.admission import is_loopback
        from ..serving.network import Listening, serve_tcp, serve_websocket

        host, port = _address(options.tcp or options.ws)
        if not options.allow_remote and not is_loopback(host):
            raise CommandError(f"{host} is reached from other computers; if that is meant, write --allow-remote")
        listening = Listening(host, port, options.trusted, options.once, options.origin)
        try:
            if options.tcp:
                serve_tcp(listening)
            else:
                serve_websocket(listening)
        except KeyboardInterrupt:
            return EXIT_OK
        except OSError as error:
            raise CommandError(f"{host}:{port} cannot be listened on: {error.strerror or error}") from None
        return EXIT_OK
    from ..serving.stdio import serve_stdio

    serve_stdio()
    return EXIT_OK


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise CommandError(f"{text} is no address; write HOST:PORT, such as 127.0.0.1:2087")
    return host.strip("[]") or "127.0.0.1", int(port)
