"""numpy, loaded when a program first asks for something in it: most texts hold no tensor."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["later", "np"]

if TYPE_CHECKING:
    import numpy as np

    later = np
else:

    class _Numpy(ModuleType):
        """Takes each name from numpy once, and has it from then on."""

        def __getattr__(self, name: str) -> object:
            value = getattr(importlib.import_module("numpy"), name)
            setattr(self, name, value)
            return value

    np = _Numpy("numpy")

    class _Function:
        """A function of numpy that a declaration names and a kernel calls."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __call__(self, *arguments: object, **options: object) -> object:
            return getattr(np, self._name)(*arguments, **options)

        def __getattr__(self, name: str) -> object:
            return getattr(getattr(np, self._name), name)

    class _Later:
        """numpy's functions by name, none of them looked up yet."""

        def __getattr__(self, name: str) -> _Function:
            return _Function(name)

    later = _Later()
