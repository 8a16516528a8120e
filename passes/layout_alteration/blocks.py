"""How many channels a target computes at a time, where no tuning log says so.

Source of the rule: ``_fallback_schedule`` in ``python/tvm/topi/x86/conv2d_avx_common.py`` and ``conv2d_avx_1x1.py``,
``python/tvm/topi/x86/depthwise_conv2d.py``, and ``fallback_schedule_cpu_common_int8`` in
``python/tvm/topi/generic/conv2d.py``.
"""

from __future__ import annotations

from relay_lsp.ir.dimensions import Dim

from .calls import AlteredCall

__all__ = ["largest_factor", "static"]


def largest_factor(size: int, most: int, step: int = 1) -> int:
    """The largest of ``most``, ``most - step``, … that divides ``size``; 1 where none does."""
    return next((factor for factor in range(most, 0, -step) if size % factor == 0), 1)


def static(call: AlteredCall, size: Dim, what: str) -> int:
    """``size`` as a number.

    Raises:
        PassError: it is not known.
    """
    if not isinstance(size, int):
        raise call.refused(f"the {what} must be known")
    return size
