"""``tvm.te`` is not here: relay-lsp has no tensor expressions. Scripts import it and seldom use it."""

from __future__ import annotations

from typing import NoReturn

__all__: list[str] = []


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"tvm.te.{name} is not here: relay_lsp makes no code, and so has no tensor expressions")
