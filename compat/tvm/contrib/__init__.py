"""``tvm.contrib``: what scripts import from it."""

from __future__ import annotations

from typing import NoReturn

from . import download

__all__ = ["download"]

_INSTEAD = {
    "graph_executor": "relay.create_executor evaluates a module",
    "relay_viz": "`relay-lsp explore` shows a module and what passes make of it",
}


def __getattr__(name: str) -> NoReturn:
    if name in _INSTEAD:
        raise ImportError(f"tvm.contrib.{name} is not here: {_INSTEAD[name]}")
    raise AttributeError(f"tvm.contrib has no {name} here")
