"""Folding constants while a model is imported: each new expression is examined once.

Source of the rule: ``fold_constant`` in ``python/tvm/relay/frontend/common.py``, which folds untyped expressions: the
shape of what is no constant stays a question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from relay_lsp.ir.evaluation.folding import asks_for_shape, fold_call, fold_shape_of, is_constant
from relay_lsp.ir.expressions import Call, Constant, Expr, If, Tuple, TupleGetItem
from relay_lsp.ir.ops.nn.normalization import LRNAttrs
from relay_lsp.ir.types import Dim, TensorType, TupleType
from relay_lsp.ir.visitor import children, with_children

from .diagnostics import ConversionError
from .inspection import type_of

__all__ = ["Folder"]


MOST_ELEMENTS = 2**26
"""How many elements a folded constant has at most: what a model says in a few bytes shall not fill the memory."""

MOST_STEPS = 2**16
"""How large the window of a pool or a normalization is at most that is folded: each of its elements is a step."""

MOST_WORK = 2**30
"""How many elements folding looks at, at most: a second or two."""


class Folder:
    """Folds what is new below an expression, and caches what it has folded before."""

    def __init__(self) -> None:
        self._folded: dict[Expr, Expr] = {}

    def fold(self, expr: Expr) -> Expr:
        """``expr`` with its constant parts computed; ``expr`` itself where there are none."""
        folded = self._folded
        stack: list[tuple[Expr, bool]] = [(expr, False)]
        while stack:
            current, ready = stack.pop()
            if current in folded:
                continue
            parts = children(current)
            if parts and not ready:
                stack.append((current, True))
                stack.extend((part, False) for part in reversed(parts) if part not in folded)
                continue
            new = _folded(current, with_children(current, [folded[part] for part in parts])) if parts else current
            folded[current] = new
            folded.setdefault(new, new)
        return folded[expr]


def _is_moderate(call: Call) -> bool:
    """Whether the value of a call of constants has a size that is worth computing now."""
    if not all(map(is_constant, call.args)):
        return True  # It is not folded anyway.
    try:
        waiting = [type_of(call)]
    except ConversionError:
        return False
    elements, window = 0, _window(call)
    while waiting:
        type = waiting.pop()
        if isinstance(type, TupleType):
            waiting.extend(type.fields)
        elif isinstance(type, TensorType):
            elements += math.prod(dim for dim in type.shape if isinstance(dim, int))
    return elements <= MOST_ELEMENTS and window <= MOST_STEPS and elements * window <= MOST_WORK


def _window(call: Call) -> int:
    """How many elements a call looks at for each that it gives, where its attributes say so."""
    attrs = call.attrs
    if isinstance(attrs, LRNAttrs):
        return attrs.size
    sides = cast("Sequence[Dim]", getattr(attrs, "pool_size", None) or ())
    return math.prod(side for side in sides if isinstance(side, int))


def _folded(old: Expr, new: Expr) -> Expr:
    if isinstance(new, Call):
        assert isinstance(old, Call)
        if asks_for_shape(new):
            argument = new.args[0]
            value = fold_shape_of(new, argument.tensor_type) if isinstance(argument, Constant) else None
        else:
            value = fold_call(new, new.args) if _is_moderate(new) else None
        return new if value is None else value
    if isinstance(new, TupleGetItem) and isinstance(new.tuple_value, Tuple):
        return new.tuple_value.fields[new.index]
    if isinstance(new, If) and isinstance(new.cond, Constant):
        return new.true_branch if new.cond.data.reshape(-1)[0] else new.false_branch
    return new
