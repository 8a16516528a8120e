"""What a hover says, as data: :mod:`.rendering` makes Markdown of it."""

from __future__ import annotations

from dataclasses import dataclass

from relay_lsp.ir.text.text_span import TextSpan

from ..layers.layer_index import LayerCount
from ..provenance.history import RemovedValue, ValueEvent
from ..provenance.provenance import ValueOrigin

__all__ = ["Hover"]


@dataclass(frozen=True)
class Hover:
    """What is known of the token at ``span``."""

    span: TextSpan
    headline: str
    """Relay text: a declaration, or an expression with its type."""
    documentation: str = ""
    """Markdown."""
    origins: tuple[ValueOrigin, ...] = ()
    events: tuple[ValueEvent, ...] = ()
    removed: tuple[RemovedValue, ...] = ()
    """For a function, what passes removed from it."""
    layers: tuple[LayerCount, ...] = ()
    """For a function, fused or not, the layers of what is in it; for a parameter, those of what uses it."""
