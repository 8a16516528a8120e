"""``tvm.relay.op.nn``: operators of neural networks as functions, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....operator_functions import OperatorNamespace

__all__: list[str] = []

_functions = OperatorNamespace("nn.", "relay.nn")


def __getattr__(name: str) -> Callable[..., Any]:
    return getattr(_functions, name)


def __dir__() -> list[str]:
    return dir(_functions)
