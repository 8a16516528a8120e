"""Importing TFLite models: ``from_tflite``, and :func:`read_tflite`, which tells more; the extra is
``relay-lsp[tflite]``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..converters import import_converters
from ..diagnostics import load_extra

load_extra("tflite", "tflite")

from .importer import from_tflite, read_tflite  # noqa: E402
from .runtime import run  # noqa: E402

import_converters(__name__)

if TYPE_CHECKING:
    from relay_lsp.ir.types import Dim

    from ..imported import ImportedModel

__all__ = ["from_tflite", "read", "read_tflite", "run"]


def read(
    model: Any,
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: Mapping[str, str] | None = None,
    **options: Any,
) -> ImportedModel:
    """The reader of this framework (see :mod:`..models`), with the arguments' names that all frameworks share."""
    return read_tflite(model, shape, dtype, **options)
