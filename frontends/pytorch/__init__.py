"""Importing PyTorch's programs: ``from_pytorch``, and :func:`read_pytorch`, which tells more.

The extra is ``relay-lsp[torch]``.
"""

from __future__ import annotations

from ..converters import import_converters
from ..diagnostics import load_extra

load_extra("torch", "torch")

from .importer import from_pytorch, read_pytorch  # noqa: E402
from .runtime import run  # noqa: E402

import_converters(__name__)

read = read_pytorch
"""The reader of this framework (see :mod:`..models`)."""

__all__ = ["from_pytorch", "read", "read_pytorch", "run"]
