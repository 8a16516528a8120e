"""Importers: a model of another framework becomes a Relay module in which every expression knows its layer.

An importer has TVM's name and arguments (``from_onnx``, ``from_tflite``) and gives ``(module, params)``.
:func:`read_model` imports any file by its name and gives an :class:`ImportedModel`, which tells more: diagnostics, and
the model's layers by name.
The frameworks' own packages are extras (``pip install "relay-lsp[onnx]"``); none is loaded before its importer runs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .diagnostics import ImportDiagnostic, ModelImportError, ModelPlace
    from .imported import ImportedModel, Layer
    from .models import read_model
    from .onnx import from_onnx
    from .pytorch import from_pytorch
    from .tflite import from_tflite

# Where each name lives. Resolved at first use, so that one framework's importer does not load another's.
_HOMES = {
    "diagnostics": ("ImportDiagnostic", "ModelImportError", "ModelPlace"),
    "imported": ("ImportedModel", "Layer"),
    "models": ("read_model",),
    "onnx": ("from_onnx",),
    "pytorch": ("from_pytorch",),
    "tflite": ("from_tflite",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ImportDiagnostic",
    "ImportedModel",
    "Layer",
    "ModelImportError",
    "ModelPlace",
    "from_onnx",
    "from_pytorch",
    "from_tflite",
    "read_model",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
