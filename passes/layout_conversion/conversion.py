"""Operators in the layouts that the user asks for."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from relay_lsp.ir.attributes import Attrs
from relay_lsp.ir.expressions import Call, Expr, Function
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.types import IncompleteType

from ..infrastructure.operator_rules import find_rule
from ..provenance import current_record
from .config import LayoutConfig
from .forward import altered_by_user, rewrite_layouts
from .operators import CONVERSIONS, LayoutCall, unchanged

__all__ = ["convert_layouts"]

_log = logging.getLogger(__name__)

_COUNTED = ("nn.conv2d", "nn.deformable_conv2d")
"""The operators that a :class:`LayoutConfig` counts."""


def convert_layouts(function: Function, desired: Mapping[str, Sequence[str]]) -> Function:
    """``function`` with the operators named in ``desired`` in their desired layouts.

    Raises:
        PassError: an operator cannot take its desired layout, or two layouts that meet do not convert.
    """

    def converted(pre: Call, args: tuple[Expr, ...], attrs: Attrs | None) -> Call | None:
        name = pre.op.name if isinstance(pre.op, Op) else ""
        layouts, conversion = desired.get(name), CONVERSIONS.get(name)
        users = find_rule("FTVMConvertOpLayout", name)
        if users is not None and layouts is not None:
            return altered_by_user(users, pre, args, attrs, list(layouts))
        if conversion is None:
            return None
        if layouts is None:
            _log.warning("Desired layout(s) not specified for op: %s", name)
            remarks = current_record().remarks
            if remarks is not None:
                remarks.missed("not-desired", pre, f"kept in its layout: no layout is desired for {name}")
            return None
        call = LayoutCall(name, args, attrs, [arg.checked_type or IncompleteType() for arg in pre.args], pre)
        config = LayoutConfig.current()
        if config is not None and name in _COUNTED and config.check_skip():
            return unchanged(call)
        return conversion(call, tuple(layouts))

    return rewrite_layouts(function, converted)
