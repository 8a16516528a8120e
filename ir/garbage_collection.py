"""Work that makes many objects and drops few, without the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["without_collection"]


@contextmanager
def without_collection() -> Generator[None]:
    """Keep the garbage collector from looking again and again at expressions that are all in use.

    A pass makes tens of thousands of objects and drops few; the collector would take up to half of its time.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
