"""The hover at the cursor: what each kind of word says one file, brought together in :mod:`.hover`."""

from __future__ import annotations

from .contents import Hover
from .hover import hover
from .rendering import render

__all__ = ["Hover", "hover", "render"]
