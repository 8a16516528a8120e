"""``tvm.relay.op``: operators as functions, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relay_lsp.ir.ops import get as _get

from ....operator_functions import OperatorNamespace
from . import contrib, nn, op

__all__ = ["annotation", "contrib", "get", "image", "memory", "nn", "op", "random", "vision", "vm"]

annotation = OperatorNamespace("annotation.", "relay.annotation")
image = OperatorNamespace("image.", "relay.image")
memory = OperatorNamespace("memory.", "relay.memory")
random = OperatorNamespace("random.", "relay.random")
vision = OperatorNamespace("vision.", "relay.vision")
vm = OperatorNamespace("vm.", "relay.vm")
get = _get

_functions = OperatorNamespace("", "relay")


def __getattr__(name: str) -> Callable[..., Any]:
    return getattr(_functions, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(_functions)})
