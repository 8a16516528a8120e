"""A region of operators that is rewritten to integers, and the rules by operator.

Source of the rule: ``SubgraphMutator`` in ``src/relay/transforms/fake_quantization_to_integer.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np

from relay_lsp.ir.expressions import Call, Constant, Expr, Tuple, TupleGetItem
from relay_lsp.ir.module import IRModule
from relay_lsp.ir.ops.operator import Op
from relay_lsp.ir.structural import structural_equal
from relay_lsp.ir.types import TensorType
from relay_lsp.ir.visitor import children, with_children

from ..fold_constant import ConstantFolder
from ..patterns.rewriting import infer_locally
from ..provenance import current_record
from .affine_types import AffineType, TensorAffineType, TupleAffineType

__all__ = ["AffineRegion", "RewriteRule", "Unconvertible", "register_fake_quantization_to_integer", "rule_of"]


class Unconvertible(Exception):
    """A region that stays as it is; the message says why."""


class AffineRegion:
    """A region while it is rewritten: what the values in it stand for.

    ``types`` are those of the values at its border; ``out_type`` is what the operator at its end quantises to, which an
    operator inside may take for its own result, or ``None``.
    """

    def __init__(
        self, types: Mapping[Expr, AffineType], out_type: TensorAffineType | None, module: IRModule | None
    ) -> None:
        self.out_type = out_type
        self.module = module
        self._types: dict[Expr, AffineType] = dict(types)

    def rewrite(self, root: Expr) -> tuple[Expr, AffineType]:
        """What ``root`` becomes, and what it stands for then; what was made of what is recorded.

        Raises:
            Unconvertible: an operator has no rule, or cannot be rewritten here.
        """
        made: dict[Expr, Expr] = {}
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            expr, expanded = stack.pop()
            if expr in made:
                continue
            parts = _parts(expr)
            if parts and not expanded:
                stack.append((expr, True))
                stack.extend((part, False) for part in reversed(parts) if part not in made)
                continue
            new = with_children(expr, [made[part] for part in parts]) if parts else expr
            made[expr] = self._finish(new)
        record = current_record()
        for old, new in made.items():
            if new is not old:
                record.replace(old, new)
        return made[root], self._type(made[root])

    def _finish(self, expr: Expr) -> Expr:
        if isinstance(expr, Call):
            rule = rule_of(expr)
            if rule is None:
                raise Unconvertible(f"{expr.op!r} has no rule")
            new, type = rule(expr, self)
            self._types[new] = type
            return new
        if isinstance(expr, Tuple):
            self._types[expr] = TupleAffineType(tuple(self.tensor_type(field) for field in expr.fields))
        elif isinstance(expr, TupleGetItem):
            whole = self._type(expr.tuple_value)
            if not isinstance(whole, TupleAffineType):
                raise Unconvertible("a projection is not from a quantised tuple")
            self._types[expr] = whole.types[expr.index]
        return expr

    def _type(self, expr: Expr) -> AffineType:
        type = self._types.get(expr)
        if type is None:
            raise Unconvertible("an operand is not quantised")
        return type

    def is_quantized(self, expr: Expr) -> bool:
        """Whether ``expr`` stands for real values."""
        return expr in self._types

    def tensor_type(self, expr: Expr) -> TensorAffineType:
        """What the tensor ``expr`` stands for.

        Raises:
            Unconvertible: it is no quantised tensor.
        """
        type = self._type(expr)
        if not isinstance(type, TensorAffineType):
            raise Unconvertible("a tuple stands where a tensor is needed")
        return type

    def tuple_type(self, expr: Expr) -> TupleAffineType:
        """What the tuple ``expr`` stands for.

        Raises:
            Unconvertible: it is no quantised tuple.
        """
        type = self._type(expr)
        if not isinstance(type, TupleAffineType):
            raise Unconvertible("a tensor stands where a tuple is needed")
        return type

    def result_type(self) -> TensorAffineType:
        """What the region's result is quantised to.

        Raises:
            Unconvertible: the region has no quantised result, but is rewritten operator by operator.
        """
        if self.out_type is None:
            raise Unconvertible("the quantisation of the result is not known")
        return self.out_type

    def shape_of(self, expr: Expr) -> tuple[int, ...]:
        """The shape of a tensor.

        Raises:
            Unconvertible: a dimension is not known.
        """
        type = expr.tensor_type if isinstance(expr, Constant) else infer_locally(expr, self.module).checked_type
        if not isinstance(type, TensorType) or not all(isinstance(size, int) for size in type.shape):
            raise Unconvertible("a shape must be known")
        return cast("tuple[int, ...]", type.shape)

    @staticmethod
    def folded(expr: Expr) -> Expr:
        """``expr`` with its constant parts computed."""
        return expr if isinstance(expr, Constant) else ConstantFolder(fold_qnn=False).visit(expr)

    @classmethod
    def nearly_equal(cls, lhs: Expr, rhs: Expr) -> bool:
        """Whether two scales or zero points are equal, constants up to rounding.

        Raises:
            Unconvertible: two constants have shapes that do not broadcast.
        """
        left, right = cls.folded(lhs), cls.folded(rhs)
        if not isinstance(left, Constant) or not isinstance(right, Constant):
            return structural_equal(left, right)
        try:
            return bool(np.allclose(left.data, right.data))
        except ValueError:
            raise Unconvertible("two scales or zero points have different shapes") from None


def _parts(expr: Expr) -> tuple[Expr, ...]:
    """What is rewritten before ``expr``: a region ends where its values are dequantised."""
    if isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == "qnn.dequantize":
        return ()
    return tuple(children(expr))


RewriteRule: TypeAlias = Callable[[Call, AffineRegion], "tuple[Expr, AffineType]"]
"""Gives what a call becomes whose arguments are rewritten already, and what that stands for.

Raises:
    Unconvertible: it cannot be rewritten here.
"""

_rules: dict[str, RewriteRule] = {}


def register_fake_quantization_to_integer(*names: str) -> Callable[[RewriteRule], RewriteRule]:
    """Give operators a rule, instead of one that they may have."""

    def register(rule: RewriteRule) -> RewriteRule:
        _rules.update(dict.fromkeys(names, rule))
        return rule

    return register


def rule_of(call: Call) -> RewriteRule | None:
    """The rule of the operator that is called, if it has one."""
    op: Any = call.op
    return _rules.get(op.name) if isinstance(op, Op) else None
