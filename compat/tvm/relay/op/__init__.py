"""``tvm.relay.op``: operators as functions, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relay_lsp.ir.ops import get as _get

from ....operator_functions import OperatorNamespace, operator_module
from . import contrib, op

__all__ = ["annotation", "contrib", "get", "image", "memory", "nn", "op", "random", "vision", "vm"]

annotation = operator_module(__name__, "annotation", "annotation.", "relay.annotation")
image = operator_module(__name__, "image", "image.", "relay.image")
memory = operator_module(__name__, "memory", "memory.", "relay.memory")
nn = operator_module(__name__, "nn", "nn.", "relay.nn")
random = operator_module(__name__, "random", "random.", "relay.random")
vision = operator_module(__name__, "vision", "vision.", "relay.vision")
vm = operator_module(__name__, "vm", "vm.", "relay.vm")
get = _get

_functions = OperatorNamespace("", "relay")


def __getattr__(name: str) -> Callable[..., Any]:
    return getattr(_functions, name)


def __dir__() -> list[str]:
    return sorted({*__all__, *dir(_functions)})
