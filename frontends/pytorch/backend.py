"""PyTorch itself, which this package needs and the project's own environment need not have.

It is loaded in one place and has no types here: most of what is used of it (``torch._C``) has none anywhere.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["torch"]

torch: Any = importlib.import_module("torch")
