"""``tvm.relay.op.contrib``: what external compilers take."""

from __future__ import annotations

from . import register
from .register import get_pattern_table, register_pattern_table

__all__ = ["get_pattern_table", "register", "register_pattern_table"]
