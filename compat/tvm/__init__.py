"""``tvm``: see :mod:`relay_lsp.compat`."""

from __future__ import annotations

from relay_lsp.ir.spans import SequentialSpan, SourceName, Span

from ..modules import MutableModule as IRModule
from . import contrib, instrument, ir, relay, runtime, target, te, testing, tir, transform
from .error import TVMError
from .runtime import cpu, cuda, device, nd

__all__ = [
    "IRModule",
    "SequentialSpan",
    "SourceName",
    "Span",
    "TVMError",
    "contrib",
    "cpu",
    "cuda",
    "device",
    "instrument",
    "ir",
    "nd",
    "relay",
    "runtime",
    "target",
    "te",
    "testing",
    "tir",
    "transform",
]

__version__ = "0.12.0"
