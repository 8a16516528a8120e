"""How many results a call gives, where they are a tuple: so that they can be named before types are inferred.

Source of the rule: ``TupleWrapper(…, n)`` in the operators' functions of ``python/tvm/relay/op``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..expressions import Call, Expr, Tuple
from .operator import Op

__all__ = ["result_count"]


def result_count(expr: Expr) -> int | None:
    """The number of results of a call of an operator that gives several; ``None`` for anything else."""
    if not isinstance(expr, Call) or not isinstance(expr.op, Op):
        return None
    if expr.op.name in _FIXED:
        return _FIXED[expr.op.name]
    count = _BY_CALL.get(expr.op.name)
    return None if count is None else count(expr, expr.attrs)


_FIXED: Final = {
    "nn.batch_norm": 3,
    "nn.dropout": 2,
    "nn.sparse_transpose": 3,
    "dft": 2,
    "sparse_fill_empty_rows": 3,
    "sparse_reshape": 2,
    "vision.get_valid_counts": 3,
    "vision.multibox_transform_loc": 2,
    "random.threefry_split": 2,
    "random.threefry_generate": 2,
    "random.uniform": 2,
    "random.normal": 2,
    "random.multinomial": 2,
}


def _split(call: Call, attrs: Any) -> int:
    parts = attrs.indices_or_sections
    return int(parts) if isinstance(parts, int) else len(parts) + 1


def _meshgrid(call: Call, attrs: Any) -> int | None:
    return len(call.args[0].fields) if isinstance(call.args[0], Tuple) else None


def _topk(call: Call, attrs: Any) -> int | None:
    return 2 if attrs.ret_type == "both" else None


_BY_CALL: Final[dict[str, Callable[[Call, Any], int | None]]] = {
    "split": _split,
    "meshgrid": _meshgrid,
    "topk": _topk,
    "dyn.topk": _topk,
    "unique": lambda call, attrs: 5 if attrs.return_counts else 4,
    "vision.non_max_suppression": lambda call, attrs: 2 if attrs.return_indices else None,
}
