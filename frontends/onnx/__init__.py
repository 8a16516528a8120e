"""Importing ONNX models: ``from_onnx``, and :func:`read_onnx`, which tells more; the extra is ``relay-lsp[onnx]``."""

from __future__ import annotations

from ..converters import import_converters
from ..diagnostics import load_extra

load_extra("onnx", "onnx")

from .importer import from_onnx, read_onnx  # noqa: E402
from .runtime import run  # noqa: E402

import_converters(__name__)

read = read_onnx
"""The reader of this framework (see :mod:`..models`)."""

__all__ = ["from_onnx", "read", "read_onnx", "run"]
